// dfsim: finds the best dataflow strategy for a model on a chip, and measures it.
#include <CLI/CLI.hpp>

#include "planner/app/commands/check.h"
#include "planner/app/commands/compile.h"
#include "planner/app/commands/dram.h"
#include "planner/app/commands/eth.h"
#include "planner/app/commands/list.h"
#include "planner/app/commands/noc.h"
#include "planner/app/commands/pe.h"
#include "planner/app/commands/place.h"
#include "planner/app/commands/plan.h"
#include "planner/app/commands/report.h"
#include "planner/app/commands/run.h"
#include "planner/app/commands/verify.h"
#include "planner/app/exit_codes.h"
#include "planner/app/guarded.h"
#include "planner/app/options.h"
#include "planner/app/version.h"

// libsystemc has a main of its own and asks for this; dfsim drives the kernel itself.
extern "C" int sc_main(int, char**) { return 1; }

namespace dfsim {

namespace {

int command_line(int argc, char** argv) {
  CLI::App app("Plans a neural network onto a chip and measures the plan in a cycle-level simulator.",
               "dfsim");
  app.set_version_flag("--version", version() + " (simulator " + simulator_hash() + ")");
  app.require_subcommand(0, 1);
  int exit_code = kOk;
  PlanOptions options;
  add_plan_options(app, options);
  add_plan_command(app, exit_code);
  add_run_command(app, exit_code);
  add_report_command(app, exit_code);
  add_verify_command(app, exit_code);
  add_place_command(app, exit_code);
  add_compile_command(app, exit_code);
  add_check_command(app, exit_code);
  add_list_command(app, exit_code);
  add_noc_command(app, exit_code);
  add_pe_command(app, exit_code);
  add_dram_command(app, exit_code);
  add_eth_command(app, exit_code);
  try {
    app.parse(argc, argv);
    if (app.get_subcommands().empty()) exit_code = plan_and_measure(options);
  } catch (const CLI::ParseError& error) {
    // Help and version are "errors" with code 0; all others are mistakes on the command line.
    return app.exit(error) == 0 ? kOk : kWrongInput;
  }
  return exit_code;
}

}  // namespace

}  // namespace dfsim

int main(int argc, char** argv) {
  return dfsim::guarded([&] { return dfsim::command_line(argc, argv); });
}
