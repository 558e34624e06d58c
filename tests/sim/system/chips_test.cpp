// Several chips as one machine: Ethernet rings that forward, the host, static energy.
#include <gtest/gtest.h>

#include <numeric>

#include "sim/hw/hardware_config.h"
#include "sim/system/machine.h"
#include "sim/system/measure.h"
#include "sim/system/system.h"
#include "tests/sim/pe/program_builder.h"

namespace dfsim {
namespace {

const HardwareSpec& four_chips() {
  static const HardwareSpec hardware = load_hardware(DFSIM_SOURCE_DIR "/configs/four_chips_ring.yaml");
  return hardware;
}

/// The bridge of a chip.
PortId bridge_of(std::uint32_t chip) {
  for (std::uint32_t p = 0; p < four_chips().memory.size(); ++p)
    if (four_chips().memory[p].host_bus && four_chips().memory[p].noc == NocId(chip)) return PortId(p);
  return PortId(0);
}

std::uint32_t first_pe_of(std::uint32_t chip) { return chip * 16; }

double parts_of(const Measurement& m) {
  double sum = 0;
  for (const auto& [name, energy] : m.energy_pj)
    if (name != "total") sum += energy;
  return sum;
}

double blocks_of(const Measurement& m) {
  return std::accumulate(m.energy_blocks_pj.begin(), m.energy_blocks_pj.end(), 0.0,
                         [](double sum, const auto& block) { return sum + block.second; });
}

/// A chip takes its input from the host, works on it, passes it to the chip opposite, which stores into the
/// host.
Program across(std::uint32_t periods) {
  ProgramBuilder b;
  b.program.periods = periods;
  for (std::uint32_t chip : {0u, 1u}) {
    const std::uint32_t from = first_pe_of(chip), to = first_pe_of(chip + 2);
    const auto load =
        b.memory(from, TransferKind::load, {{bridge_of(chip), 8192u * chip, 8192, 1, 0}}, {{2, 1}});
    const auto work = b.matmul(from, 64, 64, 64, {{load, 0}});
    const auto [send, receive] = b.send(from, to, 8192, {{work, 0}}, {{1, 1}}, 1);
    b.memory(to, TransferKind::store, {{bridge_of(chip + 2), 1u << 20, 8192, 1, 0}}, {{receive, 0}});
    EXPECT_EQ(send, 2u);
  }
  return b.program;
}

TEST(FourChips, CrossARingAndTheHostAndAccountForEverything) {
  const auto runner = make_program_runner(four_chips());
  const RunOutcome outcome = runner->run(across(4), {});
  ASSERT_EQ(outcome.status, RunStatus::finished) << outcome.reason;
  const Measurement& m = outcome.measurement;
  EXPECT_EQ(m.host_read_bytes, 4u * 2 * 8192);
  EXPECT_EQ(m.host_write_bytes, 4u * 2 * 8192);
  EXPECT_EQ(m.dram_read_bytes, 0u);
  EXPECT_EQ(m.dram_write_bytes, 0u);
  // Two links each: 0, 1, 2 and 1, 2, 3. Beside the data a grant of 8 bytes for each but the first.
  EXPECT_EQ(m.ethernet_bytes, 2u * 2 * (4 * 8192 + 3 * 8));
  EXPECT_EQ(m.flits_injected, m.flits_ejected);
  for (const PeMeasurement& pe : m.pes)
    EXPECT_EQ(std::accumulate(pe.stall_cycles.begin(), pe.stall_cycles.end(), pe.busy_cycles), m.cycles);
  EXPECT_GT(m.energy_blocks_pj.at("host"), 0.0);
  EXPECT_GT(m.energy_blocks_pj.at("ethernet"), 0.0);
  EXPECT_NEAR(parts_of(m), m.energy_pj.at("total"), 1e-9 * m.energy_pj.at("total"));
  EXPECT_NEAR(blocks_of(m), m.energy_pj.at("total"), 1e-9 * m.energy_pj.at("total"));
  EXPECT_EQ(runner->run(across(4), {}).measurement, m);
  RunLimit limit;
  for (limit.cycles = 100; limit.cycles < m.cycles; limit.cycles += 911) {
    EXPECT_EQ(runner->run(across(4), limit).status, RunStatus::limit_reached);
    EXPECT_EQ(runner->run(across(4), {}).measurement, m) << "after a stop at cycle " << limit.cycles;
  }
}

TEST(FourChips, CostOnlyStaticEnergyWhenNothingMoves) {
  Machine machine(four_chips());
  machine.reset();
  LoadedProgram loaded;
  const Program empty;
  ASSERT_EQ(load_program(
                empty, machine.hardware(), [](NocId, NocId, TransferId) { return std::nullopt; }, loaded),
            "");
  machine.context().loaded = &loaded;
  machine.context().progress.reset(loaded);
  const Measurement m = measure(machine, 10000);
  EXPECT_GT(m.energy_blocks_pj.at("static"), 0.0);
  for (const auto& [block, energy] : m.energy_blocks_pj) {
    if (block != "static") {
      EXPECT_EQ(energy, 0.0) << block;
    }
  }
  EXPECT_DOUBLE_EQ(m.energy_blocks_pj.at("static"), m.energy_pj.at("total"));
  // 64 PEs of 32 x 32 cells, and the DRAM channels: all for 10 us.
  EXPECT_EQ(m.events.at("matrix_cell_static_ns"), 64u * 1024 * 10000);
  EXPECT_EQ(m.events.at("dram_standby_ns"), (four_chips().memory.size() - 4) * 10000);
  EXPECT_EQ(m.events.at("dram_refresh"), (four_chips().memory.size() - 4) * 2);
}

}  // namespace
}  // namespace dfsim
