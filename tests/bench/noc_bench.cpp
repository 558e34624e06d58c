// How fast the network core simulates, in flit-hops and cycles per second of processor time.
#include <benchmark/benchmark.h>
#include <sys/resource.h>

#include <memory>

#include "sim/base/rng.h"
#include "sim/hw/topology/topology.h"
#include "sim/noc/core/network_core.h"
#include "sim/noc/experiment.h"

namespace dfsim {
namespace {

NocSpec mesh(std::uint32_t k, SwitchArbitration arbitration) {
  NocSpec spec;
  spec.graph = build_link_graph("mesh", {k, k});
  spec.arbitration = arbitration;
  attach_one_endpoint_per_router(spec);
  return spec;
}

/// `hops` flit-hops and `cycles` cycles have been simulated in all iterations.
void report(benchmark::State& state, std::uint64_t hops, std::uint64_t cycles) {
  using benchmark::Counter;
  state.counters["flit_hops/s"] = Counter(static_cast<double>(hops), Counter::kIsRate);
  state.counters["cycles/s"] = Counter(static_cast<double>(cycles), Counter::kIsRate);
  rusage usage{};
  getrusage(RUSAGE_SELF, &usage);
  state.counters["peak_MiB"] = static_cast<double>(usage.ru_maxrss) / 1024;
}

/// Packets of 5 flits, uniform traffic. Arguments: extent, load in thousandths of a flit per node and cycle,
/// cycles.
void short_packets(benchmark::State& state) {
  NocExperiment experiment;
  experiment.spec = mesh(static_cast<std::uint32_t>(state.range(0)), SwitchArbitration::islip);
  experiment.rate = static_cast<double>(state.range(1)) / 1000;
  experiment.warmup_cycles = 0;
  experiment.measured_cycles = static_cast<std::uint64_t>(state.range(2));
  std::uint64_t hops = 0, cycles = 0;
  for (auto _ : state) {
    const NocExperimentResult result = run_noc_experiment(experiment);
    hops += result.flit_hops;
    cycles += result.simulated_cycles;
  }
  report(state, hops, cycles);
}

/// Every PE of an 8x8 mesh sends tensors of 1024 flits to random others, cut into packets of `range(0)`
/// flits, under packet_hold. One run in a core that is reset between runs, as planning does it.
void random_pairs(benchmark::State& state) {
  constexpr std::uint32_t kNodes = 64, kTensors = 20, kTensorFlits = 1024;
  const auto flits = static_cast<std::uint32_t>(state.range(0));
  const NocSpec spec = mesh(8, SwitchArbitration::packet_hold);
  const std::unique_ptr<RoutingFunction> routing = make_routing(spec.routing, spec.graph);
  NetworkCore core(spec, *routing);
  std::uint64_t hops = 0, cycles = 0;
  for (auto _ : state) {
    core.reset();
    for (std::uint32_t source = 0; source < kNodes; ++source) {
      Rng rng(1, source);
      for (std::uint32_t tensor = 0; tensor < kTensors; ++tensor) {
        Packet packet;
        packet.source = EndpointId(source);
        packet.destination =
            EndpointId((source + 1 + static_cast<std::uint32_t>(rng.below(kNodes - 1))) % kNodes);
        packet.flits = flits;
        for (std::uint32_t sent = 0; sent < kTensorFlits; sent += flits) core.inject(packet, 0);
      }
    }
    while (core.run_until(kNever - 1)) continue;
    if (core.packets_in_flight() != 0) state.SkipWithError("deadlock");
    hops += core.counters().flit_hops;
    cycles += core.event_cycle();
  }
  report(state, hops, cycles);
}

BENCHMARK(short_packets)
    ->ArgNames({"extent", "milli_load", "cycles"})
    ->Args({8, 100, 20'000})
    ->Args({8, 300, 10'000})
    ->Args({16, 100, 5'000})
    ->Args({8, 20, 20'000})
    ->Args({32, 20, 4'000})
    ->Args({64, 20, 2'000})
    ->Unit(benchmark::kMillisecond);
BENCHMARK(random_pairs)->ArgName("packet_flits")->Arg(64)->Arg(256)->Unit(benchmark::kMillisecond);

}  // namespace
}  // namespace dfsim

/// libsystemc has a main of its own that calls this one.
extern "C" int sc_main(int, char**) { return 0; }

BENCHMARK_MAIN();
