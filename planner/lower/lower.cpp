#include "planner/lower/lower.h"

#include <fmt/format.h>

#include <numeric>

#include "planner/lower/mapping.h"
#include "planner/lower/operator_lowering.h"
#include "planner/lower/program_writer.h"
#include "planner/lower/reslicing.h"
#include "planner/lower/stage_lowering.h"
#include "planner/lower/tensor_table.h"

namespace dfsim {

namespace {

std::string pe_name(const HardwareSpec& hardware, PeId id) {
  const PePlace& place = hardware.pes[id.value()];
  return fmt::format("chip{}.pe_{}_{}", place.noc.value(), place.x, place.y);
}

/// How the scratchpads are used.
struct Room {
  bool own_places;  ///< for what comes a period ahead
  PlacePolicy policy;
};

/// The fastest first; the last one needs the least room.
constexpr Room kRooms[] = {{true, PlacePolicy::foreseen},
                           {true, PlacePolicy::packed},
                           {false, PlacePolicy::foreseen},
                           {false, PlacePolicy::packed}};

/// Everything a program is written with, wired up.
struct Workshop {
  ProgramWriter writer;
  TensorTable table;
  Reslicing reslicing;
  LoweringState state;
  StageLowering stages;

  Workshop(const Graph& graph, const HardwareSpec& hardware, const std::vector<Stage>& all,
           const LowerOptions& options, const Room& room, ScratchpadsInUse foreseen = {})
      : writer(graph, hardware, room.policy, std::move(foreseen)),
        reslicing(graph, hardware, writer, table),
        state{graph, hardware, writer, table, reslicing, options.samples, options.seed, room.own_places},
        stages(state, all) {
    for (const Stage& stage : all) writer.add_stage(stage.name, stage.operators);
    reslicing.keep_input_places(room.own_places);
  }
};

std::optional<Infeasible> too_many_parts(const Graph& graph, const HardwareSpec& hardware, const Stage& stage,
                                         std::uint32_t samples) {
  const auto pes = static_cast<std::uint32_t>(stage.group.pes(hardware).size());
  for (std::size_t i = 0; i < stage.operators.size(); ++i) {
    const Operator& op = graph.op(stage.operators[i]);
    std::uint64_t parts = 1;
    const std::vector<Axis> axes = kind_of(op).axes(graph, stage.operators[i], samples);
    const OperatorCandidate& candidate = stage.strategy.operators[i];
    for (std::size_t a = 0; a < axes.size() && a < candidate.spatial.size(); ++a)
      if (axes[a].splittable) parts *= std::clamp<std::uint32_t>(candidate.spatial[a], 1, axes[a].extent);
    if (parts > pes)
      return Infeasible{fmt::format("stage {}, operator {}: spatial parts", stage.name, op.name), parts, pes,
                        "PEs", "use fewer parts or a larger group"};
  }
  return std::nullopt;
}

template <class Write>
Result<Program, Infeasible> lower_all(const Graph& graph, const HardwareSpec& hardware,
                                      const std::vector<Stage>& stages, const LowerOptions& options,
                                      const std::string& name, const Write& write) {
  for (const Stage& stage : stages)
    if (auto problem = too_many_parts(graph, hardware, stage, options.samples)) return *problem;
  Infeasible full_scratchpad;
  for (const Room& room : kRooms) {
    ScratchpadsInUse foreseen;
    if (room.policy == PlacePolicy::foreseen) {
      Workshop measuring(graph, hardware, stages, options, {room.own_places, PlacePolicy::measure});
      write(measuring.stages, measuring.writer);
      foreseen = measuring.writer.scratchpads_in_use();
    }
    Workshop workshop(graph, hardware, stages, options, room, std::move(foreseen));
    try {
      write(workshop.stages, workshop.writer);
      return workshop.writer.finish(name, options.samples, options.periods);
    } catch (const ScratchpadFull& full) {
      const std::string& writing = workshop.stages.writing().empty() ? name : workshop.stages.writing();
      full_scratchpad = {
          fmt::format("stage {}: a micro-tensor in the scratchpad of {} (largest free piece {} of {} bytes)",
                      writing, pe_name(hardware, full.pe), full.free, hardware.pe.scratchpad.bytes.count()),
          full.demand, full.free, "bytes", "cut into more tiles, more sub-batches or a larger group"};
    }
  }
  return full_scratchpad;
}

}  // namespace

Result<Program, Infeasible> lower_plan(const Graph& graph, const HardwareSpec& hardware, const Plan& plan,
                                       const LowerOptions& options) {
  return lower_all(graph, hardware, plan.stages, options, graph.name,
                   [](StageLowering& stages, ProgramWriter& writer) {
                     stages.write_prologue();
                     writer.end_prologue();
                     stages.write_all();
                   });
}

Result<Program, Infeasible> lower_stage(const Graph& graph, const HardwareSpec& hardware, const Stage& stage,
                                        const LowerOptions& options) {
  const bool one_operator = stage.operators.size() == 1;
  return lower_all(graph, hardware, {stage}, options, stage.name,
                   [one_operator](StageLowering& stages, ProgramWriter& writer) {
                     stages.write_prologue();
                     writer.end_prologue();
                     one_operator ? stages.write_operator_alone() : stages.write_alone();
                   });
}

Result<Program, Infeasible> lower_transfer(const Graph& graph, const HardwareSpec& hardware,
                                           const Stage& producer, const Stage& consumer,
                                           const LowerOptions& options) {
  return lower_all(
      graph, hardware, {producer, consumer}, options, producer.name + " to " + consumer.name,
      [&](StageLowering& stages, ProgramWriter&) { stages.write_transfers(producer, consumer); });
}

}  // namespace dfsim
