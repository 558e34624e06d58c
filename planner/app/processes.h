// planner/app/processes.h: jobs in processes of their own, so many at a time.
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

namespace dfsim {

struct ProcessJob {
  /// Runs in the process; gives its exit code and, in `message`, what to tell the caller.
  std::function<int(std::string& message)> work;
  std::string log;            ///< file that takes the process's output (its folder exists)
  bool keeps_stderr = false;  ///< only stdout goes to `log`
};

struct ProcessEnd {
  int code = 0;  ///< exit code; 128 + signal if it was killed
  std::string message;
};

/// Runs the jobs in order, at most `limit` at a time. `ended(index, end)` is called here whenever one ends;
/// `waiting(running)` several times a second with the number under way; once `interrupted()` is true, those
/// under way are killed and no further one is started. The processes end with this one. Call before
/// elaborating SystemC.
void run_processes(const std::vector<ProcessJob>& jobs, std::uint32_t limit,
                   const std::function<void(std::size_t, const ProcessEnd&)>& ended,
                   const std::function<void(std::size_t running)>& waiting,
                   const std::function<bool()>& interrupted);

}  // namespace dfsim
