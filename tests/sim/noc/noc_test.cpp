// The SystemC module against a bare core that is stepped cycle by cycle: same arrivals in the same cycles,
// whatever the kernel does in between. Two networks share the kernel; modules are built once and reset
// between cases.
#include "sim/noc/noc.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <set>

#include "sim/base/errors.h"
#include "sim/base/rng.h"
#include "sim/hw/topology/topology.h"

namespace dfsim::test {
namespace {

constexpr std::uint64_t kPeriod = 1000;  // ps

struct Seen {
  std::uint64_t cycle, packet;
  bool arrived;
  bool operator==(const Seen&) const = default;
  auto operator<=>(const Seen&) const = default;
};

// What an endpoint does about a packet, the same for both drivers: answers some at once, some later, and goes
// on when one has left.
struct Workload {
  std::vector<std::pair<std::uint64_t, Packet>> start;  ///< (cycle, packet)
  std::uint32_t endpoints;
  std::uint64_t seed;

  Workload(std::uint64_t seed_, std::uint32_t endpoints_, std::uint32_t amount)
      : endpoints(endpoints_), seed(seed_) {
    Rng rng(seed, 1);
    for (std::uint32_t i = 0; i < amount; ++i) start.push_back({rng.below(400), packet(rng.next(), 4)});
  }
  Packet packet(std::uint64_t bits, std::uint64_t lives) const {
    Rng rng(bits);
    Packet result;
    result.source = EndpointId(static_cast<std::uint32_t>(rng.below(endpoints)));
    result.destination = EndpointId(static_cast<std::uint32_t>(rng.below(endpoints)));
    result.flits = 1 + static_cast<std::uint32_t>(rng.below(rng.below(3) == 0 ? 64 : 5));
    result.message_class = MessageClass::to_memory;
    result.notify_left = rng.below(3) == 0;
    result.message.address = bits;
    result.message.bytes = static_cast<std::uint32_t>(lives);
    return result;
  }
  /// The packets sent in answer, with a delay (0: from inside the call).
  std::vector<std::pair<std::uint64_t, Packet>> answer(const Packet& to, bool arrived) const {
    if (to.message.bytes == 0) return {};
    Rng rng(to.message.address, arrived ? 1 : 2);
    Packet next = packet(rng.next(), to.message.bytes - 1);
    next.source = arrived ? to.destination : to.source;
    // Answers given at once have a class, and so a queue, of their own: the kernel may run an endpoint's own
    // process before or after the call in the same cycle.
    const std::uint64_t kind = rng.below(3);
    const std::uint64_t delay = kind == 0 ? 0 : kind == 1 ? 1 + rng.below(4) : 1 + rng.below(300);
    if (delay == 0) next.message_class = MessageClass::sinkable;
    return {{delay, next}};
  }
};

class Endpoint : public sc_core::sc_module, public PacketSink {
 public:
  sc_core::sc_port<PacketInjector> network;
  std::vector<Seen>* seen = nullptr;
  std::vector<std::uint64_t>* blocked = nullptr;
  const Workload* workload = nullptr;

  Endpoint(sc_core::sc_module_name name, std::uint32_t id) : sc_module(name), id_(id) {
    SC_METHOD(act);
    sensitive << wake_;
    dont_initialize();
  }
  void reset() {
    wake_.cancel();
    agenda_.clear();
    base_ = sc_core::sc_time_stamp();
  }
  void plan(std::uint64_t cycle, const Packet& packet) {
    agenda_.emplace(cycle, packet);
    arm();
  }
  void packet_arrived(const Packet& packet, std::uint64_t cycle) override { react(packet, cycle, true); }
  void packet_left(const Packet& packet, std::uint64_t cycle) override { react(packet, cycle, false); }

