#include "planner/lower/tile_chain.h"

#include <algorithm>
#include <tuple>

#include "planner/lower/box_cover.h"
#include "planner/ops/operator.h"

namespace dfsim {

namespace {

/// The tile after which all partners of a split reduction have done their share of what `tile` completes.
std::size_t completing_tile(const OperatorMapping& mapping, const MappedPart& part, std::size_t tile) {
  if (part.partners.size() == 1) return tile;
  std::size_t last = tile;
  for (const std::uint32_t partner : part.partners) {
    const std::vector<std::uint32_t>& places = mapping.parts[partner].output_tile;
    for (std::size_t other = last + 1; other < places.size(); ++other)
      if (places[other] == part.output_tile[tile]) last = other;
  }
  return last;
}

}  // namespace

bool TileChain::add(OpId op, const OperatorMapping& mapping) {
  Member member{op, &mapping, {}};
  if (members_.empty()) {
    for (std::size_t tile = 0; tile < mapping.most_tiles; ++tile) member.step.push_back(tile);
  } else {
    if (!may_follow(op, mapping)) return false;
    for (; noted_ < members_.size(); ++noted_) note_outputs(members_[noted_]);
    std::optional<std::vector<std::size_t>> steps = steps_of(op, mapping);
    if (!steps) return false;
    member.step = std::move(*steps);
  }
  members_.push_back(std::move(member));
  return true;
}

/// Tokens of control edges speak of whole operators.
bool TileChain::may_follow(OpId op, const OperatorMapping& mapping) const {
  for (const auto& [before, after] : graph_.control_edges())
    if (before == op || after == op) return false;
  return std::all_of(mapping.parts.begin(), mapping.parts.end(), [&](const MappedPart& part) {
    return kind_of(graph_.op(op)).work(graph_, op, part.block).unit == WorkUnit::vector;
  });
}

/// The step after which `box` of a tensor of the chain is complete at `pe`; 0 for tensors that were complete
/// before the chain; nothing if the PE does not make all of it.
std::optional<std::size_t> TileChain::complete_at(TensorId tensor, PeId pe, const Box& box) const {
  const auto made = completed_.find(tensor);
  if (made == completed_.end() || box.empty()) return 0;
  const auto here = made->second.find(pe);
  if (here == made->second.end()) return std::nullopt;
  std::vector<Box> missing{box};
  for (const Completed& part : here->second) {  // by step
    subtract_from(missing, part.box);
    if (missing.empty()) return part.step;
  }
  return std::nullopt;
}

std::optional<std::vector<std::size_t>> TileChain::steps_of(OpId op, const OperatorMapping& mapping) const {
  const Operator& node = graph_.op(op);
  std::vector<std::size_t> steps(mapping.most_tiles, 0);
  bool reads_chain = false;
  for (const MappedPart& part : mapping.parts)
    for (std::size_t input = 0; input < node.inputs.size(); ++input) {
      const TensorId tensor = node.inputs[input];
      if (!completed_.contains(tensor)) continue;
      reads_chain = true;
      // All of a block's input is brought before its first tile.
      if (!complete_at(tensor, part.pe, kind_of(node).input_box(graph_, op, input, part.block)))
        return std::nullopt;
      for (std::size_t tile = 0; tile < part.tiles.size(); ++tile) {
        const auto step =
            complete_at(tensor, part.pe, kind_of(node).input_box(graph_, op, input, part.tiles[tile]));
        if (!step) return std::nullopt;
        steps[tile] = std::max(steps[tile], *step);
      }
    }
  if (!reads_chain) return std::nullopt;
  for (std::size_t tile = 1; tile < steps.size(); ++tile)
    steps[tile] = std::max(steps[tile], steps[tile - 1]);
  return steps;
}

void TileChain::note_outputs(const Member& member) {
  const OpId op = member.op;
  const Operator& node = graph_.op(op);
  for (const MappedPart& part : member.mapping->parts)
    for (std::size_t output = 0; output < node.outputs.size(); ++output) {
      const Box kept = share_of_reduction(kind_of(node).output_box(graph_, op, output, part.block),
                                          part.share, static_cast<std::uint32_t>(part.partners.size()));
      std::vector<Completed>& list = completed_[node.outputs[output]][part.pe];
      for (std::size_t tile = 0; tile < part.tiles.size(); ++tile) {
        if (!part.completes[tile]) continue;
        const Box done = kind_of(node).output_box(graph_, op, output, part.tiles[tile]).intersection(kept);
        if (done.empty()) continue;
        list.push_back({done, member.step[completing_tile(*member.mapping, part, tile)]});
      }
      std::stable_sort(list.begin(), list.end(),
                       [](const Completed& a, const Completed& b) { return a.step < b.step; });
    }
}

std::vector<TileChain::Tile> TileChain::order() const {
  std::vector<std::tuple<std::size_t, std::size_t, std::size_t>> all;  // step, member, tile
  for (std::size_t member = 0; member < members_.size(); ++member)
    for (std::size_t tile = 0; tile < members_[member].step.size(); ++tile)
      all.emplace_back(members_[member].step[tile], member, tile);
  std::sort(all.begin(), all.end());
  std::vector<Tile> order;
  for (const auto& [step, member, tile] : all) order.push_back({member, tile});
  return order;
}

}  // namespace dfsim
