// planner/app/command_line.h: all commands, as --help shows them.
#pragma once

#include <CLI/CLI.hpp>
#include <memory>
#include <string>

#include "planner/app/options.h"

namespace dfsim {

class CommandLine {
 public:
  CommandLine();
  CLI::App& app() { return app_; }
  /// Parses and runs; gives the exit code. Throws what the command throws.
  int run(int argc, const char* const* argv);

 private:
  int run_main_job();
  /// Says what is wrong on the command line, with the nearest option. Gives the exit code.
  int explain(const CLI::ParseError& error);

  CLI::App app_;
  PlanOptions options_;
  bool show_version_ = false;
  int exit_code_ = 0;
};

}  // namespace dfsim
