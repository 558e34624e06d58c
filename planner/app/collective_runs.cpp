#include "planner/app/collective_runs.h"

#include <fmt/format.h>

#include <algorithm>

#include "planner/app/exit_codes.h"
#include "planner/lower/collective_program.h"
#include "planner/verify/value_run.h"
#include "sim/api/program_runner.h"
#include "sim/base/rng.h"

namespace dfsim {

namespace {

constexpr std::uint64_t kElementBytes = 4;
/// Whole numbers this large add up exactly in float32 over 4096 PEs.
constexpr std::uint64_t kValues = 2048;

/// What rank `rank` has at element `element` in the beginning.
double value_of(const CollectiveRequest& request, std::uint64_t seed, std::uint32_t rank,
                std::uint64_t element) {
  // Without additions an element has one value, wherever it is.
  Rng rng(seed, (request.adds() ? std::uint64_t{rank} << 32 : 0) + element);
  return static_cast<double>(rng.below(kValues)) - static_cast<double>(kValues / 2);
}

template <class Value>
std::vector<PlacedValues> placed(const std::vector<HeldPart>& parts, const Value& value) {
  std::vector<PlacedValues> result;
  for (const HeldPart& part : parts) {
    PlacedValues values{part.pe, part.access, {}};
    const Box& box = part.access.box;
    for (std::uint64_t i = 0; i < box.extent[0]; ++i)
      values.values.push_back(static_cast<float>(value(part.rank, box.offset[0] + i)));
    result.push_back(std::move(values));
  }
  return result;
}

void check_values(const CollectiveProgram& collective, const CollectiveRequest& request,
                  const HardwareSpec& hardware, std::uint64_t seed, const Measurement& measured) {
  std::vector<double> sums(request.adds() ? request.elements : 0, 0);
  for (std::uint32_t rank = 0; rank < request.ranks(); ++rank)
    for (std::uint64_t i = 0; i < sums.size(); ++i) sums[i] += value_of(request, seed, rank, i);
  const auto given = placed(collective.given, [&](std::uint32_t rank, std::uint64_t element) {
    return value_of(request, seed, rank, element);
  });
  const auto expected = placed(collective.results, [&](std::uint32_t rank, std::uint64_t element) {
    return request.adds() ? sums[element] : value_of(request, seed, rank, element);
  });
  const ValueRun run = run_values(collective.program, hardware, given, expected, seed);
  if (run.fault) throw CommandFailure(kFailed, collective.program.name + ": " + run.fault->to_string());
  if (run.primitive_bytes != measured.primitive_bytes)
    throw CommandFailure(kFailed, fmt::format("{}: {} bytes executed, {} measured", collective.program.name,
                                              run.primitive_bytes.front(), measured.primitive_bytes.front()));
}

}  // namespace

CollectiveRun run_collective(ProgramRunner& runner, const CollectiveSetting& setting,
                             const std::string& algorithm, std::uint64_t bytes) {
  const HardwareSpec& hardware = runner.hardware();
  CollectiveRun run{algorithm, bytes, {}, 0, {}, 0, 0};
  CollectiveLowering lowering;
  lowering.request = {setting.kind, setting.group.width, setting.group.height, bytes / kElementBytes,
                      setting.root};
  lowering.algorithm = algorithm;
  lowering.pes = PeGroup{{setting.group}}.pes(hardware);
  lowering.piece_bytes = setting.piece_bytes;
  const auto plug_in = CollectiveRegistry::instance().make(to_string(setting.kind) + "/" + algorithm);
  run.refusal = plug_in->refusal(lowering.request);
  if (!run.refusal.empty()) return run;
  const auto collective = lower_collective(hardware, lowering);
  if (!collective) {
    run.refusal = collective.reason().to_string();
    return run;
  }
  RunLimit limit;
  limit.check_order = true;
  const RunOutcome outcome = runner.run(collective->program, limit);
  if (outcome.status != RunStatus::finished)
    throw CommandFailure(kSimulationEnd, fmt::format("{}: {}: {}", collective->program.name,
                                                     to_string(outcome.status), outcome.reason));
  check_values(*collective, lowering.request, hardware, setting.seed, outcome.measurement);
  const double width = hardware.nocs[setting.group.noc.value()].link_width_bytes;
  run.cycles = outcome.measurement.cycles;
  run.traffic = traffic_of(plug_in->messages(lowering.request));
  run.least_cycles = least_elements(lowering.request) * kElementBytes / width;
  run.algorithm_least_cycles =
      static_cast<double>(std::max(run.traffic.most_sent, run.traffic.most_received) * kElementBytes) / width;
  return run;
}

}  // namespace dfsim
