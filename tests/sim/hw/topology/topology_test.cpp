#include "sim/hw/topology/topology.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <deque>
#include <set>

#include "sim/base/errors.h"

namespace dfsim {
namespace {

using Extent = std::vector<std::uint32_t>;

const std::vector<Extent>& some_extents() {
  static const std::vector<Extent> extents{{1},       {2},       {5},       {8},      {1, 1},
                                           {2, 2},    {1, 4},    {4, 1},    {8, 8},   {5, 3},
                                           {2, 2, 2}, {4, 3, 2}, {1, 1, 3}, {3, 1, 2}};
  return extents;
}

/// Runs `check` on every registered topology with every extent that it takes.
template <class Check>
void for_each_graph(Check check) {
  for (const std::string& name : TopologyRegistry::instance().names()) {
    std::size_t accepted = 0;
    for (const Extent& extent : some_extents()) {
      if (!refuse_extent(name, extent).empty()) continue;
      ++accepted;
      SCOPED_TRACE(name + " of " + std::to_string(extent.size()) +
                   " dimensions, X = " + std::to_string(extent[0]));
      check(build_link_graph(name, extent));
    }
    EXPECT_GT(accepted, 0u) << name;
  }
}

TEST(TopologyContract, EveryRouterReachesEveryOther) {
  for_each_graph([](const LinkGraph& graph) {
    std::vector<std::vector<std::uint32_t>> next(graph.router_count());
    for (const Link& link : graph.links) next[link.from.value()].push_back(link.to.value());
    std::set<std::uint32_t> seen{0};
    std::deque<std::uint32_t> todo{0};
    while (!todo.empty()) {
      for (const std::uint32_t to : next[todo.front()])
        if (seen.insert(to).second) todo.push_back(to);
      todo.pop_front();
    }
    EXPECT_EQ(seen.size(), graph.router_count());  // links are symmetric, so this is enough
  });
}

TEST(TopologyContract, EveryLinkHasItsReverseOnTheSamePorts) {
  for_each_graph([](const LinkGraph& graph) {
    for (const Link& link : graph.links) {
      const Link reverse{link.to, link.from, link.port_in, link.port_out, link.wrap};
      EXPECT_EQ(std::count(graph.links.begin(), graph.links.end(), reverse), 1);
      EXPECT_NE(link.from, link.to);
    }
  });
}

TEST(TopologyContract, LinksAreOrderedAndPortsBelongToDimensions) {
  for_each_graph([](const LinkGraph& graph) {
    for (std::size_t i = 1; i < graph.links.size(); ++i)
      EXPECT_LT(std::pair(graph.links[i - 1].from, graph.links[i - 1].port_out),
                std::pair(graph.links[i].from, graph.links[i].port_out));
    for (const Link& link : graph.links) {
      EXPECT_LT(link.port_out, 2 * graph.dimensions);
      EXPECT_EQ(link.port_out ^ 1, link.port_in);  // leaves to +x, arrives from -x
      const auto from = graph.coordinates(link.from), to = graph.coordinates(link.to);
      for (std::size_t d = 0; d < 3; ++d) {
        if (d != link.port_out / 2u) {
          EXPECT_EQ(from[d], to[d]);
          continue;
        }
        const std::uint32_t size = graph.extent[d];
        EXPECT_EQ(to[d], (from[d] + (link.port_out % 2 == 0 ? 1 : size - 1)) % size);
        EXPECT_EQ(link.wrap, from[d] != to[d] && (link.port_out % 2 == 0) != (to[d] > from[d]));
      }
    }
  });
}

TEST(TopologyContract, HasADescription) {
  for (const auto& [name, entry] : TopologyRegistry::instance().entries())
    EXPECT_FALSE(entry.description.empty()) << name;
}

TEST(Topology, DeadLinksAreTakenOut) {
  LinkGraph graph = build_link_graph("mesh", {3, 3});
  const std::size_t links = graph.links.size();
  EXPECT_FALSE(remove_links(graph, RouterId(0), RouterId(4)));  // no neighbours
  EXPECT_TRUE(remove_links(graph, RouterId(0), RouterId(1)));
  EXPECT_EQ(graph.links.size(), links - 1);
  EXPECT_FALSE(remove_links(graph, RouterId(0), RouterId(1)));
  EXPECT_TRUE(remove_links(graph, RouterId(1), RouterId(0)));
}

std::uint32_t degree(const LinkGraph& graph, RouterId router) {
  return static_cast<std::uint32_t>(std::count_if(graph.links.begin(), graph.links.end(),
                                                  [&](const Link& link) { return link.from == router; }));
}

TEST(Topology, DegreesAreThoseOfTheGrid) {
  const LinkGraph mesh = build_link_graph("mesh", {8, 8});
  EXPECT_EQ(mesh.links.size(), 2u * 2 * 8 * 7);
  EXPECT_EQ(degree(mesh, mesh.router_at(0, 0)), 2u);
  EXPECT_EQ(degree(mesh, mesh.router_at(3, 0)), 3u);
  EXPECT_EQ(degree(mesh, mesh.router_at(3, 3)), 4u);
  const LinkGraph torus = build_link_graph("torus", {8, 8});
  EXPECT_EQ(torus.links.size(), 4u * 64);
  EXPECT_EQ(build_link_graph("torus", {4, 4, 4}).links.size(), 6u * 64);
  EXPECT_EQ(build_link_graph("ring", {6}).links.size(), 12u);
  EXPECT_EQ(build_link_graph("mesh", {1, 1}).links.size(), 0u);
  EXPECT_EQ(build_link_graph("torus", {2}).links.size(), 4u);
}

TEST(Topology, FirstLinksOfAMesh) {
  const LinkGraph mesh = build_link_graph("mesh", {2, 2});
  EXPECT_EQ(mesh.links[0], (Link{RouterId(0), RouterId(1), 0, 1, false}));
  EXPECT_EQ(mesh.links[1], (Link{RouterId(0), RouterId(2), 2, 3, false}));
  EXPECT_EQ(mesh.links[2], (Link{RouterId(1), RouterId(0), 1, 0, false}));
}

TEST(Topology, RefusesWhatCannotBe) {
  EXPECT_NE(refuse_extent("mesh", {}), "");
  EXPECT_NE(refuse_extent("mesh", {0, 4}), "");
  EXPECT_NE(refuse_extent("mesh", {2, 2, 2, 2}), "");
  EXPECT_NE(refuse_extent("mesh", {1'000'000, 1'000'000, 1'000'000}), "");
  EXPECT_NE(refuse_extent("ring", {2, 2}), "");
  EXPECT_THROW(build_link_graph("ring", {2, 2}), SimulationError);
  EXPECT_THROW(build_link_graph("star", {2}), SimulationError);
}

TEST(Topology, CoordinatesAndRoutersAreInverse) {
  const LinkGraph graph = build_link_graph("mesh", {4, 3, 2});
  for (std::uint32_t id = 0; id < graph.router_count(); ++id) {
    const auto [x, y, z] = graph.coordinates(RouterId(id));
    EXPECT_EQ(graph.router_at(x, y, z), RouterId(id));
  }
  EXPECT_EQ(graph.router_at(1, 2, 1), RouterId((1 * 3 + 2) * 4 + 1));
}

}  // namespace
}  // namespace dfsim
