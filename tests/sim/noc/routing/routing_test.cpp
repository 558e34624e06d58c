// Whatever is registered: reaches every destination by legal channels, and its channel dependency graph has
// no cycle.
#include "sim/noc/routing/routing.h"

#include <gtest/gtest.h>

#include <boost/graph/adjacency_list.hpp>
#include <boost/graph/strong_components.hpp>
#include <map>
#include <set>

#include "sim/base/rng.h"
#include "sim/hw/topology/topology.h"
#include "sim/noc/routing/turn_table.h"

namespace dfsim::test {
namespace {

struct Case {
  std::string topology;
  std::vector<std::uint32_t> extent;
};
const std::vector<Case>& cases() {
  static const std::vector<Case> all{{"mesh", {5}},       {"mesh", {4, 4}},  {"mesh", {5, 3}},
                                     {"mesh", {3, 3, 3}}, {"torus", {2, 2}}, {"torus", {4, 4}},
                                     {"torus", {5, 3}},   {"torus", {8}},    {"torus", {3, 4, 2}},
                                     {"ring", {3}},       {"ring", {16}}};
  return all;
}

/// Walks every way that a packet may take and notes which channel waits for which. A channel is (sending
/// port, VC).
class Dependencies {
 public:
  Dependencies(const LinkGraph& graph, const RoutingFunction& routing, std::uint32_t vcs)
      : routing_(routing), vcs_(vcs) {
    for (const Link& link : graph.links) links_[{link.from.value(), link.port_out}] = link;
    ports_ = 2 * graph.dimensions + 1;
    edges_.resize(graph.router_count() * ports_ * vcs);
    for (std::uint32_t to = 0; to < graph.router_count(); ++to) {
      for (std::uint32_t from = 0; from < graph.router_count(); ++from) {
        if (from == to) continue;
        for (std::uint32_t coins = 0; coins < 16; ++coins)
          follow(from, ports_ - 1, 0, to, coins, std::nullopt, graph.router_count());
      }
      seen_.clear();
    }
  }

  bool has_cycle() const {
    using Graph = boost::adjacency_list<boost::vecS, boost::vecS, boost::directedS>;
    Graph graph(edges_.size());
    for (std::size_t from = 0; from < edges_.size(); ++from) {
      for (const std::uint32_t to : edges_[from]) {
        if (to == from) return true;
        boost::add_edge(from, to, graph);
      }
    }
    std::vector<int> component(edges_.size());
    return static_cast<std::size_t>(boost::strong_components(graph, component.data())) != edges_.size();
  }

 private:
  void follow(std::uint32_t router, std::uint32_t in_port, std::uint32_t in_vc, std::uint32_t to,
              std::uint32_t coins, std::optional<std::uint32_t> before, std::uint32_t patience) {
    if (router == to) return;
    ASSERT_GT(patience, 0u) << "goes in circles";
    if (!seen_.insert({router, in_port, in_vc, coins}).second) return;
    RouteOptions options;
    options.count = 0;
    routing_.route({router, to, static_cast<std::uint8_t>(in_port), static_cast<std::uint8_t>(in_vc), 0,
                    static_cast<std::uint8_t>(vcs_), coins},
                   options);
    ASSERT_GT(options.count, 0u);
    for (std::uint32_t i = 0; i < options.count; ++i) {
      const RouteOption& option = options.options[i];
      ASSERT_TRUE(links_.contains({router, option.port}));
      ASSERT_NE(option.vcs & vc_mask(0, vcs_), 0u);
      ASSERT_EQ(option.vcs & ~vc_mask(0, vcs_), 0u);
      const Link& link = links_.at({router, option.port});
      for (std::uint32_t vc = 0; vc < vcs_; ++vc) {
        if (!(option.vcs >> vc & 1)) continue;
        const std::uint32_t channel = (router * ports_ + option.port) * vcs_ + vc;
        if (before) edges_[*before].insert(channel);
        follow(link.to.value(), link.port_in, vc, to, coins, channel, patience - 1);
      }
    }
  }

