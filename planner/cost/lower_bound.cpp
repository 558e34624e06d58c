#include "planner/cost/lower_bound.h"

#include <algorithm>
#include <cmath>
#include <set>

#include "planner/lower/dram_homes.h"
#include "planner/lower/mapping.h"
#include "planner/plan/splits.h"

namespace dfsim {

namespace {

constexpr std::uint64_t kPartialSumBytes = 4;

/// What one PE has to do in one period.
struct PeLoad {
  UnitCycles units;
  std::uint64_t weight_bytes = 0;
  std::uint64_t other_bytes = 0;  ///< partial sums and what other PEs own
};

/// Whole cycles that are certain, in spite of rounding in sums of doubles.
std::uint64_t certain(double cycles) {
  return cycles <= 0 ? 0 : static_cast<std::uint64_t>(std::ceil(cycles * (1 - 1e-9) - 1e-6));
}

void add(UnitCycles& sum, const UnitCycles& more) {
  sum.matrix += more.matrix;
  sum.vector += more.vector;
}

/// Collects what the operators of a stage ask of every PE.
class StageLoad {
 public:
  StageLoad(const Graph& graph, const HardwareSpec& hardware, const Stage& stage, std::uint32_t samples)
      : graph_(graph), hardware_(hardware), stage_(stage) {
    const std::uint32_t count = std::clamp<std::uint32_t>(stage.strategy.sub_batches, 1, samples);
    for (std::uint32_t i = 0; i < count; ++i) {
      const std::uint32_t first = samples * i / count, end = samples * (i + 1) / count;
      add_sub_batch(first, end - first, !stage.strategy.weights_resident || i == 0);
    }
  }
  const std::map<PeId, PeLoad>& pes() const { return pes_; }

 private:
  using Arriving = std::map<std::pair<PeId, TensorId>, std::uint64_t>;

  // Copies stay until every consumer has read them, so what several operators read of one tensor is counted
  // once.
  void add_sub_batch(std::uint32_t first, std::uint32_t samples, bool loads_weights) {
    std::map<OpId, Layout> layouts;
    Arriving moved, weights;
    for (std::size_t index = 0; index < stage_.operators.size(); ++index) {
      const OpId op = stage_.operators[index];
      const OperatorCandidate& candidate = stage_.strategy.operators[index];
      const OperatorMapping mapping =
          map_operator(graph_, hardware_, op, stage_.group, candidate, first, samples);
      for (const MappedPart& part : mapping.parts) add_part(op, mapping, part);
      layouts.emplace(op, layout_of(graph_, hardware_, op, stage_.group, candidate, first, samples));
      gather(layouts, op, moved);
      if (loads_weights) load_weights(layouts.at(op), weights);
    }
    for (const auto& [where, bytes] : moved) pes_[where.first].other_bytes += bytes;
    for (const auto& [where, bytes] : weights) pes_[where.first].weight_bytes += bytes;
  }

  void load_weights(const Layout& layout, Arriving& weights) const {
    const Operator& node = graph_.op(layout.op);
    for (std::size_t input = 0; input < node.inputs.size(); ++input) {
      const Tensor& tensor = graph_.tensor(node.inputs[input]);
      if (tensor.role != TensorRole::weight) continue;
      for (const LayoutPart& part : layout.parts) {
        std::uint64_t& bytes = weights[{part.pe, node.inputs[input]}];
        bytes = std::max(bytes, part.inputs[input].elements() * bytes_of(tensor.type).count());
      }
    }
  }

  void add_part(OpId op, const OperatorMapping& mapping, const MappedPart& part) {
    const OperatorKind& kind = kind_of(graph_.op(op));
    PeLoad& load = pes_[part.pe];
    for (const Box& tile : part.tiles)
      add(load.units, unit_cycles(hardware_.pe, kind.work(graph_, op, tile)));
    if (mapping.reduction_split) add_partial_sums(op, part, load);
  }

