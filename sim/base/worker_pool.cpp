#include "sim/base/worker_pool.h"

#include <poll.h>
#include <signal.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>
#ifdef __linux__
#include <sys/prctl.h>
#endif

#include <algorithm>
#include <cerrno>
#include <exception>
#include <optional>

#include "sim/base/errors.h"

namespace dfsim {

namespace {

constexpr int kAttempts = 3;            // of one request, on a new worker each time
constexpr int kPollMilliseconds = 100;  // how often `interrupted` is asked

bool write_all(int descriptor, const char* data, std::size_t size) {
  while (size > 0) {
    const ssize_t written = ::send(descriptor, data, size, MSG_NOSIGNAL);
    if (written < 0 && errno == EINTR) continue;
    if (written <= 0) return false;
    data += written;
    size -= static_cast<std::size_t>(written);
  }
  return true;
}

bool read_all(int descriptor, char* data, std::size_t size) {
  while (size > 0) {
    const ssize_t got = ::read(descriptor, data, size);
    if (got < 0 && errno == EINTR) continue;
    if (got <= 0) return false;
    data += got;
    size -= static_cast<std::size_t>(got);
  }
  return true;
}

/// Messages are a length of 8 bytes in host order, then as many bytes.
bool write_message(int descriptor, const std::string& text) {
  const std::uint64_t size = text.size();
  return write_all(descriptor, reinterpret_cast<const char*>(&size), sizeof size) &&
         write_all(descriptor, text.data(), text.size());
}

std::optional<std::string> read_message(int descriptor) {
  std::uint64_t size = 0;
  if (!read_all(descriptor, reinterpret_cast<char*>(&size), sizeof size)) return std::nullopt;
  std::string text(size, '\0');
  if (!read_all(descriptor, text.data(), text.size())) return std::nullopt;
  return text;
}

/// The life of a worker. A handler that throws ends the process: after an error inside it the SystemC kernel
/// cannot go on.
[[noreturn]] void serve(int descriptor, const WorkerPool::HandlerFactory& factory) {
#ifdef __linux__
  ::prctl(PR_SET_PDEATHSIG, SIGKILL);
#endif
  ::signal(SIGINT, SIG_IGN);  // the parent decides what an interrupt means
  try {
    const WorkerPool::Handler handler = factory();
    while (const std::optional<std::string> request = read_message(descriptor))
      if (!write_message(descriptor, handler(*request))) break;
  } catch (const std::exception& error) {
    const std::string text = std::string("dfsim worker: ") + error.what() + "\n";
    const ssize_t ignored = ::write(STDERR_FILENO, text.data(), text.size());
    (void)ignored;
    ::_exit(1);
  }
  ::_exit(0);
}

}  // namespace

struct WorkerPool::Worker {
  pid_t process = -1;
  int descriptor = -1;
  std::optional<std::size_t> request;  ///< being worked on

  void start(const HandlerFactory& factory, const std::vector<std::unique_ptr<Worker>>& others) {
    int pair[2];
    if (::socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, pair) != 0)
      throw SimulationError("worker pool: no socket pair");
    process = ::fork();
    if (process < 0) throw SimulationError("worker pool: cannot start a process");
    if (process == 0) {
      ::close(pair[0]);
      for (const auto& other : others)
        if (other && other->descriptor >= 0) ::close(other->descriptor);
      serve(pair[1], factory);
    }
    ::close(pair[1]);
    descriptor = pair[0];
  }

  void stop(bool at_once) {
    if (descriptor >= 0) ::close(descriptor);
    descriptor = -1;
    if (process > 0) {
      if (at_once) ::kill(process, SIGKILL);
      while (::waitpid(process, nullptr, 0) < 0 && errno == EINTR) {
      }
    }
    process = -1;
  }
};

WorkerPool::WorkerPool(std::uint32_t workers, HandlerFactory factory) : factory_(std::move(factory)) {
  for (std::uint32_t i = 0; i < std::max(1u, workers); ++i) {
    workers_.push_back(std::make_unique<Worker>());
    workers_.back()->start(factory_, workers_);
  }
}

WorkerPool::~WorkerPool() {
  for (const auto& worker : workers_) worker->stop(worker->request.has_value());
}

std::vector<std::string> WorkerPool::run(const std::vector<std::string>& requests,
                                         const std::function<void(std::size_t, const std::string&)>& done,
                                         const std::function<bool()>& interrupted) {
  std::vector<std::string> answers(requests.size());
  std::vector<int> attempts(requests.size(), 0);
  std::vector<std::size_t> waiting(requests.size());
  for (std::size_t i = 0; i < waiting.size(); ++i)
    waiting[i] = waiting.size() - 1 - i;  // taken from the back

  const auto replace = [&](Worker& worker) {
    const std::size_t lost = *worker.request;
    worker.stop(true);
    worker.request.reset();
    worker.start(factory_, workers_);
    if (attempts[lost] >= kAttempts)
      throw SimulationError("worker pool: a worker died " + std::to_string(kAttempts) +
                            " times on the request " + requests[lost].substr(0, 200));
    waiting.push_back(lost);
  };
  const auto feed = [&](Worker& worker) {
    if (worker.request || waiting.empty()) return;
    worker.request = waiting.back();
    waiting.pop_back();
    ++attempts[*worker.request];
    if (!write_message(worker.descriptor, requests[*worker.request])) replace(worker);
  };

  for (;;) {
    if (interrupted && interrupted()) waiting.clear();
    for (const auto& worker : workers_) feed(*worker);
    std::vector<pollfd> descriptors;
    std::vector<Worker*> busy;
    for (const auto& worker : workers_)
      if (worker->request) {
        descriptors.push_back({worker->descriptor, POLLIN, 0});
        busy.push_back(worker.get());
      }
    if (busy.empty() && waiting.empty()) return answers;
    if (::poll(descriptors.data(), descriptors.size(), kPollMilliseconds) <= 0) {
      if (interrupted && interrupted()) {
        // What is under way is given up: an interrupt must not wait for a long run.
        for (Worker* worker : busy) {
          worker->stop(true);
          worker->request.reset();
          worker->start(factory_, workers_);
        }
        return answers;
      }
      continue;
    }
    for (std::size_t i = 0; i < busy.size(); ++i) {
      if (descriptors[i].revents == 0) continue;
      std::optional<std::string> answer = read_message(busy[i]->descriptor);
      if (!answer) {
        replace(*busy[i]);
        continue;
      }
      const std::size_t index = *busy[i]->request;
      busy[i]->request.reset();
      answers[index] = std::move(*answer);
      if (done) done(index, answers[index]);
    }
  }
}

}  // namespace dfsim
