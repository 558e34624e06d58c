// The fast core against the textbook router on random networks: every packet enters and arrives in the same
// cycle, every link carries the same flits, every stall has the same cause. Modules are built before the
// kernel runs, so one process has a fixed number of networks: DFSIM_NOC_CASES (default 300), the first of
// them random network DFSIM_NOC_FIRST (default 0). scripts/noc_campaign runs thousands.
#include "sim/noc/textbook/network.h"

#include <gtest/gtest.h>

#include "tests/numbers.h"
#include "tests/sim/noc/core/random_network.h"

namespace dfsim::test {
namespace {

/// A random network as modules.
struct Bench {
  RandomNetwork random;
  std::unique_ptr<RoutingFunction> routing;
  textbook::Network network;
  Trace trace;

  explicit Bench(std::uint64_t seed)
      : random(seed),
        routing(make_routing(random.spec.routing, random.spec.graph)),
        network(("network_" + std::to_string(seed)).c_str(), random.spec, *routing, random.message_classes,
                1) {
    network.watch_flits(true);
    network.deliver = [this](std::span<const NocEvent> events, std::uint64_t cycle) {
      for (const NocEvent& event : events) trace.entries.push_back(entry_of(event, cycle));
    };
  }
  void load() {
    trace = Trace{};
    network.reset();
    for (const TimedPacket& timed : random.packets) network.inject(timed.to_send(), timed.cycle, timed.coins);
  }
  Trace finish() {
    trace.drained = network.packets_in_flight() == 0;
    const std::uint64_t end = trace.entries.empty() ? 0 : trace.entries.back().cycle + 100;
    trace.counters = network.counters(end);
    trace.link_flits = network.link_flits(end);
    take_flits(network.take_flit_runs(), trace);
    for (std::uint32_t e = 0; e < random.spec.endpoints.size(); ++e)
      trace.blocked.push_back(network.blocked_cycles(EndpointId(e), end));
    return trace;
  }
};

std::vector<std::unique_ptr<Bench>>& benches() {
  static auto* all = [] {
    auto* built = new std::vector<std::unique_ptr<Bench>>;  // never destroyed: the kernel outlives main
    const std::uint64_t first = number_from("DFSIM_NOC_FIRST", 0),
                        cases = number_from("DFSIM_NOC_CASES", 300);
    for (std::uint64_t seed = first; seed < first + cases; ++seed)
      built->push_back(std::make_unique<Bench>(seed));
    return built;
  }();
  return *all;
}

/// What a packet has hopped when it has only left its source is told by nobody.
Trace without_early_hops(Trace trace) {
  for (Trace::Entry& entry : trace.entries)
    if (!entry.arrived) entry.hops = 0;
  return trace;
}

TEST(Textbook, TheFastCoreEqualsIt) {
  std::uint64_t packets = 0, hops = 0;
  Coverage coverage;
  for (auto& bench : benches()) {
    coverage.add(bench->random);
    bench->load();
    sc_core::sc_start();
    const Trace slow = without_early_hops(bench->finish());
    const Trace fast = without_early_hops(play(bench->random, {}));
    ASSERT_TRUE(slow.drained) << bench->network.name();
    ASSERT_EQ(slow.entries.size(), fast.entries.size()) << bench->network.name();
    for (std::size_t i = 0; i < slow.entries.size(); ++i)
      ASSERT_EQ(slow.entries[i], fast.entries[i])
          << bench->network.name() << ": event " << i << ", packet " << slow.entries[i].packet << " at "
          << slow.entries[i].cycle << ", packet " << fast.entries[i].packet << " at "
          << fast.entries[i].cycle;
    ASSERT_EQ(slow.link_flits, fast.link_flits) << bench->network.name();
    ASSERT_EQ(slow.flits.size(), fast.flits.size()) << bench->network.name();
    ASSERT_TRUE(slow.flits == fast.flits) << bench->network.name();
    ASSERT_EQ(slow.blocked, fast.blocked) << bench->network.name();
    ASSERT_EQ(slow.counters, fast.counters) << bench->network.name();
    packets += slow.entries.size();
    hops += slow.counters.flit_hops;
  }
  RecordProperty("flit_hops", std::to_string(hops));
  EXPECT_GT(packets, 0u);
  std::printf("%zu networks, %llu events, %llu flit-hops: no difference\n", benches().size(),
              static_cast<unsigned long long>(packets), static_cast<unsigned long long>(hops));
  coverage.print();
}

TEST(Textbook, AnAbortedRunLeavesNoTrace) {
  const std::size_t cases = std::min<std::size_t>(benches().size(), number_from("DFSIM_NOC_ABORTED", 40));
  for (std::size_t i = 0; i < cases; ++i) {
    Bench& bench = *benches()[i];
    bench.load();
    sc_core::sc_start(sc_core::sc_time::from_value(1 + Rng(i).below(300)));
    bench.load();
    sc_core::sc_start();
    const Trace again = without_early_hops(bench.finish());
    ASSERT_EQ(again, without_early_hops(play(bench.random, {}))) << bench.network.name();
  }
}

}  // namespace
}  // namespace dfsim::test
