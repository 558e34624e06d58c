#include "planner/app/commands/verify.h"

#include <fmt/format.h>

#include <filesystem>
#include <memory>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "planner/app/exit_codes.h"
#include "planner/app/inputs.h"
#include "planner/app/measure_plan.h"
#include "planner/app/plan_inputs.h"
#include "planner/app/program_file.h"
#include "planner/verify/verify.h"
#include "sim/system/system.h"

namespace dfsim {

namespace {

using Json = nlohmann::ordered_json;

struct VerifyCommand {
  std::string plan, program, config, model;
  VerifyOptions options;
  std::vector<std::string> overrides;
  bool json = false;
};

/// What is verified: a program with the graph and the hardware that it was made for.
struct Subject {
  std::string file;
  Inputs inputs;
  Program program;
};

[[noreturn]] void refuse(const std::string& option, const std::string& what, const std::string& hint = {}) {
  throw InputError({{{option, 0, 0}, what, hint}});
}

Subject subject_of_plan(const VerifyCommand& command) {
  if (!command.config.empty() || !command.model.empty())
    refuse(command.config.empty() ? "--model" : "--config", "a plan names its hardware and model itself",
           "use --set to change the hardware");
  PlanInputs given = load_plan(command.plan, command.overrides);
  Program program = lower_whole(given.inputs.model.graph, given.inputs.config.spec, given.file.plan,
                                command.options.periods, given.file.seed);
  return {command.plan, std::move(given.inputs), std::move(program)};
}

/// The file given with `option`, or the one that a run writes beside its program.
std::string beside(const std::string& program, const std::string& given, const char* name,
                   const std::string& option) {
  if (!given.empty()) return given;
  const std::filesystem::path path = std::filesystem::path(program).parent_path() / name;
  if (!std::filesystem::is_regular_file(path))
    refuse(option, "the program does not say what it was made for, and there is no " + path.string(),
           "name the file with " + option);
  return path.string();
}

Subject subject_of_program(const VerifyCommand& command) {
  Subject subject;
  subject.file = command.program;
  subject.program = read_program(command.program);
  subject.program.periods = command.options.periods;
  subject.inputs = load_inputs(beside(command.program, command.config, "config.resolved.yaml", "--config"),
                               beside(command.program, command.model, "model.resolved.yaml", "--model"),
                               command.overrides);
  return subject;
}

/// The same periods in the simulator, whose loader first checks indices and the order of conflicting
/// micro-ops.
Measurement simulate(const Subject& subject) {
  const auto runner = make_program_runner(subject.inputs.config.spec);
  RunLimit limit;
  limit.check_order = true;
  RunOutcome outcome = runner->run(subject.program, limit);
  if (outcome.status == RunStatus::invalid_program)
    throw CommandFailure(kFailed, subject.file + ": the program cannot be run: " + outcome.reason);
  if (outcome.status != RunStatus::finished)
    throw CommandFailure(kSimulationEnd, fmt::format("{}: {}", to_string(outcome.status), outcome.reason));
  return std::move(outcome.measurement);
}

/// Bytes that a kind of primitive moved, executed and measured.
struct MovedBytes {
  std::string primitive;
  std::uint64_t executed = 0, measured = 0;
};

std::vector<MovedBytes> moved_bytes(const Program& program, const Verification& result,
                                    const Measurement& measurement) {
  std::vector<MovedBytes> moved;
  for (std::size_t i = 0; i < program.primitives.size(); ++i) {
    const Primitive& primitive = program.primitives[i];
    moved.push_back({fmt::format("{} ({}) of '{}' for '{}'", primitive.kind, primitive.algorithm,
                                 primitive.tensor, program.operators[primitive.op.value()].name),
                     result.primitive_bytes[i], measurement.primitive_bytes[i]});
  }
  return moved;
}

/// Equal bytes, primitive by primitive, or the first that differs.
std::optional<Fault> compare_bytes(const std::vector<MovedBytes>& moved) {
  for (const MovedBytes& primitive : moved)
    if (primitive.executed != primitive.measured) {
      Fault fault;
      fault.what = fmt::format("{}: the simulator measured {} bytes, the execution moved {}",
                               primitive.primitive, primitive.measured, primitive.executed);
      return fault;
    }
  return std::nullopt;
}

Json to_json(const TensorAgreement& tensor) {
  return {{"tensor", tensor.tensor},
          {"relative_error", tensor.relative_error},
          {"largest_error", tensor.largest_error},
          {"largest_value", tensor.largest_value}};
}

Json to_json(const Fault& fault) {
  Json json = {
      {"what", fault.what},         {"stage", fault.stage},   {"operator", fault.op},   {"pe", fault.pe},
      {"micro_op", fault.micro_op}, {"period", fault.period}, {"tensor", fault.tensor}, {"region", nullptr},
      {"element", nullptr},         {"expected", nullptr},    {"got", nullptr}};
  if (fault.region) json["region"] = fault.region->to_string();
  if (fault.at)
    json["element"] = std::vector<std::uint32_t>(fault.at->begin(), fault.at->begin() + fault.region->rank);
  if (fault.expected) json["expected"] = *fault.expected;
  if (fault.got) json["got"] = *fault.got;
  return json;
}

void print_json(const VerifyCommand& command, const Subject& subject, const Verification& result,
                const std::vector<MovedBytes>& moved) {
  Json json = {{"version", 1},
               {"file", subject.file},
               {"seed", command.options.seed},
               {"samples", subject.program.samples},
               {"periods", command.options.periods},
               {"orders", command.options.orders},
               {"tolerance", command.options.tolerance},
               {"passed", !result.fault},
               {"fault", result.fault ? to_json(*result.fault) : Json(nullptr)},
               {"outputs", Json::array()},
               {"stages", Json::array()},
               {"micro_ops", result.micro_ops},
               {"primitives", Json::array()}};
  for (const TensorAgreement& output : result.outputs) json["outputs"].push_back(to_json(output));
  for (const StageAgreement& stage : result.stages)
    json["stages"].push_back({{"stage", stage.stage}, {"worst", to_json(stage.worst)}});
  for (const MovedBytes& primitive : moved)
    json["primitives"].push_back({{"primitive", primitive.primitive},
                                  {"executed_bytes", primitive.executed},
                                  {"measured_bytes", primitive.measured}});
  fmt::print("{}\n", json.dump(1));
}

void print_text(const VerifyCommand& command, const Subject& subject, const Verification& result,
                const std::vector<MovedBytes>& moved) {
  std::uint64_t bytes = 0;
  for (const MovedBytes& primitive : moved) bytes += primitive.executed;
  fmt::print("verified     {}\n", subject.file);
  fmt::print("executed     {} micro-ops of {} PEs, {} periods of {} samples, seed {}\n", result.micro_ops,
             subject.program.pes.size(), command.options.periods, subject.program.samples,
             command.options.seed);
  for (const TensorAgreement& output : result.outputs)
    fmt::print("output       {}: max|a-b| / max|b| = {:.2e}, max|b| = {:.4g}\n", output.tensor,
               output.relative_error, output.largest_value);
  for (const StageAgreement& stage : result.stages)
    fmt::print("stage        {}: at most {:.2e} (tensor {})\n", stage.stage, stage.worst.relative_error,
               stage.worst.tensor);
  fmt::print("bytes        {} in {} primitives, each as measured by the simulator\n", bytes, moved.size());
}

int run(const VerifyCommand& command) {
  if (command.plan.empty() == command.program.empty()) refuse("verify", "give either --plan or --program");
  const Subject subject = command.plan.empty() ? subject_of_program(command) : subject_of_plan(command);
  const Measurement measurement = simulate(subject);
  const Verifier verifier(subject.inputs.model.graph, subject.program.samples, command.options);
  Verification result =
      verifier.run(subject.program, subject.inputs.config.spec, subject.file, command.options.seed);
  std::vector<MovedBytes> moved;
  if (!result.fault) {
    moved = moved_bytes(subject.program, result, measurement);
    result.fault = compare_bytes(moved);
  }
  if (command.json) print_json(command, subject, result, moved);
  if (result.fault) throw CommandFailure(kFailed, subject.file + ": " + result.fault->to_string());
  if (!command.json) print_text(command, subject, result, moved);
  return kOk;
}

}  // namespace

void add_verify_command(CLI::App& app, int& exit_code) {
  auto command = std::make_shared<VerifyCommand>();
  CLI::App* sub = app.add_subcommand("verify", "run a plan's program on numbers and compare with the model");
  sub->add_option("--plan", command->plan, "plan.yaml");
  sub->add_option("--program", command->program, "program.json");
  sub->add_option("--config", command->config,
                  "hardware of the program; config.resolved.yaml beside it unless stated");
  sub->add_option("--model", command->model,
                  "model of the program; model.resolved.yaml beside it unless stated");
  sub->add_option("--seed", command->options.seed, "of inputs, weights and the order of execution")
      ->capture_default_str();
  sub->add_option("--periods", command->options.periods, "periods executed")
      ->check(CLI::Range(1, 100))
      ->capture_default_str();
  sub->add_option("--orders", command->options.orders, "executions, each in another order")
      ->check(CLI::Range(1, 1000))
      ->capture_default_str();
  sub->add_option("--set", command->overrides, "key.path=value of the config")->allow_extra_args(false);
  sub->add_flag("--json", command->json, "print JSON");
  sub->callback([command, &exit_code] { exit_code = run(*command); });
}

}  // namespace dfsim
