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

/// How the scratchpads of a PE group are used: the fastest first, the last one needs the least room.
struct Room {
  bool own_places;  ///< for what comes a period ahead
  PlacePolicy policy;
};
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
           const LowerOptions& options, std::map<PeId, ScratchpadSetup> scratchpads)
      : writer(graph, hardware, std::move(scratchpads)),
        reslicing(graph, hardware, writer, table),
        state{graph, hardware, writer, table, reslicing, options.samples, options.seed},
        stages(state, all) {
    for (const Stage& stage : all) writer.add_stage(stage.name, stage.operators);
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

/// Which room each PE group has come down to.
class RoomChoice {
 public:
  RoomChoice(const HardwareSpec& hardware, const std::vector<Stage>& stages) {
    for (const Stage& stage : stages)
      for (const PeId pe : stage.group.pes(hardware)) group_of_.try_emplace(pe, stage.group);
  }

  std::map<PeId, ScratchpadSetup> measuring() const {
    std::map<PeId, ScratchpadSetup> setups;
    for (const auto& [pe, group] : group_of_) setups[pe] = {PlacePolicy::measure, room(group).own_places, {}};
    return setups;
  }
  std::map<PeId, ScratchpadSetup> after(const std::map<PeId, ScratchpadUses>& measured) const {
    std::map<PeId, ScratchpadSetup> setups;
    for (const auto& [pe, group] : group_of_) {
      const auto uses = measured.find(pe);
      setups[pe] = {room(group).policy, room(group).own_places,
                    uses == measured.end() ? ScratchpadUses{} : uses->second};
    }
    return setups;
  }
  /// The next room for the group of `full`; nothing if there is none. True: it has to be measured again.
  std::optional<bool> come_down(PeId full) {
    std::size_t& number = number_[group_of_.at(full)];
    if (++number == std::size(kRooms)) return std::nullopt;
    return kRooms[number].own_places != kRooms[number - 1].own_places;
  }

 private:
  const Room& room(const PeGroup& group) const {
    const auto known = number_.find(group);
    return kRooms[known == number_.end() ? 0 : known->second];
  }

  std::map<PeId, PeGroup> group_of_;
  std::map<PeGroup, std::size_t> number_;  // in kRooms
};

template <class Write>
Result<Program, Infeasible> lower_all(const Graph& graph, const HardwareSpec& hardware,
                                      const std::vector<Stage>& stages, const LowerOptions& options,
                                      const std::string& name, const Write& write) {
  for (const Stage& stage : stages)
    if (auto problem = too_many_parts(graph, hardware, stage, options.samples)) return *problem;
  RoomChoice rooms(hardware, stages);
  std::map<PeId, ScratchpadUses> measured;
  for (std::optional<bool> again = true;;) {
    if (*again) {
      Workshop measuring(graph, hardware, stages, options, rooms.measuring());
      write(measuring.stages, measuring.writer);
      measured = measuring.writer.scratchpad_uses();
    }
    Workshop workshop(graph, hardware, stages, options, rooms.after(measured));
    try {
      write(workshop.stages, workshop.writer);
      return workshop.writer.finish(name, options.samples, options.periods);
    } catch (const ScratchpadFull& full) {
      again = rooms.come_down(full.pe);
      if (again) continue;
      const std::string& writing = workshop.stages.writing().empty() ? name : workshop.stages.writing();
      return Infeasible{
          fmt::format("stage {}: a micro-tensor in the scratchpad of {} (largest free piece {} of {} bytes)",
                      writing, pe_name(hardware, full.pe), full.free, hardware.pe.scratchpad.bytes.count()),
          full.demand, full.free, "bytes", "cut into more tiles, more sub-batches or a larger group"};
    }
  }
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