  /// The owner of a share of split sums receives the other PEs' sums of it and adds them on its vector unit.
  void add_partial_sums(OpId op, const MappedPart& part, PeLoad& load) {
    const auto partners = static_cast<std::uint32_t>(part.partners.size());
    if (partners < 2) return;
    const Box box = kind_of(graph_.op(op)).output_box(graph_, op, 0, part.block);
    const std::uint64_t sums = share_of_reduction(box, part.share, partners).elements() * (partners - 1);
    load.other_bytes += sums * kPartialSumBytes;
    Work adding;
    adding.unit = WorkUnit::vector;
    adding.vector_function = "accumulate";
    adding.elements = sums;
    add(load.units, unit_cycles(hardware_.pe, adding));
  }

  void gather(const std::map<OpId, Layout>& layouts, OpId op, Arriving& moved) const {
    const Layout& reader = layouts.at(op);
    const Operator& node = graph_.op(op);
    std::set<OpId> producers;
    for (const TensorId input : node.inputs)
      if (const auto& producer = graph_.tensor(input).producer; producer && layouts.contains(*producer))
        producers.insert(*producer);
    for (const OpId producer : producers) {
      const Layout& owner = layouts.at(producer);
      for (std::size_t output = 0; output < graph_.op(producer).outputs.size(); ++output) {
        const TensorId tensor = graph_.op(producer).outputs[output];
        const std::uint64_t element = bytes_of(graph_.tensor(tensor).type).count();
        for (std::size_t input = 0; input < node.inputs.size(); ++input) {
          if (node.inputs[input] != tensor) continue;
          for (const LayoutPart& part : reader.parts) {
            const LayoutPart* own = owner.at(part.pe);
            const Box& box = part.inputs[input];
            const std::uint64_t local = own ? box.intersection(own->outputs[output]).elements() : 0;
            std::uint64_t& bytes = moved[{part.pe, tensor}];
            bytes = std::max(bytes, (box.elements() - local) * element);
          }
        }
      }
    }
  }

