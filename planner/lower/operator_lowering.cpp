#include "planner/lower/operator_lowering.h"

#include <algorithm>
#include <set>

#include "planner/lower/box_cover.h"
#include "sim/base/errors.h"

namespace dfsim {

namespace {

/// Parameters of at most this size are brought whole at the first tile instead of tile by tile: a packet is 2
/// KiB anyway.
constexpr std::uint64_t kWholeParameterBytes = 16 * 1024;

}  // namespace

OperatorLowering::OperatorLowering(LoweringState& state, const OperatorScope& scope,
                                   const OperatorMapping& mapping)
    : state_(state),
      scope_(scope),
      mapping_(mapping),
      op_(state.graph.op(scope.op)),
      kind_(kind_of(op_)),
      outputs_(mapping.parts.size()),
      sums_(mapping.parts.size()) {
  plan_fetches();
}

void OperatorLowering::plan_fetches() {
  for (const MappedPart& part : mapping_.parts) {
    std::vector<std::vector<Box>>& inputs = fetches_.emplace_back(op_.inputs.size());
    for (std::size_t input = 0; input < op_.inputs.size(); ++input)
      for (std::size_t tile = 0; tile < part.tiles.size(); ++tile)
        inputs[input].push_back(fetch_box(part, input, tile));
  }
}

Box OperatorLowering::fetch_box(const MappedPart& part, std::size_t input, std::size_t tile) const {
  const Tensor& tensor = state_.graph.tensor(op_.inputs[input]);
  const Box whole = kind_.input_box(state_.graph, scope_.op, input, part.block);
  if (tensor.role == TensorRole::weight)
    return whole.elements() * bytes_of(tensor.type).count() <= kWholeParameterBytes
               ? whole
               : kind_.input_box(state_.graph, scope_.op, input, part.tiles[tile]);
  // A tiled reduction streams its inputs through; else everything a PE reads of an activation is brought at
  // once.
  return mapping_.reduction_tiled ? kind_.input_box(state_.graph, scope_.op, input, part.tiles[tile]) : whole;
}

bool OperatorLowering::needed_at(std::size_t input, const MappedPart& part, std::size_t tile) const {
  const Tensor& tensor = state_.graph.tensor(op_.inputs[input]);
  if (tensor.role == TensorRole::embedding) return false;
  const bool late = input >= kFirstLateInput && tensor.role == TensorRole::weight;
  return !late || part.completes[tile];
}

DemandContext OperatorLowering::context(bool streamed) const {
  DemandContext context;
  context.op = scope_.op;
  context.group = scope_.group;
  context.samples = state_.samples;
  context.streamed = streamed;
  return context;
}

std::vector<Demand> OperatorLowering::demands_of(std::size_t tile) const {
  std::vector<Demand> demands;
  for (std::size_t number = 0; number < mapping_.parts.size(); ++number) {
    const MappedPart& part = mapping_.parts[number];
    if (tile >= part.tiles.size()) continue;
    for (std::size_t input = 0; input < op_.inputs.size(); ++input) {
      const Box& box = fetches_[number][input][tile];
      if (needed_at(input, part, tile) && !box.empty()) demands.push_back({op_.inputs[input], box, part.pe});
    }
  }
  return demands;
}

void OperatorLowering::write_prologue() {
  for (std::size_t tile = 0; tile < mapping_.most_tiles; ++tile) {
    std::vector<Demand> demands = demands_of(tile);
    std::erase_if(demands, [&](const Demand& demand) {
      return state_.graph.tensor(demand.tensor).role != TensorRole::weight;
    });
    DemandContext for_good = context(false);
    for_good.resident = true;
    state_.reslicing.serve(std::move(demands), for_good);
  }
}

void OperatorLowering::write_tile(std::size_t tile) {
  state_.reslicing.serve(demands_of(tile), context(mapping_.reduction_tiled));
  if (tile == 0) place_outputs();
  for (std::uint32_t part = 0; part < mapping_.parts.size(); ++part)
    if (tile < mapping_.parts[part].tiles.size()) compute_tile(part, tile);
  if (mapping_.reduction_split)
    for (std::uint32_t part = 0; part < mapping_.parts.size(); ++part)
      if (tile < mapping_.parts[part].tiles.size() && mapping_.parts[part].completes[tile])
        exchange_partial_sums(part, tile);
  release_used(tile);
}

void OperatorLowering::end() {
  for (const auto& [pe, micro_tensor] : taken_over_) state_.table.drop(op_.inputs[0], pe, micro_tensor);
}

void OperatorLowering::place_outputs() {
  const bool gathers = std::any_of(op_.inputs.begin(), op_.inputs.end(), [&](TensorId id) {
    return state_.graph.tensor(id).role == TensorRole::embedding;
  });
  for (std::uint32_t number = 0; number < mapping_.parts.size(); ++number) {
    const MappedPart& part = mapping_.parts[number];
    for (std::size_t output = 0; output < op_.outputs.size(); ++output) {
      const TensorId tensor = op_.outputs[output];
      const Box box = share_of_reduction(kind_.output_box(state_.graph, scope_.op, output, part.block),
                                         part.share, static_cast<std::uint32_t>(part.partners.size()));
      PeBuilder& pe = state_.writer.pe(part.pe);
      std::optional<std::uint32_t> place;
      if (kind_.in_place() && scope_.input_dies && output == 0) {
        const std::vector<Copy>& copies = state_.table.at(op_.inputs[0], part.pe);
        const bool same_type = state_.graph.tensor(op_.inputs[0]).type == state_.graph.tensor(tensor).type;
        if (copies.size() == 1 && copies[0].box == box && same_type &&
            !pe.micro_tensor(copies[0].micro_tensor).resident && !pe.reserved(copies[0].micro_tensor)) {
          place = pe.take_over(copies[0].micro_tensor, state_.writer.tensor(tensor));
          taken_over_.emplace_back(part.pe, copies[0].micro_tensor);
        }
      }
      if (!place)
        place = pe.allocate(state_.writer.tensor(tensor), box, state_.writer.bytes(tensor, box, false),
                            gathers ? pe.ahead_or(Placement::lowest) : Placement::lowest, false, false);
      outputs_[number].push_back(*place);
      if (!box.empty())
        state_.table.add(tensor, {part.pe, *place, box, true, completed_tiles(part, output, box)});
    }
  }
}

/// The parts of an output box in the order in which they are completed; null if tiles do not partition it.
std::shared_ptr<const std::vector<Box>> OperatorLowering::completed_tiles(const MappedPart& part,
                                                                          std::size_t output,
                                                                          const Box& box) const {
  auto tiles = std::make_shared<std::vector<Box>>();
  std::vector<Box> left{box};
  std::uint64_t elements = 0;
  for (std::size_t tile = 0; tile < part.tiles.size(); ++tile) {
    if (!part.completes[tile]) continue;
    const Box done = kind_.output_box(state_.graph, scope_.op, output, part.tiles[tile]).intersection(box);
    if (done.empty()) continue;
    tiles->push_back(done);
    elements += done.elements();
    subtract_from(left, done);
  }
  return left.empty() && elements == box.elements() ? tiles : nullptr;
}

std::vector<Access> OperatorLowering::reads_of(const MappedPart& part, std::size_t tile, std::size_t first,
                                               std::size_t last) const {
  std::vector<Access> reads;
  for (std::size_t input = first; input < std::min(last, op_.inputs.size()); ++input) {
    if (!needed_at(input, part, tile)) continue;
    const Box box = kind_.input_box(state_.graph, scope_.op, input, part.tiles[tile]);
    if (box.empty()) continue;
    std::vector<Box> missing;
    const std::vector<Access> found = state_.table.cover(op_.inputs[input], part.pe, box, missing);
    if (!missing.empty())
      throw SimulationError("lower: operator " + op_.name + " reads " + missing.front().to_string() +
                            " of tensor " + state_.graph.tensor(op_.inputs[input]).name +
                            ", which was not brought");
    reads.insert(reads.end(), found.begin(), found.end());
  }
  return reads;
}

void OperatorLowering::emit(PeId pe, MicroOp op, const std::vector<Access>& reads,
                            const std::vector<Access>& writes) {
  op.op = state_.writer.op(scope_.op);
  computed_[pe].push_back(state_.writer.pe(pe).emit(op, reads, writes, waits_for(pe)));
}

/// Micro-ops at `pe` that bring word of the end of operators with a control edge to this one.
const std::vector<std::uint32_t>& OperatorLowering::waits_for(PeId pe) const {
  static const std::vector<std::uint32_t> nothing;
  const auto after = scope_.after.find(pe);
  return after == scope_.after.end() ? nothing : after->second;
}

void OperatorLowering::compute_tile(std::uint32_t number, std::size_t tile) {
  const Work work = kind_.work(state_.graph, scope_.op, mapping_.parts[number].tiles[tile]);
  switch (work.unit) {
    case WorkUnit::matrix:
      return matmul_tile(number, tile, work);
    case WorkUnit::vector:
      return vector_tile(number, tile, work);
    case WorkUnit::none:
      return gather_rows(number, tile);
  }
}

void OperatorLowering::matmul_tile(std::uint32_t number, std::size_t tile, const Work& work) {
  if (work.matmul.macs() == 0) return;
  const MappedPart& part = mapping_.parts[number];
  PeBuilder& pe = state_.writer.pe(part.pe);
  const TensorId output = op_.outputs[0];
  const Box box = kind_.output_box(state_.graph, scope_.op, 0, part.tiles[tile]);
  const std::uint32_t place = part.output_tile[tile];
  const bool done = part.completes[tile] && !mapping_.reduction_split;
  // More reduction steps than rows of the array: the sums wait in the scratchpad between folds.
  const bool keeps_sums =
      mapping_.reduction_split || mapping_.reduction_tiled || work.matmul.k > state_.hardware.pe.matrix.rows;

  std::vector<Access> reads = reads_of(part, tile, 0, op_.inputs.size());
  std::vector<Access> writes;
  MicroOp op;
  op.kind = MicroOpKind::matmul;
  op.matmul = work.matmul;
  if (keeps_sums) {
    const auto known = sums_[number].find(place);
    if (known == sums_[number].end()) {
      const std::uint32_t sum =
          pe.allocate(state_.writer.tensor(output), box, state_.writer.bytes(output, box, true),
                      Placement::sum, true, false);
      sums_[number][place] = sum;
    } else {
      op.matmul.accumulate = true;
      reads.push_back({known->second, box});
    }
    writes.push_back({sums_[number][place], box});
  }
  if (done) writes.push_back({outputs_[number][0], box});
  emit(part.pe, op, reads, writes);
  if (done && keeps_sums) {
    pe.release(sums_[number][place]);
    sums_[number].erase(place);
  }
}

void OperatorLowering::vector_tile(std::uint32_t number, std::size_t tile, const Work& work) {
  if (work.elements == 0) return;
  const MappedPart& part = mapping_.parts[number];
  MicroOp op;
  op.kind = MicroOpKind::vector;
  op.vector.function = state_.writer.vector_function(work.vector_function);
  op.vector.elements = work.elements;
  std::vector<Access> writes;
  for (std::size_t output = 0; output < op_.outputs.size(); ++output) {
    const Box box = kind_.output_box(state_.graph, scope_.op, output, part.tiles[tile]);
    if (!box.empty()) writes.push_back({outputs_[number][output], box});
  }
  emit(part.pe, op, reads_of(part, tile, 0, op_.inputs.size()), writes);
}

/// Embedding: the row numbers are in a tensor, each row is a piece of the table in DRAM.
// Not modelled: row numbers of real inputs; they are drawn uniformly from the seed, which fixes the addresses
// of the loads.
void OperatorLowering::gather_rows(std::uint32_t number, std::size_t tile) {
  const MappedPart& part = mapping_.parts[number];
  const Box box = kind_.output_box(state_.graph, scope_.op, 0, part.tiles[tile]);
  if (box.empty()) return;
  const auto table = std::find_if(op_.inputs.begin(), op_.inputs.end(), [&](TensorId id) {
    return state_.graph.tensor(id).role == TensorRole::embedding;
  });
  if (table == op_.inputs.end())
    throw SimulationError("lower: operator " + op_.name + " has no unit and no table");
  const Tensor& rows = state_.graph.tensor(*table);
  const auto row_bytes = static_cast<std::uint32_t>(rows.bytes() / rows.shape[0]);
  std::vector<PortId> ports = state_.writer.homes().ports_of(*scope_.group);
  std::erase_if(ports, [&](PortId port) {
    return state_.hardware.memory[port.value()].noc != state_.hardware.pes[part.pe.value()].noc;
  });
  std::vector<DramSegment> segments;
  const std::uint32_t per_sample = state_.graph.tensor(op_.outputs[0]).shape[0];
  for (std::uint32_t s = 0; s < box.extent[0]; ++s)
    for (std::uint32_t r = 0; r < box.extent[1]; ++r) {
      const std::uint64_t position = std::uint64_t{box.offset[0] + s} * per_sample + box.offset[1] + r;
      Rng rng(state_.seed, (std::uint64_t{scope_.op.value()} << 40) + position);
      segments.push_back(state_.writer.homes().table_row(
          *table, rows.shape[0], row_bytes, static_cast<std::uint32_t>(rng.below(rows.shape[0])), ports));
    }
  computed_[part.pe].push_back(state_.writer.load(
      part.pe, segments, reads_of(part, tile, 0, op_.inputs.size()), {outputs_[number][0], box},
      {"load", "gather", "memory", *table, scope_.op}, scope_.op, waits_for(part.pe)));
}

/// Gives back weights, and streamed inputs, that no later tile of this operator reads.
void OperatorLowering::release_used(std::size_t tile) {
  for (std::size_t number = 0; number < mapping_.parts.size(); ++number) {
    const MappedPart& part = mapping_.parts[number];
    for (std::size_t input = 0; input < op_.inputs.size(); ++input) {
      const Tensor& tensor = state_.graph.tensor(op_.inputs[input]);
      const bool weight = tensor.role == TensorRole::weight;
      // Partners of a split reduction may finish at different tiles; the last one brings on the bias.
      const bool kept = mapping_.reduction_split && weight && input >= kFirstLateInput;
      if (kept ? tile + 1 < mapping_.most_tiles : tile >= part.tiles.size()) continue;
      if (tensor.role == TensorRole::embedding || (weight && scope_.weights_resident) ||
          (!weight && !(mapping_.reduction_tiled && scope_.input_dies)))
        continue;
      const std::vector<Box>& fetches = fetches_[number][input];
      const auto later = fetches.begin() + static_cast<std::ptrdiff_t>(std::min(tile + 1, part.tiles.size()));
      state_.table.release_at(op_.inputs[input], part.pe, state_.writer, [&](const Copy& copy) {
        if (copy.owner) return false;
        return std::none_of(later, fetches.end(),
                            [&](const Box& box) { return !box.intersection(copy.box).empty(); });
      });
    }
  }
}

}  // namespace dfsim
