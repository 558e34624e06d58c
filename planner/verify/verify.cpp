#include "planner/verify/verify.h"

#include <fmt/format.h>

#include <algorithm>

#include "planner/verify/comparison.h"
#include "planner/verify/executor.h"
#include "planner/verify/program_map.h"
#include "sim/base/errors.h"

namespace dfsim {

namespace {

TensorAgreement agreement(const Graph& graph, const Comparison& comparison, TensorId tensor) {
  return {graph.tensor(tensor).name, comparison.largest_error(tensor), comparison.reference().largest(tensor),
          comparison.relative_error(tensor)};
}

void summarise(const Program& program, const ProgramMap& map, const Graph& graph,
               const Comparison& comparison, Verification& result) {
  for (const std::string& stage : program.stages) result.stages.push_back({stage, {}});
  for (std::uint32_t op = 0; op < program.operators.size(); ++op)
    for (const TensorId tensor : graph.op(map.op(OpId(op))).outputs) {
      const TensorAgreement of_tensor = agreement(graph, comparison, tensor);
      TensorAgreement& worst = result.stages[program.operators[op].stage].worst;
      if (worst.tensor.empty() || of_tensor.relative_error > worst.relative_error) worst = of_tensor;
      if (graph.tensor(tensor).role == TensorRole::output) result.outputs.push_back(of_tensor);
    }
}

}  // namespace

Verifier::Verifier(const Graph& graph, std::uint32_t samples, const VerifyOptions& options)
    : graph_(graph),
      options_(options),
      samples_(samples),
      // At least two, so that neighbouring periods have different data (see Comparison).
      reference_(graph, std::max(samples, 2u), options.seed) {}

Verification Verifier::run(const Program& program, const HardwareSpec& hardware, const std::string& file,
                           std::uint64_t order_seed) const {
  if (program.samples != samples_)
    throw ModelError({{{file, 1, 1},
                       fmt::format("the program works on {} samples, not on {}", program.samples, samples_),
                       {}}});
  const ProgramMap map(program, graph_, file);
  Comparison comparison(graph_, reference_, options_.tolerance, Executor::holds_given_tensors(program));
  Verification result;
  try {
    for (std::uint32_t order = 0; order < options_.orders; ++order) {
      Executor executor(program, map, graph_, hardware, comparison);
      executor.run(options_.periods, order_seed + order);
      result.micro_ops = executor.micro_ops();
      result.primitive_bytes = executor.primitive_bytes();
    }
  } catch (const FaultFound& found) {
    result.fault = found.fault;
  }
  summarise(program, map, graph_, comparison, result);
  return result;
}

}  // namespace dfsim
