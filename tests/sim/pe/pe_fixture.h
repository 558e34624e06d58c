// tests/sim/pe/pe_fixture.h: three PEs on a TestNetwork. Elaborated once per process; every run starts from
// reset.
#pragma once

#include <gtest/gtest.h>

#include <memory>
#include <tuple>
#include <vector>

#include "sim/pe/pe.h"
#include "tests/sim/pe/program_builder.h"
#include "tests/sim/pe/test_network.h"

namespace dfsim {

struct Work {
  std::uint32_t pe, op, instance;
  std::uint64_t start, end;
  auto operator<=>(const Work&) const = default;
};

class Recorder : public Observer {
 public:
  void micro_op(PeId pe, std::uint32_t op, std::uint32_t instance, std::uint64_t start,
                std::uint64_t end) override {
    work.push_back({pe.value(), op, instance, start, end});
  }
  void stall(PeId pe, StallCause, std::uint64_t start, std::uint64_t end) override {
    stalled.resize(std::max<std::size_t>(stalled.size(), pe.value() + 1));
    stalled[pe.value()] += end - start;
  }
  void transfer(TransferId, std::uint32_t, std::uint64_t, std::uint64_t) override { ++transfers; }
  Work of(std::uint32_t pe, std::uint32_t op, std::uint32_t instance = 0) const {
    for (const Work& w : work)
      if (w.pe == pe && w.op == op && w.instance == instance) return w;
    return {pe, op, instance, 0, 0};
  }
  std::vector<Work> work;
  std::vector<std::uint64_t> stalled;
  std::uint64_t transfers = 0;
};

class PeWorld {
 public:
  static constexpr std::uint32_t kPes = 3;
  HardwareSpec hardware = line_hardware(kPes);
  RunContext context{hardware, 0, false, nullptr, nullptr, {}, {}, {}, 0, false, {}};
  TestNetwork network{"network", context, kPes + 1};
  TestMemory memory{network};
  std::vector<std::unique_ptr<Pe>> pes;
  LoadedProgram loaded;
  Recorder recorder;

  PeWorld() {
    for (std::uint32_t i = 0; i < kPes; ++i) {
      pes.push_back(std::make_unique<Pe>(("pe_" + std::to_string(i)).c_str(), context, PeId(i)));
      pes.back()->noc(network);
      network.attach(i, *pes.back());
    }
    network.attach(kPes, memory);
    sc_core::sc_start(sc_core::SC_ZERO_TIME);
  }
  /// Cycles until the last micro-op ended; what happened is in `recorder` and `measured`. Loads the program;
  /// holds must be set in `prepare`.
  template <class Prepare>
  std::uint64_t run(const Program& program, Prepare prepare) {
    network.reset();
    memory.requests.clear();
    for (auto& pe : pes) pe->reset();
    recorder = Recorder{};
    prepare();
    context.base_ps = sc_core::sc_time_stamp().value();
    context.observer = &recorder;
    reason = load_program(
        program, hardware, [](NocId, NocId, TransferId) { return std::nullopt; }, loaded);
    if (!reason.empty()) return 0;
    context.loaded = &loaded;
    context.progress.reset(loaded);
    context.primitive_bytes.assign(program.primitives.size(), 0);
    context.transfer_done.assign(program.transfers.size(), 0);
    context.transfer_start.assign(program.transfers.size() * std::max(1u, program.periods), 0);
    for (LoadedPe& pe : loaded.pes) pes[pe.pe.value()]->start(pe);
    sc_core::sc_start();
    measured.clear();
    for (auto& pe : pes) measured.push_back(pe->measure(context.progress.last_end()));
    return context.progress.last_end();
  }
  std::uint64_t run(const Program& program) {
    return run(program, [] {});
  }
  std::uint64_t stall(std::uint32_t pe, StallCause cause) const {
    return measured[pe].stall_cycles[static_cast<std::size_t>(cause)];
  }
  std::string reason;
  std::vector<PeMeasurement> measured;
};

/// The only one of this process.
inline PeWorld& pe_world() {
  static PeWorld* world = new PeWorld;
  return *world;
}

}  // namespace dfsim
