#include "planner/lower/reslicing.h"

#include <algorithm>
#include <limits>

#include "planner/lower/box_cover.h"
#include "sim/base/errors.h"

namespace dfsim {

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
    std::size_t end = i;
    std::vector<PeId> readers;
    while (end < open.size() && open[end].tensor == open[i].tensor && open[end].box == open[i].box)
      readers.push_back(open[end++].pe);
    const Tensor& tensor = graph_.tensor(open[i].tensor);
    if (tensor.role == TensorRole::weight || tensor.role == TensorRole::input) {
      from_dram(open[i].tensor, open[i].box, std::move(readers), context);
    } else {
      for (const PeId reader : readers) from_owners(open[i].tensor, open[i].box, reader, context);
    }
    i = end;
  }
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
    std::vector<PortId> ports = writer_.homes().ports_of(*context.group);
    std::erase_if(ports, [&](PortId port) { return hardware_.memory[port.value()].noc != NocId(noc); });
    const Tensor& t = graph_.tensor(tensor);
    std::vector<DramSegment> segments;
    const std::vector<PeId>& order = chain(here, ports);
    if (t.role == TensorRole::weight) {
      segments = {writer_.homes().weight_tile(tensor, box, writer_.bytes(tensor, box, false), ports,
                                              {order.front()})};
    } else {
      segments = writer_.homes().sample_box(tensor, t.shape, writer_.element_bytes(tensor, false),
                                            context.samples, box, ports);
    }
    const Placement placement =
        t.role == TensorRole::weight && !context.resident ? Placement::stream : Placement::lowest;
    PeBuilder& head = writer_.pe(order.front());
    std::uint32_t at = head.allocate(writer_.tensor(tensor), box, writer_.bytes(tensor, box, false),
                                     placement, false, context.resident);
    writer_.load(order.front(), segments, {}, {at, box},
                 key("load", order.size() > 1 ? "chain" : "direct", tensor, context.op), context.op);
    table_.add(tensor, {order.front(), at, box, false});
    for (std::size_t i = 1; i < order.size(); ++i) {
      at = writer_.send(order[i - 1], {at, box}, order[i], DmaUse::forward, placement, context.resident,
                        key("multicast", "chain", tensor, context.op), context.op);
      table_.add(tensor, {order[i], at, box, false});
    }
  }
}

void Reslicing::from_owners(TensorId tensor, const Box& box, PeId reader, const DemandContext& context) {
  if (given_.contains(tensor)) {
    const std::uint32_t at = writer_.pe(reader).allocate(
        writer_.tensor(tensor), box, writer_.bytes(tensor, box, false), Placement::lowest, false, true);
    table_.add(tensor, {reader, at, box, true});
    return;
  }
  // Start with the owner after the reader, so that copies of one part are fetched from different PEs.
  std::vector<Copy> owners = table_.owners(tensor);
  const auto after =
      std::find_if(owners.begin(), owners.end(), [&](const Copy& copy) { return reader < copy.pe; });
  std::rotate(owners.begin(), after, owners.end());
  std::vector<Box> missing{box};
  for (const Copy& owner : owners) {
    if (missing.empty()) break;
    std::vector<Box> parts;
    for (const Box& part : missing)
      if (const Box common = part.intersection(owner.box); !common.empty()) parts.push_back(common);
    if (parts.empty()) continue;
    for (const Box& part : parts) {
      const std::uint32_t at = writer_.send(owner.pe, {owner.micro_tensor, part}, reader, DmaUse::data,
                                            context.streamed ? Placement::stream : Placement::lowest, false,
                                            key("reshard", "direct", tensor, context.op), context.op);
      table_.add(tensor, {reader, at, part, false});
    }
    subtract_from(missing, owner.box);
  }
  if (!missing.empty())
    throw SimulationError("lower: nobody holds " + missing.front().to_string() + " of tensor " +
                          graph_.tensor(tensor).name);
}

void Reslicing::describe(TensorId tensor, OpId op, const std::vector<Box>& from, const std::vector<Box>& to) {
  writer_.describe(key("reshard", "direct", tensor, op), layout_name(from), layout_name(to));
  for (const char* kind : {"load", "multicast"})
    for (const char* algorithm : {"direct", "chain"})
      writer_.describe(key(kind, algorithm, tensor, op), "dram", layout_name(to));
}

}  // namespace dfsim
