#include "sim/base/worker_pool.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <poll.h>
#include <signal.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstdio>
#include <cstring>
#include <deque>
#include <exception>
#include <optional>

#ifdef __linux__
#include <sys/prctl.h>
#endif

#include "sim/base/errors.h"

namespace dfsim {

namespace {

constexpr int kAttempts = 3;  ///< the first and two more
constexpr int kPollMilliseconds = 50;

/// Without SIGPIPE if the other side is gone. False on any error.
bool send_all(int fd, const char* data, std::size_t size) {
  while (size > 0) {
    const ssize_t n = ::send(fd, data, size, MSG_NOSIGNAL);
    if (n < 0 && errno == EINTR) continue;
    if (n <= 0) return false;
    data += n;
    size -= static_cast<std::size_t>(n);
  }
  return true;
}

/// A message is its length, 8 bytes, and its content.
bool send_message(int fd, const std::string& content) {
  const std::uint64_t size = content.size();
  char head[sizeof size];
  std::memcpy(head, &size, sizeof size);
  return send_all(fd, head, sizeof head) && send_all(fd, content.data(), content.size());
}

bool receive_all(int fd, char* data, std::size_t size) {
  while (size > 0) {
    const ssize_t n = ::read(fd, data, size);
    if (n < 0 && errno == EINTR) continue;
    if (n <= 0) return false;
    data += n;
    size -= static_cast<std::size_t>(n);
  }
  return true;
}

/// The token is back before the answer is sent: a worker that dies while its request is unanswered has at
/// most one.
std::string answered(const WorkerPool::Handler& handler, const std::string& request, JobTokens* tokens) {
  if (tokens) tokens->take();
  std::string answer = handler(request);
  if (tokens) tokens->give();
  return answer;
}

[[noreturn]] void serve(int fd, const WorkerPool::HandlerFactory& factory, JobTokens* tokens) {
  // The terminal sends Ctrl-C to workers too; the parent decides what it means.
  ::signal(SIGINT, SIG_IGN);
  try {
    const WorkerPool::Handler handler = factory();
    for (;;) {
      std::uint64_t size = 0;
      if (!receive_all(fd, reinterpret_cast<char*>(&size), sizeof size)) ::_exit(0);
      std::string request(size, '\0');
      if (!receive_all(fd, request.data(), size)) ::_exit(0);
      if (!send_message(fd, answered(handler, request, tokens))) ::_exit(0);
    }
  } catch (const std::exception& error) {
    std::fprintf(stderr, "worker %d: %s\n", static_cast<int>(::getpid()), error.what());
  }
  ::_exit(
      1);  // without destructors: they belong to the parent, or to a kernel that an error has left unusable
}

}  // namespace

struct WorkerPool::Worker {
  pid_t pid = -1;
  int fd = -1;
  std::optional<std::size_t> request;  ///< what it is working on
  std::string received;
  JobTokens* tokens = nullptr;

  bool alive() const { return fd >= 0; }

  void start(const HandlerFactory& factory, JobTokens* shared,
             const std::vector<std::unique_ptr<Worker>>& others) {
    tokens = shared;
    int ends[2];
    if (::socketpair(AF_UNIX, SOCK_STREAM, 0, ends) != 0)
      throw SimulationError(fmt::format("cannot make a socket pair: {}", std::strerror(errno)));
    std::fflush(nullptr);  // or the child would write what is still in the buffers again
    const pid_t parent = ::getpid();
    pid = ::fork();
    if (pid < 0) throw SimulationError(fmt::format("cannot fork a worker: {}", std::strerror(errno)));
    if (pid == 0) {
#ifdef __linux__
      ::prctl(PR_SET_PDEATHSIG, SIGKILL);
#endif
      if (::getppid() != parent) ::_exit(0);
      ::close(ends[0]);
      for (const auto& other : others)
        if (other && other.get() != this && other->alive()) ::close(other->fd);
      serve(ends[1], factory, tokens);
    }
    ::close(ends[1]);
    ::fcntl(ends[0], F_SETFD, FD_CLOEXEC);
    fd = ends[0];
    request.reset();
    received.clear();
  }

