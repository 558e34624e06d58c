// planner/app/exit_codes.h: what dfsim answers to the shell.
#pragma once

#include <stdexcept>
#include <string>

namespace dfsim {

enum ExitCode : int {
  kOk = 0,
  kFailed = 1,         ///< our bug, or a file that cannot be written
  kWrongInput = 2,     ///< mistakes in files or options
  kNothingFits = 3,    ///< no plan fits the hardware
  kSimulationEnd = 4,  ///< deadlock, or a limit of the simulation
  kInterrupted = 130,
};

/// Ends the command with `code` and the message on stderr. For outcomes that are no mistakes of the input.
class CommandFailure : public std::runtime_error {
 public:
  CommandFailure(ExitCode code, const std::string& what) : std::runtime_error(what), code_(code) {}
  ExitCode code() const { return code_; }

 private:
  ExitCode code_;
};

}  // namespace dfsim