 private:
  SC_HAS_PROCESS(Endpoint);
  std::uint64_t now() const { return (sc_core::sc_time_stamp() - base_).value() / kPeriod; }
  void react(const Packet& packet, std::uint64_t cycle, bool arrived) {
    EXPECT_EQ(cycle, now());
    seen->push_back({cycle, packet.message.address, arrived});
    for (const auto& [delay, next] : workload->answer(packet, arrived)) {
      if (delay == 0)
        network->inject(next, cycle);
      else
        plan(cycle + delay, next);
    }
  }
  void arm() {
    if (agenda_.empty()) return;
    const std::uint64_t cycle = agenda_.begin()->first;
    wake_.notify(base_ + sc_core::sc_time::from_value(cycle * kPeriod) - sc_core::sc_time_stamp());
  }
  void act() {
    if (agenda_.empty() || agenda_.begin()->first > now()) return arm();  // woken twice in one cycle
    blocked->push_back(network->blocked_cycles(EndpointId(id_), now()) + id_ * 1'000'000 +
                       now() * 1'000'000'000);
    while (!agenda_.empty() && agenda_.begin()->first <= now()) {
      network->inject(agenda_.begin()->second, now());
      agenda_.erase(agenda_.begin());
    }
    arm();
  }

  std::uint32_t id_;
  sc_core::sc_time base_;
  sc_core::sc_event wake_;
  std::multimap<std::uint64_t, Packet> agenda_;
};

struct Result {
  std::vector<Seen> seen;              ///< sorted
  std::vector<std::uint64_t> blocked;  ///< sorted samples
  NocCounters counters;
  bool operator==(const Result&) const = default;
};

NocSpec spec_of(const char* topology, const std::vector<std::uint32_t>& extent) {
  NocSpec spec;
  spec.graph = build_link_graph(topology, extent);
  spec.virtual_channels = 8;
  for (std::uint32_t r = 0; r < spec.graph.router_count(); ++r) {
    spec.endpoints.push_back({EndpointKind::pe, RouterId(r), r});
    if (r % 3 == 0) spec.endpoints.push_back({EndpointKind::memory_port, RouterId(r), r});
  }
  return spec;
}

// Everything in one cycle: events first, then what endpoints do in it, then nothing else; injections enter
// one later.
Result by_hand(const NocSpec& spec, const Workload& workload) {
  const std::unique_ptr<RoutingFunction> routing = make_routing(spec.routing, spec.graph);
  NetworkCore core(spec, *routing, {.message_classes = kMessageClasses, .always_evaluate = true});
  Result result;
  std::multimap<std::uint64_t, Packet> agenda;
  for (const auto& [cycle, packet] : workload.start) agenda.emplace(cycle, packet);
  const auto inject = [&](const Packet& packet, std::uint64_t now) {
    Rng rng(packet.source.value(), packet.destination.value());
    core.inject(packet, now + 1, static_cast<std::uint32_t>(rng.next()));
  };
  for (std::uint64_t cycle = 0; !agenda.empty() || core.packets_in_flight() > 0; ++cycle) {
    while (core.run_until(cycle)) {
      const std::vector<NocEvent> events(core.events().begin(), core.events().end());
      for (const NocEvent& event : events) {
        const bool arrived = event.kind == NocEvent::Kind::arrived;
        result.seen.push_back({cycle, event.packet.message.address, arrived});
        for (const auto& [delay, next] : workload.answer(event.packet, arrived)) {
          if (delay == 0)
            inject(next, cycle);
          else
            agenda.emplace(cycle + delay, next);
        }
      }
    }
    std::set<std::uint32_t> acting;
    while (!agenda.empty() && agenda.begin()->first == cycle) {
      const Packet packet = agenda.begin()->second;
      agenda.erase(agenda.begin());
      if (acting.insert(packet.source.value()).second)
        result.blocked.push_back(core.blocked_cycles(packet.source, cycle) +
                                 packet.source.value() * 1'000'000 + cycle * 1'000'000'000);
      inject(packet, cycle);
    }
  }
  result.counters = core.counters();
  std::sort(result.seen.begin(), result.seen.end());
  std::sort(result.blocked.begin(), result.blocked.end());
  return result;
}

struct Chip {
  NocSpec spec;
  Noc noc;
  sc_core::sc_vector<Endpoint> endpoints;
  Result result;

  Chip(const char* name, const NocSpec& spec_)
      : spec(spec_), noc(name, spec, kPeriod), endpoints((std::string(name) + "_endpoints").c_str()) {
    endpoints.init(spec.endpoints.size(), [](const char* own, std::size_t i) {
      return new Endpoint(own, static_cast<std::uint32_t>(i));
    });
    for (std::size_t e = 0; e < endpoints.size(); ++e) {
      noc.endpoints[e].bind(endpoints[e]);
      endpoints[e].network.bind(noc.injector);
      endpoints[e].seen = &result.seen;
      endpoints[e].blocked = &result.blocked;
    }
  }
  void reset() {
    noc.reset();
    for (Endpoint& endpoint : endpoints) endpoint.reset();
    result = Result{};
  }
  void load(const Workload& workload) {
    for (Endpoint& endpoint : endpoints) endpoint.workload = &workload;
    for (const auto& [cycle, packet] : workload.start) endpoints[packet.source.value()].plan(cycle, packet);
  }
  Result finish() {
    result.counters = noc.counters(0);
    std::sort(result.seen.begin(), result.seen.end());
    std::sort(result.blocked.begin(), result.blocked.end());
    return result;
  }
};

NocSpec with(RouterModel model, NocSpec spec) {
  spec.router_model = model;
  return spec;
}

/// Dimension order that has no multicast.
class Unforked : public RoutingFunction {
 public:
  std::string refuse(const LinkGraph&) const override { return {}; }
  std::uint32_t routing_classes(const LinkGraph&) const override { return 1; }
  void bind(const LinkGraph& graph) override { inner_ = make_routing("xy", graph); }
  void route(const RouteRequest& request, RouteOptions& options) const override {
    inner_->route(request, options);
  }

 private:
  std::unique_ptr<RoutingFunction> inner_;
};
const Registration<RoutingFunction, Unforked> kUnforked{"unforked_test", "for a test"};

NocSpec without_forks(NocSpec spec) {
  spec.routing = "unforked_test";
  return spec;
}

struct Kernel {
  Chip mesh{"mesh", spec_of("mesh", {4, 4})};
  Chip torus{"torus", spec_of("torus", {3, 4})};
  Chip textbook{"textbook", with(RouterModel::textbook, spec_of("mesh", {4, 4}))};
  Chip unforked{"unforked", without_forks(spec_of("mesh", {4, 4}))};
  Chip textbook_unforked{"textbook_unforked",
                         with(RouterModel::textbook, without_forks(spec_of("mesh", {4, 4})))};
};
Kernel& kernel() {
  static Kernel* modules = new Kernel;  // never destroyed: the kernel outlives main
  return *modules;
}

TEST(Noc, EqualsTheCoreSteppedByHand) {
  Kernel& modules = kernel();
  for (std::uint64_t seed = 0; seed < 60; ++seed) {
    const Workload a(seed, 22, 3 + seed % 40);
    const Workload b(seed + 100, 16, seed % 3 == 0 ? 0 : 1 + seed % 20);
    modules.mesh.reset();
    modules.torus.reset();
    modules.mesh.load(a);
    modules.torus.load(b);
    sc_core::sc_start();
    const Result mesh = modules.mesh.finish(), expected = by_hand(modules.mesh.spec, a);
    ASSERT_EQ(mesh.seen, expected.seen) << "seed " << seed;
    ASSERT_EQ(mesh.blocked, expected.blocked) << "seed " << seed;
    ASSERT_EQ(mesh.counters.flit_hops, expected.counters.flit_hops) << "seed " << seed;
    ASSERT_EQ(modules.torus.finish().seen, by_hand(modules.torus.spec, b).seen) << "seed " << seed;
    ASSERT_EQ(modules.mesh.noc.packets_in_flight(), 0u);
  }
}

TEST(Noc, AnAbortedRunLeavesNoTrace) {
  Kernel& modules = kernel();
  const Workload a(7, 22, 40), b(8, 16, 30), other(9, 22, 50);
  Result first;
  for (std::uint64_t round = 0; round < 60; ++round) {
    modules.mesh.reset();
    modules.torus.reset();
    modules.mesh.load(other);
    modules.torus.load(b);
    sc_core::sc_start(sc_core::sc_time::from_value((1 + round * 37) * kPeriod));
    modules.mesh.reset();
    modules.torus.reset();
    modules.mesh.load(a);
    modules.torus.load(b);
    sc_core::sc_start();
    const Result result = modules.mesh.finish();
    if (round == 0) first = result;
    ASSERT_EQ(result, first) << "after " << 1 + round * 37 << " cycles";
  }
}

TEST(Noc, TheTextbookRouterMeasuresTheSame) {
  Kernel& modules = kernel();
  for (std::uint64_t seed = 200; seed < 210; ++seed) {
    const Workload workload(seed, 22, 3 + seed % 40);
    for (Chip* chip : {&modules.mesh, &modules.textbook}) {
      chip->reset();
      chip->load(workload);
    }
    sc_core::sc_start();
    const Result fast = modules.mesh.finish(), slow = modules.textbook.finish();
    ASSERT_EQ(fast.seen, slow.seen) << "seed " << seed;
    ASSERT_EQ(fast, slow) << "seed " << seed;
    ASSERT_FALSE(fast.seen.empty());
    ASSERT_EQ(modules.textbook.noc.packets_in_flight(), 0u);
  }
}

TEST(Noc, AnAbortedRunLeavesNoTraceInTheTextbookRouter) {
  Chip& chip = kernel().textbook;
  const Workload a(7, 22, 40), other(9, 22, 50);
  Result first;
  for (std::uint64_t round = 0; round < 8; ++round) {
    chip.reset();
    chip.load(other);
    sc_core::sc_start(sc_core::sc_time::from_value((1 + round * 61) * kPeriod));
    chip.reset();
    chip.load(a);
    sc_core::sc_start();
    const Result result = chip.finish();
    if (round == 0) first = result;
    ASSERT_EQ(result, first) << "after " << 1 + round * 61 << " cycles";
  }
}

TEST(Noc, AMulticastArrivesEverywhereAndLeavesOnce) {
  Kernel& modules = kernel();
  const Workload silent(1, 22, 0);
  const std::vector<EndpointId> leaves{EndpointId(2), EndpointId(5), EndpointId(15), EndpointId(21)};
  std::vector<Result> results;
  for (Chip* chip : {&modules.mesh, &modules.textbook, &modules.unforked, &modules.textbook_unforked}) {
    chip->reset();
    chip->load(silent);
    Packet packet;
    packet.source = EndpointId(3);
    packet.destinations = leaves;
    packet.flits = 4;
    packet.notify_left = true;
    packet.message.bytes = 0;
    packet.message.address = 7;
    chip->noc.inject(packet, 0);
    sc_core::sc_start();
    results.push_back(chip->finish());
    EXPECT_EQ(chip->noc.packets_in_flight(), 0u);
    EXPECT_EQ(std::count_if(results.back().seen.begin(), results.back().seen.end(),
                            [](const Seen& seen) { return seen.arrived; }),
              4);
    EXPECT_EQ(results.back().seen.size(), 5u);
  }
  EXPECT_EQ(results[0], results[1]);
  EXPECT_EQ(results[2], results[3]);
  EXPECT_EQ(results[0].counters.flits_injected, 4u);
  EXPECT_EQ(results[0].counters.flits_forked, 12u);
  EXPECT_EQ(results[2].counters.flits_injected, 16u);
  EXPECT_EQ(results[2].counters.flits_forked, 0u);
  EXPECT_GT(results[2].counters.flit_hops, results[0].counters.flit_hops);
}

TEST(Noc, RefusesUnknownEndpoints) {
  Chip& mesh = kernel().mesh;
  mesh.reset();
  Packet packet;
  packet.source = EndpointId(99);
  EXPECT_THROW(mesh.noc.inject(packet, 0), SimulationError);
}

}  // namespace
}  // namespace dfsim::test
