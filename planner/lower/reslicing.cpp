#include "planner/lower/reslicing.h"

#include <algorithm>
#include <limits>

#include "planner/lower/box_cover.h"
#include "sim/base/errors.h"

namespace dfsim {

namespace {

constexpr std::uint32_t kPieceBytes = 8 * 1024;
/// From so many readers on.
constexpr std::size_t kLongChain = 3;
/// From so many readers of one part on it is passed from PE to PE: eight PEs in a line that send their parts
/// to each other directly put 4 x 4 parts on the middle link, passed on they put four. With four PEs it is
/// four against two, and waiting for each other costs more.
constexpr std::size_t kTreeReaders = 5;
/// Fewer readers get theirs along a tree, too, if direct copies would take more than so many times its hops:
/// four PEs in a line that send to each other take twice, four readers in a neighbouring group more.
constexpr std::uint32_t kFarFactor = 2;
/// A part of an activation goes in up to so many pieces, each when it is complete, of at least a packet: then
/// the reader waits for the last one only.
constexpr std::uint32_t kMostParts = 4;
constexpr std::uint32_t kLeastPartBytes = 2 * 1024;

std::vector<PeId> readers_of(const std::vector<Demand>& demands) {
  std::vector<PeId> readers;
  for (const Demand& demand : demands) readers.push_back(demand.pe);
  return readers;
}

}  // namespace

void Reslicing::serve(std::vector<Demand> demands, const DemandContext& context) {
  std::vector<Demand> open;
  for (const Demand& demand : demands) {
    std::vector<Box> missing;
    table_.cover(demand.tensor, demand.pe, demand.box, missing);
    for (const Box& box : missing) open.push_back({demand.tensor, box, demand.pe});
  }
  std::stable_sort(open.begin(), open.end(), [](const Demand& a, const Demand& b) {
    return std::tie(a.tensor, a.box, a.pe) < std::tie(b.tensor, b.box, b.pe);
  });
  open.erase(std::unique(open.begin(), open.end(),
                         [](const Demand& a, const Demand& b) {
                           return a.tensor == b.tensor && a.box == b.box && a.pe == b.pe;
                         }),
             open.end());
  for (std::size_t i = 0; i < open.size();) {
    const Tensor& tensor = graph_.tensor(open[i].tensor);
    const bool in_dram = tensor.role == TensorRole::weight || tensor.role == TensorRole::input;
    std::vector<Demand> together;  // of one tensor; if it is in DRAM, of one box
    while (i < open.size() && (together.empty() || (open[i].tensor == together.front().tensor &&
                                                    (!in_dram || open[i].box == together.front().box))))
      together.push_back(open[i++]);
    if (in_dram)
      for (const Box& piece : pieces(together.front(), together.size()))
        from_dram(together.front().tensor, piece, readers_of(together), context);
    else
      from_owners(together.front().tensor, together, context);
  }
}

/// What is passed on along a chain is cut, so that the last PE does not wait for as many whole transfers as
/// there are links.
std::vector<Box> Reslicing::pieces(const Demand& demand, std::size_t readers) const {
  const std::uint32_t bytes = writer_.bytes(demand.tensor, demand.box, false);
  std::uint8_t cut = 0;  // the outermost dimension that is worth it
  while (cut + 1 < demand.box.rank && demand.box.extent[cut] == 1) ++cut;
  const std::uint32_t extent = demand.box.extent[cut];
  const std::uint32_t count = readers < kLongChain ? 1 : std::min(extent, ceil_div(bytes, kPieceBytes));
  std::vector<Box> result(std::max(count, 1u), demand.box);
  for (std::uint32_t i = 0; i < count; ++i) {
    const std::uint32_t first = extent * i / count, end = extent * (i + 1) / count;
    result[i].offset[cut] += first;
    result[i].extent[cut] = end - first;
  }
  return result;
}

PrimitiveKey Reslicing::key(const char* kind, const char* algorithm, TensorId tensor, OpId op) const {
  const Tensor& t = graph_.tensor(tensor);
  const char* scope = "memory";
  if (t.producer) {
    const auto from = stage_of_.find(*t.producer), to = stage_of_.find(op);
    scope = from != stage_of_.end() && to != stage_of_.end() && from->second != to->second ? "inter_stage"
                                                                                           : "intra_stage";
  }
  return {kind, algorithm, scope, tensor, op};
}

const std::vector<PeId>& Reslicing::chain(const std::vector<PeId>& readers,
                                          const std::vector<PortId>& ports) {
  std::vector<PeId>& order = chains_[readers];
  if (!order.empty()) return order;
  const LinkGraph& graph = hardware_.nocs[hardware_.pes[readers.front().value()].noc.value()].graph;
  const auto router = [&](PeId pe) { return hardware_.pes[pe.value()].router; };
  const auto to_port = [&](PeId pe) {
    std::uint32_t least = std::numeric_limits<std::uint32_t>::max();
    for (const PortId port : ports)
      least = std::min(least, hops(graph, hardware_.memory[port.value()].router, router(pe)));
    return least;
  };
  std::vector<PeId> left = readers;
  auto next =
      std::min_element(left.begin(), left.end(), [&](PeId a, PeId b) { return to_port(a) < to_port(b); });
  while (!left.empty()) {
    const RouterId at = router(*next);
    order.push_back(*next);
    left.erase(next);
    next = std::min_element(left.begin(), left.end(), [&](PeId a, PeId b) {
      return hops(graph, at, router(a)) < hops(graph, at, router(b));
    });
  }
  return order;
}

void Reslicing::from_dram(TensorId tensor, const Box& box, std::vector<PeId> readers,
                          const DemandContext& context) {
  // PEs of different NoCs each have a copy in their own DRAM: DRAM of another chip cannot be read.
  for (std::uint32_t noc = 0; noc < hardware_.nocs.size(); ++noc) {
    std::vector<PeId> here;
    for (const PeId reader : readers)
      if (hardware_.pes[reader.value()].noc == NocId(noc)) here.push_back(reader);
    if (here.empty()) continue;
    const DramHomes& homes = writer_.homes();
    std::vector<PortId> ports = graph_.tensor(tensor).role == TensorRole::input
                                    ? homes.input_ports_of(*context.group)
                                    : homes.ports_of(*context.group);
    std::erase_if(ports, [&](PortId port) { return hardware_.memory[port.value()].noc != NocId(noc); });
    const Tensor& t = graph_.tensor(tensor);
    std::vector<DramSegment> segments;
    const std::vector<PeId>& order = chain(here, ports);
    if (t.role == TensorRole::weight) {
      segments = {
          writer_.homes().weight_tile(tensor, box, writer_.bytes(tensor, box, false), ports, order.front())};
    } else {
      segments = writer_.homes().sample_box(tensor, t.shape, writer_.element_bytes(tensor, false),
                                            context.samples, box, ports);
    }
    const auto placement = [&](PeId pe) {
      if (context.resident) return Placement::lowest;
      return t.role == TensorRole::input ? writer_.pe(pe).ahead_or(Placement::stream) : Placement::stream;
    };
    PeBuilder& head = writer_.pe(order.front());
    std::uint32_t at = head.allocate(writer_.tensor(tensor), box, writer_.bytes(tensor, box, false),
                                     placement(order.front()), false, context.resident);
    writer_.load(order.front(), segments, {}, {at, box},
                 key("load", order.size() > 1 ? "chain" : "direct", tensor, context.op), context.op);
    table_.add(tensor, {order.front(), at, box, false});
    const DmaUse use = t.role == TensorRole::weight ? DmaUse::forward : DmaUse::input;
    for (std::size_t i = 1; i < order.size(); ++i) {
      at = writer_.send(order[i - 1], {at, box}, order[i], use, placement(order[i]), context.resident,
                        key("multicast", "chain", tensor, context.op), context.op);
      table_.add(tensor, {order[i], at, box, false});
    }
  }
}

void Reslicing::given(const Demand& demand) {
  const std::uint32_t at = writer_.pe(demand.pe).allocate(writer_.tensor(demand.tensor), demand.box,
                                                          writer_.bytes(demand.tensor, demand.box, false),
                                                          Placement::reserved, false, true);
  table_.add(demand.tensor, {demand.pe, at, demand.box, true});
}

void Reslicing::from_owners(TensorId tensor, const std::vector<Demand>& demands,
                            const DemandContext& context) {
  if (given_.contains(tensor)) {
    for (const Demand& demand : demands) given(demand);
    return;
  }
  const std::vector<Copy> owners = table_.owners(tensor);
  std::map<std::pair<std::size_t, Box>, std::vector<PeId>> readers;  // by number of the owner and part
  for (const Demand& demand : demands) {
    // Start with the owner after the reader, so that copies of one part are fetched from different PEs.
    const auto after = static_cast<std::size_t>(
        std::find_if(owners.begin(), owners.end(), [&](const Copy& copy) { return demand.pe < copy.pe; }) -
        owners.begin());
    std::vector<Box> missing{demand.box};
    for (std::size_t i = 0; i < owners.size() && !missing.empty(); ++i) {
      const std::size_t number = (after + i) % owners.size();
      bool useful = false;
      for (const Box& part : missing)
        if (const Box common = part.intersection(owners[number].box); !common.empty())
          readers[{number, common}].push_back(demand.pe), useful = true;
      if (useful) subtract_from(missing, owners[number].box);
    }
    if (!missing.empty())
      throw SimulationError("lower: nobody holds " + missing.front().to_string() + " of tensor " +
                            graph_.tensor(tensor).name);
  }
  std::vector<Spread> spreads;
  for (const auto& [key, pes] : readers) {
    const auto& [number, part] = key;
    const std::vector<Box> parts = parts_in_time(tensor, owners[number], part);
    for (std::size_t turn = 0; turn < parts.size(); ++turn)
      spread(owners[number], parts[turn], turn, pes, spreads);
  }
  // What is completed first goes first, to everybody.
  std::stable_sort(spreads.begin(), spreads.end(),
                   [](const Spread& a, const Spread& b) { return a.turn < b.turn; });
  // Level by level over all of them: in this order data arrives where it is passed on.
  for (std::uint32_t depth = 1, more = 1; more != 0; ++depth) {
    more = 0;
    for (Spread& spread : spreads) more |= send_level(tensor, spread, depth, context) ? 1 : 0;
  }
}

/// What an owner holds of `part`, in pieces that can go as soon as the producer has completed them.
std::vector<Box> Reslicing::parts_in_time(TensorId tensor, const Copy& owner, const Box& part) const {
  if (!owner.tiles || owner.tiles->size() < 2) return {part};
  const std::uint32_t least =
      std::max(kLeastPartBytes, ceil_div(writer_.bytes(tensor, part, false), kMostParts));
  std::vector<Box> parts;
  for (const Box& tile : *owner.tiles) {
    const Box common = tile.intersection(part);
    if (common.empty()) continue;
    if (!parts.empty() && writer_.bytes(tensor, parts.back(), false) < least)
      if (const Box both = hull(parts.back(), common);
          both.elements() == parts.back().elements() + common.elements()) {
        parts.back() = both;
        continue;
      }
    parts.push_back(common);
  }
  // Tiles that do not join: many short transfers cost more than the wait.
  return parts.size() <= 2 * kMostParts ? parts : std::vector<Box>{part};
}

/// One part of an owner to those who read it.
void Reslicing::spread(const Copy& owner, const Box& part, std::size_t turn, const std::vector<PeId>& pes,
                       std::vector<Spread>& spreads) const {
  const NocId home = hardware_.pes[owner.pe.value()].noc;
  std::map<NocId, std::vector<PeId>> by_noc;
  for (const PeId pe : pes) by_noc[hardware_.pes[pe.value()].noc].push_back(pe);
  for (auto& [noc, here] : by_noc) {
    if (noc == home && here.size() > 1)
      if (std::vector<TreeNode> tree = spanning_tree(hardware_, owner.pe, here);
          here.size() >= kTreeReaders || far_away(owner.pe, here, tree)) {
        spreads.push_back({&owner, part, turn, std::move(tree), {}});
        continue;
      }
    // Everybody starts with the reader after itself: when all send to all, each has one sender at a time.
    std::rotate(here.begin(), std::upper_bound(here.begin(), here.end(), owner.pe), here.end());
    for (const PeId pe : here) spreads.push_back({&owner, part, turn, {{owner.pe, 0, 0}, {pe, 0, 1}}, {}});
  }
}

/// The readers are nearer to each other than to the owner, so that direct copies would share most of their
/// way.
bool Reslicing::far_away(PeId owner, const std::vector<PeId>& readers,
                         const std::vector<TreeNode>& tree) const {
  const LinkGraph& graph = hardware_.nocs[hardware_.pes[owner.value()].noc.value()].graph;
  const auto distance = [&](PeId a, PeId b) {
    return hops(graph, hardware_.pes[a.value()].router, hardware_.pes[b.value()].router);
  };
  std::uint32_t direct = 0, passed_on = 0;
  for (const PeId reader : readers) direct += distance(owner, reader);
  for (std::size_t node = 1; node < tree.size(); ++node)
    passed_on += distance(tree[tree[node].parent].pe, tree[node].pe);
  return direct > kFarFactor * passed_on;
}

/// The edges of a tree that end at `depth`; false if there are none.
bool Reslicing::send_level(TensorId tensor, Spread& spread, std::uint32_t depth,
                           const DemandContext& context) {
  spread.at.resize(spread.tree.size(), spread.owner->micro_tensor);
  const PrimitiveKey reshard = spread.tree.size() > 2 ? key("multicast", "tree", tensor, context.op)
                                                      : key("reshard", "direct", tensor, context.op);
  const bool between_stages = std::string_view(reshard.scope) == "inter_stage";
  // What comes from another stage comes while this one is at the period before.
  const auto placement = [&](PeId pe) {
    if (context.streamed) return Placement::stream;
    return between_stages ? writer_.pe(pe).ahead_or(Placement::passing) : Placement::passing;
  };
  bool any = false;
  for (std::size_t node = 1; node < spread.tree.size(); ++node) {
    const TreeNode& to = spread.tree[node];
    if (to.depth != depth) continue;
    spread.at[node] = writer_.send(spread.tree[to.parent].pe, {spread.at[to.parent], spread.part}, to.pe,
                                   between_stages ? DmaUse::store : DmaUse::data, placement(to.pe), false,
                                   reshard, context.op);
    table_.add(tensor, {to.pe, spread.at[node], spread.part, false});
    any = true;
  }
  return any;
}

void Reslicing::describe(TensorId tensor, OpId op, const std::vector<Box>& from, const std::vector<Box>& to) {
  writer_.describe(key("reshard", "direct", tensor, op), layout_name(from), layout_name(to));
  writer_.describe(key("multicast", "tree", tensor, op), layout_name(from), layout_name(to));
  for (const char* kind : {"load", "multicast"})
    for (const char* algorithm : {"direct", "chain"})
      writer_.describe(key(kind, algorithm, tensor, op), "dram", layout_name(to));
}

}  // namespace dfsim
