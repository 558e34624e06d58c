#include "planner/app/processes.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <poll.h>
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstdio>
#include <cstring>

#ifdef __linux__
#include <sys/prctl.h>
#endif

#include "sim/base/errors.h"

namespace dfsim {

namespace {

constexpr int kPollMilliseconds = 200;

struct Running {
  std::size_t index;
  pid_t pid;
  int fd;  ///< reads the message, and ends when the process does
  std::string message;
};

[[noreturn]] void be_the_job(const ProcessJob& job, int message_fd, pid_t parent) {
#ifdef __linux__
  ::prctl(PR_SET_PDEATHSIG, SIGKILL);
#endif
  if (::getppid() != parent) ::_exit(1);
  ::setpgid(0, 0);  // a Ctrl-C is for the parent
  ::signal(SIGPIPE, SIG_IGN);
  const int log = ::open(job.log.c_str(), O_CREAT | O_TRUNC | O_WRONLY, 0666);
  if (log >= 0) {
    ::dup2(log, STDOUT_FILENO);
    if (!job.keeps_stderr) ::dup2(log, STDERR_FILENO);
    ::close(log);
  }
  std::string message;
  const int code = job.work(message);
  std::fflush(nullptr);
  for (std::size_t sent = 0; sent < message.size();) {
    const ssize_t n = ::write(message_fd, message.data() + sent, message.size() - sent);
    if (n < 0 && errno != EINTR) break;
    if (n > 0) sent += static_cast<std::size_t>(n);
  }
  ::_exit(code);
}

Running start(const ProcessJob& job, std::size_t index) {
  int ends[2];
  if (::pipe2(ends, O_CLOEXEC) != 0)
    throw SimulationError(fmt::format("cannot make a pipe: {}", std::strerror(errno)));
  std::fflush(nullptr);  // or the child would write what is still in the buffers again
  const pid_t parent = ::getpid();
  const pid_t pid = ::fork();
  if (pid < 0) throw SimulationError(fmt::format("cannot fork: {}", std::strerror(errno)));
  if (pid == 0) {
    ::close(ends[0]);
    be_the_job(job, ends[1], parent);
  }
  ::close(ends[1]);
  return {index, pid, ends[0], {}};
}

/// Takes what has come. False when there will be no more.
bool receive(Running& process) {
  char buffer[4096];
  const ssize_t n = ::read(process.fd, buffer, sizeof buffer);
  if (n > 0) process.message.append(buffer, static_cast<std::size_t>(n));
  return n > 0 || (n < 0 && errno == EINTR);
}

ProcessEnd wait_for(Running& process) {
  int status = 0;
  while (::waitpid(process.pid, &status, 0) < 0 && errno == EINTR) {
  }
  ::close(process.fd);
  return {WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status), process.message};
}

}  // namespace

void run_processes(const std::vector<ProcessJob>& jobs, std::uint32_t limit,
                   const std::function<void(std::size_t, const ProcessEnd&)>& ended,
                   const std::function<void(std::size_t)>& waiting,
                   const std::function<bool()>& interrupted) {
  std::vector<Running> running;
  std::size_t next = 0;
  while (next < jobs.size() || !running.empty()) {
    if (interrupted()) break;
    while (next < jobs.size() && running.size() < std::max(limit, 1u)) {
      running.push_back(start(jobs[next], next));
      ++next;
    }
    waiting(running.size());
    std::vector<pollfd> ends;
    for (const Running& process : running) ends.push_back({process.fd, POLLIN, 0});
    if (::poll(ends.data(), ends.size(), kPollMilliseconds) <= 0) continue;
    for (std::size_t i = running.size(); i-- > 0;) {
      if (ends[i].revents == 0 || receive(running[i])) continue;
      const ProcessEnd end = wait_for(running[i]);
      const std::size_t index = running[i].index;
      running.erase(running.begin() + static_cast<std::ptrdiff_t>(i));
      ended(index, end);
    }
  }
  for (Running& process : running) {
    ::kill(process.pid, SIGKILL);
    wait_for(process);
  }
}

}  // namespace dfsim
