#include "sim/hw/topology/topology.h"

#include <fmt/format.h>

#include "sim/base/errors.h"

namespace dfsim {

std::string refuse_extent(const std::string& topology, const std::vector<std::uint32_t>& extent) {
  if (extent.empty() || extent.size() > 3)
    return fmt::format("expected 1 to 3 dimensions, found {}", extent.size());
  std::uint64_t routers = 1;
  for (const std::uint32_t size : extent) {
    if (size == 0) return "a dimension of 0 routers leaves no PE";
    routers *= size;
    if (routers > kMaxRouters) return fmt::format("more than {} routers", kMaxRouters);
  }
  return TopologyRegistry::instance().make(topology)->refuse(extent);
}

LinkGraph build_link_graph(const std::string& topology, const std::vector<std::uint32_t>& extent) {
  const std::unique_ptr<Topology> kind = TopologyRegistry::instance().make(topology);
  if (const std::string reason = refuse_extent(topology, extent); !reason.empty())
    throw SimulationError(fmt::format("{} {}: {}", topology, fmt::join(extent, "x"), reason));
  LinkGraph graph;
  graph.topology = topology;
  graph.dimensions = static_cast<std::uint32_t>(extent.size());
  for (std::size_t d = 0; d < extent.size(); ++d) graph.extent[d] = extent[d];
  graph.links = kind->links(graph);
  return graph;
}

bool remove_links(LinkGraph& graph, RouterId from, RouterId to) {
  return std::erase_if(graph.links, [&](const Link& link) { return link.from == from && link.to == to; }) !=
         0;
}

std::vector<Link> grid_links(const LinkGraph& graph, bool wrap) {
  std::vector<Link> links;
  for (std::uint32_t id = 0; id < graph.router_count(); ++id) {
    const RouterId from(id);
    for (std::uint32_t d = 0; d < graph.dimensions; ++d) {
      const std::uint32_t size = graph.extent[d];
      if (size == 1) continue;
      for (const bool up : {true, false}) {
        std::array<std::uint32_t, 3> at = graph.coordinates(from);
        const bool wraps = up ? at[d] + 1 == size : at[d] == 0;
        if (wraps && !wrap) continue;
        at[d] = (at[d] + (up ? 1 : size - 1)) % size;
        Link link;
        link.from = from;
        link.to = graph.router_at(at[0], at[1], at[2]);
        link.port_out = static_cast<std::uint8_t>(2 * d + (up ? 0 : 1));
        link.port_in = static_cast<std::uint8_t>(2 * d + (up ? 1 : 0));  // comes from the other side
        link.wrap = wraps;
        links.push_back(link);
      }
    }
  }
  return links;
}

}  // namespace dfsim
