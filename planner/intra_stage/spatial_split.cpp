#include "planner/intra_stage/spatial_split.h"

#include <algorithm>
#include <map>
#include <numeric>

#include "planner/cost/lower_bound.h"
#include "planner/plan/splits.h"

namespace dfsim {

namespace {

constexpr double kPartialSumBytes = 4;
constexpr double kHiddenTraffic = 0.85;
/// Biases and norm parameters: too small to count as copies.
constexpr std::uint64_t kSmallWeightBytes = 16 * 1024;

std::uint32_t parts_of_role(const std::vector<Axis>& axes, const std::vector<std::uint32_t>& parts,
                            AxisRole role) {
  std::uint32_t product = 1;
  for (std::size_t axis = 0; axis < axes.size(); ++axis)
    if (axes[axis].role == role) product *= parts[axis];
  return product;
}

/// Transfers with some slack behind the work: then other things than traffic decide.
bool hidden(const SpatialSplit& split) { return split.traffic() <= kHiddenTraffic * split.unit_cycles; }

/// Bit per role of which an axis is cut.
std::uint32_t pattern(const std::vector<Axis>& axes, const std::vector<std::uint32_t>& parts) {
  std::uint32_t bits = 0;
  for (std::size_t axis = 0; axis < axes.size(); ++axis)
    if (parts[axis] > 1) bits |= 1u << static_cast<unsigned>(axes[axis].role);
  return bits;
}

/// Bytes of activations that a block reads. What several operators read is brought once for all of them.
double activation_bytes(const Graph& graph, OpId op, const Box& block) {
  const Operator& node = graph.op(op);
  double bytes = 0;
  for (std::size_t input = 0; input < node.inputs.size(); ++input) {
    const Tensor& tensor = graph.tensor(node.inputs[input]);
    if (!tensor.has_samples()) continue;
    const std::uint64_t read =
        kind_of(node).input_box(graph, op, input, block).elements() * bytes_of(tensor.type).count();
    bytes +=
        static_cast<double>(read) / static_cast<double>(std::max<std::size_t>(1, tensor.consumers.size()));
  }
  return bytes;
}

Box largest_block(const std::vector<Axis>& axes, const std::vector<std::uint32_t>& parts) {
  Box block;
  block.rank = static_cast<std::uint8_t>(axes.size());
  for (std::size_t axis = 0; axis < axes.size(); ++axis)
    block.extent[axis] = ceil_div(axes[axis].extent, parts[axis]);
  return block;
}

SpatialSplit rate(const Graph& graph, const HardwareSpec& hardware, const SplitRequest& request,
                  const std::vector<Axis>& axes, const std::vector<std::uint32_t>& parts,
                  double all_input_bytes) {
  const OperatorKind& kind = kind_of(graph.op(request.op));
  const double width = std::max(1u, request.link_width_bytes);
  SpatialSplit split;
  split.parts = parts;
  split.block = largest_block(axes, parts);
  split.block_elements = split.block.elements();
  const UnitCycles units = unit_cycles(hardware.pe, kind.work(graph, request.op, split.block));
  split.unit_cycles = std::max(units.matrix, units.vector);
  if (!request.weights_resident)
    split.weight_cycles = static_cast<double>(weight_bytes(graph, request.op, split.block)) / width;
  const std::uint32_t partners = parts_of_role(axes, parts, AxisRole::reduction);
  const double outputs = static_cast<double>(kind.output_box(graph, request.op, 0, split.block).elements());
  split.sum_cycles = kPartialSumBytes * outputs * (partners - 1) / partners / width;
  const double inputs = activation_bytes(graph, request.op, split.block);
  split.input_cycles = std::max(0.0, inputs - all_input_bytes / request.pes) / width;
  return split;
}

std::vector<Axis> axes_of(const Graph& graph, const SplitRequest& request) {
  return kind_of(graph.op(request.op)).axes(graph, request.op, request.samples);
}

double whole_input_bytes(const Graph& graph, const SplitRequest& request, const std::vector<Axis>& axes) {
  const Box whole = largest_block(axes, std::vector<std::uint32_t>(axes.size(), 1));
  return activation_bytes(graph, request.op, whole);
}

}  // namespace

SpatialSplit rate_split(const Graph& graph, const HardwareSpec& hardware, const SplitRequest& request,
                        const std::vector<std::uint32_t>& parts) {
  const std::vector<Axis> axes = axes_of(graph, request);
  return rate(graph, hardware, request, axes, parts, whole_input_bytes(graph, request, axes));
}

std::vector<SpatialSplit> rated_splits(const Graph& graph, const HardwareSpec& hardware,
                                       const SplitRequest& request) {
  const std::vector<Axis> axes = axes_of(graph, request);
  std::vector<std::uint32_t> extents;
  for (const Axis& axis : axes) extents.push_back(axis.splittable ? axis.extent : 1);
  const double all_inputs = whole_input_bytes(graph, request, axes);
  std::vector<SpatialSplit> result;
  const Box whole = largest_block(axes, std::vector<std::uint32_t>(axes.size(), 1));
  const double most_weights = request.most_weight_copies / std::max(1u, request.pes) *
                              static_cast<double>(weight_bytes(graph, request.op, whole));
  for_each_split(extents, request.pes, [&](const std::vector<std::uint32_t>& parts) {
    SpatialSplit split = rate(graph, hardware, request, axes, parts, all_inputs);
    const std::uint64_t weights = weight_bytes(graph, request.op, split.block);
    if (request.most_weight_copies > 0 && weights > kSmallWeightBytes &&
        static_cast<double>(weights) > most_weights)
      return;
    result.push_back(std::move(split));
  });
  return result;
}

std::vector<SpatialSplit> best_by_pattern(const std::vector<Axis>& axes,
                                          const std::vector<SpatialSplit>& splits, std::size_t most,
                                          double factor) {
  const auto better = [&](const SpatialSplit& a, const SpatialSplit& b) {
    if (a.score() != b.score()) return a.score() < b.score();
    if (hidden(a) != hidden(b)) return hidden(a);
    if (a.parts[0] != b.parts[0]) return a.parts[0] > b.parts[0];
    if (a.traffic() != b.traffic()) return a.traffic() < b.traffic();
    const std::uint32_t ka = parts_of_role(axes, a.parts, AxisRole::reduction);
    const std::uint32_t kb = parts_of_role(axes, b.parts, AxisRole::reduction);
    return ka != kb ? ka < kb : a.parts < b.parts;
  };
  std::map<std::uint32_t, const SpatialSplit*> best;
  for (const SpatialSplit& split : splits) {
    const SpatialSplit*& leader = best[pattern(axes, split.parts)];
    if (!leader || better(split, *leader)) leader = &split;
  }
  std::vector<SpatialSplit> result;
  for (const auto& [bits, split] : best) result.push_back(*split);
  std::sort(result.begin(), result.end(), better);
  if (!result.empty()) {
    const double limit = result.front().score() * factor;
    std::erase_if(result, [&](const SpatialSplit& split) { return split.score() > limit; });
  }
  if (result.size() > most) result.resize(most);
  return result;
}

std::vector<SpatialSplit> best_by_work(const std::vector<SpatialSplit>& splits, std::size_t most,
                                       double factor) {
  std::vector<SpatialSplit> result = splits;
  const auto work = [](const SpatialSplit& split) { return split.unit_cycles; };
  std::stable_sort(result.begin(), result.end(), [&](const SpatialSplit& a, const SpatialSplit& b) {
    if (work(a) != work(b)) return work(a) < work(b);
    return a.block_elements < b.block_elements;
  });
  if (!result.empty()) {
    const double limit = work(result.front()) * factor;
    const double most_elements = static_cast<double>(result.front().block_elements) * factor;
    std::erase_if(result, [&](const SpatialSplit& split) {
      return work(split) > limit || static_cast<double>(split.block_elements) > most_elements;
    });
  }
  if (result.size() > most) result.resize(most);
  return result;
}

std::vector<std::uint32_t> default_nesting(const std::vector<Axis>& axes) {
  std::vector<std::uint32_t> nesting(axes.size());
  std::iota(nesting.begin(), nesting.end(), 0u);
  std::stable_sort(nesting.begin(), nesting.end(),
                   [&](std::uint32_t a, std::uint32_t b) { return axes[a].role < axes[b].role; });
  return nesting;
}

std::vector<OperatorCandidate> arrangements(const std::vector<Axis>& axes,
                                            const std::vector<std::uint32_t>& parts, const PeGroup& group,
                                            bool all_nestings) {
  std::vector<std::uint32_t> cut, whole;  // cut axes slowest to fastest; the others cost nothing anywhere
  for (const std::uint32_t axis : default_nesting(axes)) (parts[axis] > 1 ? cut : whole).push_back(axis);
  std::vector<std::vector<std::uint32_t>> nestings{cut};
  if (all_nestings && cut.size() > 1) {
    std::vector<std::uint32_t> rotated = cut;
    std::rotate(rotated.begin(), rotated.begin() + 1, rotated.end());
    nestings.push_back(rotated);
    if (cut.size() > 2) {
      std::vector<std::uint32_t> swapped = cut;
      std::swap(swapped[cut.size() - 1], swapped[cut.size() - 2]);
      nestings.push_back(swapped);
    }
  }
  const bool two_dimensional =
      group.submeshes.size() == 1 && group.submeshes.front().width > 1 && group.submeshes.front().height > 1;
  std::vector<OperatorCandidate> result;
  for (const std::vector<std::uint32_t>& nesting : nestings)
    for (const PeOrder order : {PeOrder::row_major, PeOrder::column_major}) {
      if (order == PeOrder::column_major && (!two_dimensional || cut.empty())) continue;
      OperatorCandidate candidate;
      candidate.spatial = parts;
      candidate.temporal.assign(axes.size(), 1);
      candidate.nesting = whole;
      candidate.nesting.insert(candidate.nesting.end(), nesting.begin(), nesting.end());
      candidate.order = order;
      result.push_back(std::move(candidate));
    }
  return result;
}

}  // namespace dfsim
