// How many requests and bursts per second of one core the memory models serve. Run `ninja dram_bench &&
// ./dram_bench`; counters per second are of CPU time.
#include <benchmark/benchmark.h>

#include <memory>
#include <vector>

#include "sim/base/rng.h"
#include "sim/mem/core/controller.h"
#include "sim/mem/reference/device_file.h"
#include "sim/mem/reference/experiment.h"

namespace dfsim {
namespace {

// ---------------------------------------------------------------- what `dfsim dram` runs

void experiment(benchmark::State& state, const char* device, const char* pattern) {
  const NamedDevice named = load_reference_device(device);
  DramExperiment e;
  e.device = named.device;
  e.source = named.source;
  e.channels = reference_channels(e.device, e.source);
  e.device.ranks = reference_ranks(e.device, e.source);
  e.scheduler = named.source == DramSource::ramulator2 ? "FRFCFS" : "per_bank";
  e.address_map =
      reference_address_map(named.source == DramSource::ramulator2 ? "RoBaRaCoCh" : "shipped", e.device);
  e.pattern = pattern;
  e.requests = 100000;
  for (auto _ : state) benchmark::DoNotOptimize(run_dram_experiment(e));
  state.counters["requests"] = benchmark::Counter(
      static_cast<double>(e.requests) * static_cast<double>(state.iterations()), benchmark::Counter::kIsRate);
}

BENCHMARK_CAPTURE(experiment, DDR4_8Gb_x8_2400_seqread, "DDR4_8Gb_x8_2400", "seqread");
BENCHMARK_CAPTURE(experiment, DDR4_8Gb_x8_2400_seqwrite, "DDR4_8Gb_x8_2400", "seqwrite");
BENCHMARK_CAPTURE(experiment, DDR4_8Gb_x8_2400_randread, "DDR4_8Gb_x8_2400", "randread");
BENCHMARK_CAPTURE(experiment, DDR4_8Gb_x8_2400_randmix, "DDR4_8Gb_x8_2400", "randmix");
BENCHMARK_CAPTURE(experiment, DDR4_2400_seqread, "DDR4_2400", "seqread");
BENCHMARK_CAPTURE(experiment, DDR4_2400_randread, "DDR4_2400", "randread");
BENCHMARK_CAPTURE(experiment, DDR4_2400_randmix, "DDR4_2400", "randmix");
BENCHMARK_CAPTURE(experiment, HBM2_8Gb_x128_seqread, "HBM2_8Gb_x128", "seqread");

// ---------------------------------------------------------------- the controller of a memory port

MemoryControllerSpec controller_of(const char* device) {
  MemoryControllerSpec spec;
  spec.device = load_reference_device(device).device;
  return spec;
}

std::uint64_t drain(MemoryController& controller, std::vector<MemoryPiece>& pieces) {
  for (std::uint64_t t = controller.next_event(); t != MemoryController::kNever;
       t = controller.next_event()) {
    controller.advance_to(t, pieces);
    pieces.clear();
  }
  const MemoryCounters counters = controller.counters();
  return counters.read_bursts + counters.write_bursts;
}

void port_stream_ddr4(benchmark::State& state) {
  const auto controller = make_memory_controller(controller_of("DDR4_8Gb_x8_2400"), 833);
  std::vector<MemoryPiece> pieces;
  std::uint64_t bursts = 0;
  for (auto _ : state) {
    controller->reset();
    for (std::uint32_t i = 0; i < 64; ++i) controller->enqueue({i * 65536ull, 65536, false, 0, i}, 0);
    bursts += drain(*controller, pieces);
  }
  state.counters["bursts"] = benchmark::Counter(static_cast<double>(bursts), benchmark::Counter::kIsRate);
}
BENCHMARK(port_stream_ddr4);

void port_random_ddr4(benchmark::State& state) {
  const MemoryControllerSpec spec = controller_of("DDR4_8Gb_x8_2400");
  const auto controller = make_memory_controller(spec, 833);
  std::vector<MemoryPiece> pieces;
  std::uint64_t bursts = 0;
  const std::uint64_t places = spec.capacity().count() / 64;
  for (auto _ : state) {
    controller->reset();
    Rng rng(1);
    for (std::uint32_t i = 0; i < 20000; ++i)
      controller->enqueue({rng.below(places) * 64, 64, false, i % 16, i % 64}, 0);
    bursts += drain(*controller, pieces);
  }
  state.counters["bursts"] = benchmark::Counter(static_cast<double>(bursts), benchmark::Counter::kIsRate);
}
BENCHMARK(port_random_ddr4);

// Sixteen pseudo channels, each with loads of 64 KiB in row order; answers in packets of 2 KiB.
void sixteen_ports_stream_hbm2(benchmark::State& state) {
  MemoryControllerSpec spec = controller_of("HBM2_2000");
  spec.device.ranks = 1;
  std::vector<std::unique_ptr<MemoryController>> ports;
  for (int i = 0; i < 16; ++i) ports.push_back(make_memory_controller(spec, 1000));
  std::vector<MemoryPiece> pieces;
  std::uint64_t bursts = 0;
  for (auto _ : state) {
    for (auto& port : ports) {
      port->reset();
      for (std::uint32_t i = 0; i < 16; ++i) port->enqueue({i * 65536ull, 65536, false, 0, i}, 0);
    }
    // All ports advance together, from event to event, as the kernel would have it.
    for (bool busy = true; busy;) {
      std::uint64_t next = MemoryController::kNever;
      for (auto& port : ports) next = std::min(next, port->next_event());
      busy = next != MemoryController::kNever;
      if (!busy) break;
      for (auto& port : ports) port->advance_to(next, pieces);
      pieces.clear();
    }
    for (auto& port : ports) bursts += port->counters().read_bursts;
  }
  state.counters["bursts"] = benchmark::Counter(static_cast<double>(bursts), benchmark::Counter::kIsRate);
}
BENCHMARK(sixteen_ports_stream_hbm2);

}  // namespace
}  // namespace dfsim

extern "C" int sc_main(int, char**) { return 0; }

BENCHMARK_MAIN();