  const RoutingFunction& routing_;
  std::uint32_t vcs_;
  std::uint32_t ports_ = 0;
  std::map<std::pair<std::uint32_t, std::uint32_t>, Link> links_;
  std::vector<std::set<std::uint32_t>> edges_;
  std::set<std::tuple<std::uint32_t, std::uint32_t, std::uint32_t, std::uint32_t>> seen_;
};

TEST(Routing, EveryRegisteredFunctionIsFreeOfDeadlock) {
  std::size_t checked = 0;
  for (const std::string& name : RoutingRegistry::instance().names()) {
    for (const Case& c : cases()) {
      const LinkGraph graph = build_link_graph(c.topology, c.extent);
      if (!RoutingRegistry::instance().make(name)->refuse(graph).empty()) continue;
      const std::unique_ptr<RoutingFunction> routing = make_routing(name, graph);
      for (const std::uint32_t spare : {0u, 1u}) {
        const Dependencies dependencies(graph, *routing, routing->routing_classes(graph) + spare);
        EXPECT_FALSE(dependencies.has_cycle())
            << name << " on " << c.topology << " of " << graph.router_count();
        ++checked;
      }
    }
  }
  EXPECT_GE(checked, 2 * 4 * cases().size());
}

// Dead links one after another, as long as the function accepts the graph.
TEST(Routing, GoesRoundDeadLinksWithoutDeadlock) {
  std::map<std::string, std::size_t> accepted, refused;
  for (const std::string& name : RoutingRegistry::instance().names()) {
    for (std::uint64_t seed = 0; seed < 40; ++seed) {
      Rng rng(seed, 3);
      const Case c = rng.below(3) == 0 ? cases()[rng.below(cases().size())] : Case{"mesh", {5, 4}};
      LinkGraph graph = build_link_graph(c.topology, c.extent);
      const auto fits = [&name](const LinkGraph& g) {
        return RoutingRegistry::instance().make(name)->refuse(g).empty();
      };
      if (!fits(graph)) continue;
      const std::size_t whole = graph.links.size();
      for (int tries = 0; tries < 8; ++tries) {
        LinkGraph fewer = graph;
        const Link dead = fewer.links[rng.below(fewer.links.size())];
        remove_links(fewer, dead.from, dead.to);
        if (rng.below(2) == 0) remove_links(fewer, dead.to, dead.from);
        ++(fits(fewer) ? accepted : refused)[name];
        if (fits(fewer)) graph = fewer;
      }
      if (graph.links.size() == whole) continue;
      const std::unique_ptr<RoutingFunction> routing = make_routing(name, graph);
      const Dependencies dependencies(graph, *routing, routing->routing_classes(graph));
      EXPECT_FALSE(dependencies.has_cycle()) << name << " on " << c.topology << ", seed " << seed;
    }
  }
  for (const char* name : {"west_first", "odd_even", "up_down"}) EXPECT_GT(accepted[name], 20u) << name;
  for (const char* name : {"xy", "yx", "o1turn"}) EXPECT_EQ(accepted[name], 0u) << name;
  EXPECT_GT(refused["west_first"], 20u);
}

/// Every output that lies on a shortest way of legal turns, found by search: what the published algorithms
/// must give.
using Turn = bool (*)(std::uint32_t x, std::uint32_t in, std::uint32_t out);
void expect_shortest_legal_ways(const std::string& name, Turn legal) {
  for (const std::vector<std::uint32_t>& extent : {std::vector<std::uint32_t>{6, 5}, {5, 6}, {7}, {1, 4}}) {
    const LinkGraph graph = build_link_graph("mesh", extent);
    const std::unique_ptr<RoutingFunction> routing = make_routing(name, graph);
    const std::uint32_t ports = 2 * graph.dimensions;
    const TurnTable table(graph, [&](std::uint32_t router, std::uint32_t in, std::uint32_t out) {
      return legal(router % graph.extent[0], in, out);
    });
    for (std::uint32_t from = 0; from < graph.router_count(); ++from)
      for (std::uint32_t to = 0; to < graph.router_count(); ++to) {
        if (from == to) continue;
        std::set<std::pair<std::uint32_t, std::uint32_t>> seen{{from, ports}}, todo = seen;
        while (!todo.empty()) {
          const auto [router, in] = *todo.begin();
          todo.erase(todo.begin());
          if (router == to) continue;
          RouteOptions options;
          routing->route({router, to, static_cast<std::uint8_t>(in), 0, 0, 2, 0}, options);
          std::uint32_t outputs = 0;
          for (std::uint32_t i = 0; i < options.count; ++i) outputs |= 1u << options.options[i].port;
          ASSERT_EQ(outputs, table.outputs(router, in, to)) << name << " at " << router << " to " << to;
          for (const Link& link : graph.links)
            if (link.from.value() == router && (outputs >> link.port_out & 1))
              if (seen.insert({link.to.value(), link.port_in}).second)
                todo.insert({link.to.value(), link.port_in});
        }
      }
  }
}

// Turns by name, from the papers: (travelling east, in an even column, to north or south), and so on.
TEST(Routing, OddEvenIsEveryShortestWayByItsTurns) {
  expect_shortest_legal_ways("odd_even", [](std::uint32_t x, std::uint32_t in, std::uint32_t out) {
    const bool east_bound = in == 1, vertical = in >= 2;
    if (x % 2 == 0 && east_bound && out >= 2) return false;
    return !(x % 2 == 1 && vertical && out == 1);
  });
}

TEST(Routing, WestFirstIsEveryShortestWayByItsTurns) {
  expect_shortest_legal_ways("west_first", [](std::uint32_t, std::uint32_t in, std::uint32_t out) {
    return !(in >= 2 && out == 1);
  });
}

TEST(Routing, AdaptiveOnesOfferTwoWaysAndO1TurnEitherOrder) {
  const LinkGraph graph = build_link_graph("mesh", {4, 4});
  const auto ask = [&graph](const char* name, std::uint32_t coins) {
    RouteOptions options;
    make_routing(name, graph)->route({0, 15, 4, 0, 0, 4, coins}, options);
    return options;
  };
  for (const char* name : {"odd_even", "west_first", "up_down"}) EXPECT_EQ(ask(name, 0).count, 2u) << name;
  EXPECT_EQ(ask("o1turn", 0).options[0].port, 0);
  EXPECT_EQ(ask("o1turn", 0).options[0].vcs, 0b0011u);
  EXPECT_EQ(ask("o1turn", 8).options[0].port, 2);
  EXPECT_EQ(ask("o1turn", 8).options[0].vcs, 0b1100u);
}

TEST(Routing, ARefusalNamesAPairThatIsCutOff) {
  LinkGraph graph = build_link_graph("mesh", {3, 3});
  ASSERT_TRUE(remove_links(graph, RouterId(1), RouterId(2)));
  const auto reason = [&graph](const char* name) {
    return RoutingRegistry::instance().make(name)->refuse(graph);
  };
  for (const char* name : {"xy", "yx", "o1turn"})
    EXPECT_NE(reason(name).find("from (1,0) to (2,0)"), std::string::npos) << name << ": " << reason(name);
  // Into an even column there is no way round: from the west nobody may turn there, nor come back from the
  // east.
  EXPECT_NE(reason("odd_even").find("from (0,0) to (2,0)"), std::string::npos) << reason("odd_even");
  EXPECT_EQ(reason("west_first"), "");
  EXPECT_EQ(reason("up_down"), "");
}

// The check itself finds a cycle where there is one: a ring without datelines.
class Clockwise : public RoutingFunction {
 public:
  std::string refuse(const LinkGraph&) const override { return {}; }
  std::uint32_t routing_classes(const LinkGraph&) const override { return 1; }
  void bind(const LinkGraph&) override {}
  void route(const RouteRequest& request, RouteOptions& options) const override {
    options.add(0, vc_mask(request.first_vc, request.vc_count));
  }
};

TEST(Routing, TheCheckFindsTheCycleOfARing) {
  const LinkGraph graph = build_link_graph("ring", {4});
  EXPECT_TRUE(Dependencies(graph, Clockwise(), 1).has_cycle());
}

TEST(Routing, XyGoesAlongXFirst) {
  const LinkGraph graph = build_link_graph("mesh", {4, 4});
  const auto first_port = [&graph](const char* name, std::uint32_t from, std::uint32_t to) {
    RouteOptions options;
    make_routing(name, graph)->route({from, to, 4, 0, 0, 4, 0}, options);
    return options.options[0].port;
  };
  EXPECT_EQ(first_port("xy", 0, 15), 0);
  EXPECT_EQ(first_port("yx", 0, 15), 2);
  EXPECT_EQ(first_port("xy", 15, 0), 1);
  EXPECT_EQ(first_port("yx", 15, 0), 3);
  EXPECT_EQ(first_port("xy", 3, 15), 2);
}

TEST(Routing, RefusesAGridWithAHole) {
  LinkGraph graph = build_link_graph("mesh", {3, 3});
  graph.links.pop_back();
  EXPECT_NE(RoutingRegistry::instance().make("xy")->refuse(graph), "");
  EXPECT_THROW(make_routing("xy", graph), SimulationError);
  EXPECT_THROW(make_routing("nowhere", graph), SimulationError);
}

}  // namespace
}  // namespace dfsim::test