  const Graph& graph_;
  const HardwareSpec& hardware_;
  const Stage& stage_;
  std::map<PeId, PeLoad> pes_;
};

}  // namespace

UnitCycles unit_cycles(const PeSpec& pe, const Work& work) {
  UnitCycles cycles;
  if (work.unit == WorkUnit::vector) {
    const auto known = pe.vector.cycles_per_group.find(work.vector_function);
    if (known != pe.vector.cycles_per_group.end())
      cycles.vector =
          static_cast<double>(ceil_div<std::uint64_t>(work.elements, std::max(1u, pe.vector.lanes))) *
          known->second;
  }
  if (work.unit != WorkUnit::matrix || work.matmul.macs() == 0) return cycles;
  const MatrixUnitSpec& unit = pe.matrix;
  const std::uint64_t m = work.matmul.m, n = work.matmul.n, k = work.matmul.k;
  const std::uint64_t rows = unit.rows, columns = unit.columns;
  std::uint64_t folds = 0, streamed = 0;
  switch (unit.dataflow) {
    case Dataflow::output_stationary:
      folds = ceil_div(m, rows) * ceil_div(n, columns), streamed = k;
      break;
    case Dataflow::weight_stationary:
      folds = ceil_div(k, rows) * ceil_div(n, columns), streamed = m;
      break;
    case Dataflow::input_stationary:
      folds = ceil_div(k, rows) * ceil_div(m, columns), streamed = n;
      break;
  }
  const bool loads = unit.dataflow != Dataflow::output_stationary;
  const std::uint64_t step = unit.folds == FoldMode::pipelined
                                 ? std::max(streamed, rows)
                                 : streamed + rows + columns - 2 + (loads ? rows : 0);
  const auto factor = unit.cycles_per_step.find(work.matmul.type);
  cycles.matrix = static_cast<double>(work.matmul.count * folds * step) *
                  (factor == unit.cycles_per_step.end() ? 1.0 : factor->second);
  return cycles;
}

std::uint64_t weight_bytes(const Graph& graph, OpId op, const Box& block) {
  const Operator& node = graph.op(op);
  std::uint64_t bytes = 0;
  for (std::size_t input = 0; input < node.inputs.size(); ++input) {
    const Tensor& tensor = graph.tensor(node.inputs[input]);
    if (tensor.role != TensorRole::weight) continue;
    if (std::find(node.inputs.begin(), node.inputs.begin() + static_cast<std::ptrdiff_t>(input),
                  node.inputs[input]) != node.inputs.begin() + static_cast<std::ptrdiff_t>(input))
      continue;
    bytes += kind_of(node).input_box(graph, op, input, block).elements() * bytes_of(tensor.type).count();
  }
  return bytes;
}

LowerBounds::LowerBounds(const Graph& graph, const HardwareSpec& hardware, std::uint32_t samples)
    : graph_(graph), hardware_(hardware), samples_(samples) {}

double LowerBounds::dram_bytes_per_cycle(const PeGroup& group) const {
  const double peak = hardware_.peak_dram_bytes_per_cycle();
  // Bridges to the host come last, behind the ports with DRAM.
  const auto end = std::find_if(hardware_.memory.begin(), hardware_.memory.end(),
                                [](const MemoryPortSpec& port) { return port.host_bus.has_value(); });
  if (end == hardware_.memory.begin()) return 0;
  const bool equal = std::all_of(hardware_.memory.begin(), end, [&](const MemoryPortSpec& port) {
    return port.controller == hardware_.memory.front().controller;
  });
  if (!equal) return peak;
  const auto used = DramHomes(hardware_).ports_of(group).size();
  return peak * static_cast<double>(used) / static_cast<double>(end - hardware_.memory.begin());
}

std::uint64_t LowerBounds::link_width(const PeGroup& group) const {
  std::uint64_t width = 1;
  for (const Submesh& submesh : group.submeshes)
    if (submesh.noc.value() < hardware_.nocs.size())
      width = std::max<std::uint64_t>(width, hardware_.nocs[submesh.noc.value()].link_width_bytes);
  return width;
}

std::uint64_t LowerBounds::stage_weight_bytes(const std::vector<OpId>& ops) const {
  std::set<TensorId> weights;
  for (const OpId op : ops)
    for (const TensorId input : graph_.op(op).inputs)
      if (graph_.tensor(input).role == TensorRole::weight) weights.insert(input);
  std::uint64_t bytes = 0;
  for (const TensorId weight : weights) bytes += graph_.tensor(weight).bytes();
  return bytes;
}

StagePrice LowerBounds::stage(const Stage& candidate) const {
  const StageLoad load(graph_, hardware_, candidate, samples_);
  const double width = static_cast<double>(link_width(candidate.group));
  double compute = 0, steady_bytes = 0, first_bytes = 0;
  for (const auto& [pe, work] : load.pes()) {
    compute = std::max({compute, work.units.matrix, work.units.vector});
    const auto weights = static_cast<double>(work.weight_bytes);
    const auto others = static_cast<double>(work.other_bytes);
    first_bytes = std::max(first_bytes, weights + others);
    steady_bytes = std::max(steady_bytes, candidate.strategy.weights_resident ? others : weights + others);
  }
  const double peak = dram_bytes_per_cycle(candidate.group);
  const std::uint32_t loads = candidate.strategy.weights_resident
                                  ? 1
                                  : std::clamp<std::uint32_t>(candidate.strategy.sub_batches, 1, samples_);
  const double dram =
      peak > 0 ? static_cast<double>(loads * stage_weight_bytes(candidate.operators)) / peak : 0;
  const double steady_dram = candidate.strategy.weights_resident ? 0 : dram;
  return {certain(std::max({compute, first_bytes / width, dram})),
          certain(std::max({compute, steady_bytes / width, steady_dram}))};
}

StagePrice LowerBounds::transfer(const MovedBytes& moved) const {
  std::uint64_t width = 1;
  for (const NocSpec& noc : hardware_.nocs) width = std::max<std::uint64_t>(width, noc.link_width_bytes);
  const std::uint64_t cycles = ceil_div(moved.most, width);
  return {cycles, cycles};
}

StagePrice LowerBounds::transfer(const Stage& producer, const Stage& consumer) const {
  const std::uint32_t from_parts = std::clamp<std::uint32_t>(producer.strategy.sub_batches, 1, samples_);
  const std::uint32_t to_parts = std::clamp<std::uint32_t>(consumer.strategy.sub_batches, 1, samples_);
  if (from_parts != 1 || to_parts != 1) return {};  // layouts differ per sub-batch: nothing is claimed
  MovedBytes moved;
  for (std::size_t to = 0; to < consumer.operators.size(); ++to) {
    const Layout reader = layout_of(graph_, hardware_, consumer.operators[to], consumer.group,
                                    consumer.strategy.operators[to], 0, samples_);
    for (std::size_t from = 0; from < producer.operators.size(); ++from) {
      const Layout owner = layout_of(graph_, hardware_, producer.operators[from], producer.group,
                                     producer.strategy.operators[from], 0, samples_);
      const MovedBytes one = moved_bytes(graph_, owner, reader);
      moved.most = std::max(moved.most, one.most);
      moved.total += one.total;
    }
  }
  return transfer(moved);
}

LowerBounds::OperatorBound LowerBounds::best_split(OpId op, std::uint32_t pes) const {
  const auto key = std::make_pair(graph_.signature({op}), pes);
  if (const auto known = best_splits_.find(key); known != best_splits_.end()) return known->second;
  const OperatorKind& kind = kind_of(graph_.op(op));
  const std::vector<Axis> axes = kind.axes(graph_, op, samples_);
  std::vector<std::uint32_t> extents;
  for (const Axis& axis : axes) extents.push_back(axis.splittable ? axis.extent : 1);
  OperatorBound bound;
  bool first = true;
  for (const std::vector<std::uint32_t>& parts : maximal_splits(extents, pes)) {
    Box block;
    block.rank = static_cast<std::uint8_t>(axes.size());
    for (std::size_t axis = 0; axis < axes.size(); ++axis)
      block.extent[axis] = ceil_div(axes[axis].extent, parts[axis]);
    const UnitCycles cycles = unit_cycles(hardware_.pe, kind.work(graph_, op, block));
    bound.busiest.matrix = first ? cycles.matrix : std::min(bound.busiest.matrix, cycles.matrix);
    bound.busiest.vector = first ? cycles.vector : std::min(bound.busiest.vector, cycles.vector);
    first = false;
  }
  return best_splits_.emplace(key, bound).first->second;
}

/// The first part of every axis is the largest, and the first PE of every order of a group is the same for
/// row_major and column_major: so one PE has the largest block of every operator, and blocks add up there.
StagePrice LowerBounds::proposal(const StageProposal& stage) const {
  const std::uint32_t pes = std::max<std::uint32_t>(1, stage.group.size());
  UnitCycles compute;
  for (const OpId op : stage.operators) add(compute, best_split(op, pes).busiest);
  const std::uint64_t weights = stage_weight_bytes(stage.operators);
  const double width = static_cast<double>(link_width(stage.group)) * pes;
  const double peak = dram_bytes_per_cycle(stage.group);
  const double load =
      std::max(static_cast<double>(weights) / width, peak > 0 ? static_cast<double>(weights) / peak : 0);
  // Weights that all scratchpads of the group together cannot hold are loaded in every period.
  const bool may_stay = weights <= std::uint64_t{pes} * hardware_.pe.scratchpad.bytes.count();
  const double work = std::max(compute.matrix, compute.vector);
  return {certain(std::max(work, load)), certain(std::max(work, may_stay ? 0.0 : load))};
}

}  // namespace dfsim