  void stop() {
    if (!alive()) return;
    ::close(fd);
    fd = -1;
    ::kill(pid, SIGKILL);
    while (::waitpid(pid, nullptr, 0) < 0 && errno == EINTR) {
    }
    if (request && tokens) tokens->give();  // it may have held one
    request.reset();
  }

  /// Takes what has come. False if the worker is gone; `answer` is set when one is complete.
  bool receive(std::optional<std::string>& answer) {
    char buffer[1 << 16];
    const ssize_t n = ::read(fd, buffer, sizeof buffer);
    if (n < 0) return errno == EINTR || errno == EAGAIN;
    if (n == 0) return false;
    received.append(buffer, static_cast<std::size_t>(n));
    std::uint64_t size = 0;
    if (received.size() < sizeof size) return true;
    std::memcpy(&size, received.data(), sizeof size);
    if (received.size() < sizeof size + size) return true;
    answer = received.substr(sizeof size, size);
    received.clear();
    return true;
  }
};

WorkerPool::WorkerPool(std::uint32_t workers, HandlerFactory factory, JobTokens* tokens)
    : factory_(std::move(factory)), tokens_(tokens) {
  for (std::uint32_t i = 0; i < std::max(workers, 1u); ++i) {
    workers_.push_back(std::make_unique<Worker>());
    workers_.back()->start(factory_, tokens_, workers_);
  }
}

WorkerPool::~WorkerPool() {
  for (const auto& worker : workers_) worker->stop();
}

std::vector<std::string> WorkerPool::run(const std::vector<std::string>& requests,
                                         const std::function<void(std::size_t, const std::string&)>& done,
                                         const std::function<bool()>& interrupted) {
  std::vector<std::string> answers(requests.size());
  std::vector<int> attempts(requests.size(), 0);
  std::deque<std::size_t> todo;
  for (std::size_t i = 0; i < requests.size(); ++i) todo.push_back(i);

  const auto lost = [&](Worker& worker) {
    const std::size_t index = *worker.request;
    worker.stop();
    if (attempts[index] >= kAttempts)
      throw SimulationError(fmt::format("a worker died {} times on request {} of {}: {}", kAttempts,
                                        index + 1, requests.size(), requests[index].substr(0, 120)));
    todo.push_front(index);
  };
  for (const auto& worker : workers_)
    if (worker->request) worker->stop();  // left over from a run that ended in an exception

  for (;;) {
    if (interrupted && interrupted()) {
      for (const auto& worker : workers_)
        if (worker->request) worker->stop();
      return answers;
    }
    std::vector<pollfd> waiting;
    std::vector<Worker*> busy;
    for (const auto& worker : workers_) {
      if (!worker->request && !todo.empty()) {
        if (!worker->alive()) worker->start(factory_, tokens_, workers_);
        worker->request = todo.front();
        todo.pop_front();
        ++attempts[*worker->request];
        if (!send_message(worker->fd, requests[*worker->request])) lost(*worker);
      }
      if (!worker->request) continue;
      waiting.push_back({worker->fd, POLLIN, 0});
      busy.push_back(worker.get());
    }
    if (busy.empty() && todo.empty()) return answers;
    if (::poll(waiting.data(), waiting.size(), kPollMilliseconds) <= 0) continue;
    for (std::size_t i = 0; i < busy.size(); ++i) {
      if (waiting[i].revents == 0) continue;
      std::optional<std::string> answer;
      if (!busy[i]->receive(answer)) {
        lost(*busy[i]);
      } else if (answer) {
        const std::size_t index = *busy[i]->request;
        busy[i]->request.reset();
        answers[index] = std::move(*answer);
        if (done) done(index, answers[index]);
      }
    }
  }
}

}  // namespace dfsim
