#include "planner/app/commands/compile.h"

#include <fmt/format.h>

#include <memory>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "planner/app/exit_codes.h"
#include "planner/app/measure_plan.h"
#include "planner/app/plan_inputs.h"
#include "planner/app/program_file.h"
#include "planner/cost/program_hash.h"

namespace dfsim {

namespace {

struct CompileOptions {
  std::string plan, output;
  std::uint32_t periods = 3;
  std::vector<std::string> overrides;
  bool json = false;
};

void compile(const CompileOptions& options) {
  const PlanInputs given = load_plan(options.plan, options.overrides);
  const HardwareSpec& hardware = given.inputs.config.spec;
  const Plan& plan = given.file.plan;
  const std::uint32_t fill = std::max(1u, plan.distinct_groups()) - 1;
  const Program program =
      lower_whole(given.inputs.model.graph, hardware, plan, fill + options.periods, given.file.seed);
  write_program(options.output, program);
  std::size_t micro_ops = 0;
  for (const PeProgram& pe : program.pes) micro_ops += pe.ops.size();
  const std::string hash = program_hash(program, hardware);
  if (options.json)
    fmt::print("{}\n", nlohmann::ordered_json{{"version", 1},
                                              {"program", options.output},
                                              {"program_hash", hash},
                                              {"pes", program.pes.size()},
                                              {"micro_ops", micro_ops},
                                              {"transfers", program.transfers.size()},
                                              {"primitives", program.primitives.size()},
                                              {"periods", program.periods}}
                           .dump(1));
  else
    fmt::print("{}: {} PEs, {} micro-ops, {} transfers in {} primitives, {} periods of {} samples\n",
               options.output, program.pes.size(), micro_ops, program.transfers.size(),
               program.primitives.size(), program.periods, program.samples);
}

}  // namespace

void add_compile_command(CLI::App& app, int& exit_code) {
  auto options = std::make_shared<CompileOptions>();
  CLI::App* command = app.add_subcommand("compile", "lower a plan to a program");
  command->add_option("--plan", options->plan, "plan.yaml")->required();
  command->add_option("-o,--output", options->output, "program.json to write")->required();
  command->add_option("--periods", options->periods, "periods after the fill")
      ->check(CLI::Range(1, 1000))
      ->capture_default_str();
  command->add_option("--set", options->overrides, "key.path=value of the config")->allow_extra_args(false);
  command->add_flag("--json", options->json, "print JSON");
  command->callback([options, &exit_code] {
    compile(*options);
    exit_code = kOk;
  });
}

}  // namespace dfsim
