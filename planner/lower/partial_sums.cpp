// What follows a split of the reduction: the partners' partial sums become shares of the whole sum.
#include <algorithm>

#include "planner/lower/operator_lowering.h"
#include "sim/base/errors.h"

namespace dfsim {

namespace {

/// From so many partners on partial sums are added up on the way; few send them to their owners directly.
constexpr std::size_t kTreePartners = 5;

}  // namespace

/// Each partner keeps a share of the sum. On its way there a share is added up along a tree, so that it
/// crosses every link once and not once for each partner behind it.
void OperatorLowering::exchange_partial_sums(std::uint32_t number, std::size_t tile) {
  const MappedPart& part = mapping_.parts[number];
  const std::uint32_t place = part.output_tile[tile];
  if (++complete_[{part.partners.front(), place}] < part.partners.size()) return;
  const Box box = kind_.output_box(state_.graph, scope_.op, 0, part.tiles[tile]);
  std::vector<Reduction> reductions;
  std::uint32_t deepest = 0;
  for (const std::uint32_t owner : part.partners) {
    const Box kept =
        state_.writer.pe(mapping_.parts[owner].pe).micro_tensor(outputs_[owner][0]).box.intersection(box);
    if (kept.empty()) continue;
    const std::vector<TreeNode>& tree = reduction_tree(owner);
    reductions.push_back({owner, kept, tree, std::vector<std::vector<Access>>(tree.size())});
    for (const TreeNode& node : tree) deepest = std::max(deepest, node.depth);
  }
  for (std::uint32_t depth = deepest; depth > 0; --depth)
    for (Reduction& reduction : reductions) send_up(reduction, place, depth);
  for (const Reduction& reduction : reductions) complete_sum(reduction, place);
  for (const std::uint32_t partner : part.partners)
    if (const auto sum = sums_[partner].find(place); sum != sums_[partner].end()) {
      state_.writer.pe(mapping_.parts[partner].pe).release(sum->second);
      sums_[partner].erase(sum);
    }
}

/// The same for every tile.
const std::vector<TreeNode>& OperatorLowering::reduction_tree(std::uint32_t owner) {
  std::vector<TreeNode>& tree = reduction_trees_[owner];
  if (!tree.empty()) return tree;
  const std::vector<std::uint32_t>& partners = mapping_.parts[owner].partners;
  const PeId root = mapping_.parts[owner].pe;
  std::vector<PeId> others, direct;
  for (const std::uint32_t partner : partners) {
    const PeId pe = mapping_.parts[partner].pe;
    const bool near = partners.size() >= kTreePartners &&
                      state_.hardware.pes[pe.value()].noc == state_.hardware.pes[root.value()].noc;
    if (pe != root) (near ? others : direct).push_back(pe);
  }
  tree = spanning_tree(state_.hardware, root, others);
  for (const PeId pe : direct) tree.push_back({pe, 0, 1});
  return tree;
}

/// What the nodes at `depth` have summed up goes to their parents.
void OperatorLowering::send_up(Reduction& reduction, std::uint32_t place, std::uint32_t depth) {
  for (std::size_t node = 0; node < reduction.tree.size(); ++node) {
    const TreeNode& from = reduction.tree[node];
    if (from.depth != depth) continue;
    const std::uint32_t sum = sums_[partner_at(from.pe, reduction.owner)].at(place);
    if (!reduction.arrived[node].empty())
      accumulate(from.pe, reduction.kept, sum, reduction.arrived[node], {{sum, reduction.kept}}, {});
    const std::uint32_t at = state_.writer.send(
        from.pe, {sum, reduction.kept}, reduction.tree[from.parent].pe, DmaUse::partial, Placement::stream,
        false,
        {"reduce_scatter",
         mapping_.parts[reduction.owner].partners.size() < kTreePartners ? "direct" : "tree", "intra_stage",
         op_.outputs[0], scope_.op},
        scope_.op);
    reduction.arrived[from.parent].push_back({at, reduction.kept});
  }
}

/// At the owner, with the bias.
void OperatorLowering::complete_sum(const Reduction& reduction, std::uint32_t place) {
  const MappedPart& part = mapping_.parts[reduction.owner];
  std::size_t own_tile = part.tiles.size() - 1;
  while (own_tile > 0 && part.output_tile[own_tile] != place) --own_tile;
  const std::vector<Access> bias = reads_of(part, own_tile, kFirstLateInput, op_.inputs.size());
  accumulate(part.pe, reduction.kept, sums_[reduction.owner].at(place), reduction.arrived.front(),
             {{outputs_[reduction.owner][0], reduction.kept}}, bias);
}

void OperatorLowering::accumulate(PeId pe, const Box& kept, std::uint32_t sum,
                                  const std::vector<Access>& arrived, const std::vector<Access>& writes,
                                  const std::vector<Access>& bias) {
  MicroOp op;
  op.kind = MicroOpKind::vector;
  op.vector.function = state_.writer.vector_function("accumulate");
  op.vector.elements = kept.elements() * std::max<std::size_t>(1, arrived.size());
  std::vector<Access> reads = arrived;
  reads.push_back({sum, kept});
  reads.insert(reads.end(), bias.begin(), bias.end());
  emit(pe, op, reads, writes);
  for (const Access& access : arrived) state_.writer.pe(pe).release(access.micro_tensor);
}

std::uint32_t OperatorLowering::partner_at(PeId pe, std::uint32_t owner) const {
  for (const std::uint32_t partner : mapping_.parts[owner].partners)
    if (mapping_.parts[partner].pe == pe) return partner;
  throw SimulationError("lower: operator " + op_.name + " has no part on a partner's PE");
}

}  // namespace dfsim
