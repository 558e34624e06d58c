// Tiles in two slots: the DMA fills one while the units work on the other.
#include <algorithm>

#include "tests/sim/pe/pe_fixture.h"

namespace dfsim {
namespace {

constexpr std::uint32_t kTiles = 12;
constexpr std::uint32_t kBytesPerCycle = 32;  // of the memory and the network: a flit a cycle

/// Tile after tile: a load of the operands of an m x 256 x 32 product, and the product. With `slots` slots
/// the load of tile i waits for the end of product i - slots.
struct Tiles {
  Tiles(std::uint32_t m, std::uint32_t slots) : bytes((m * 32 + 32 * 256) * 2) {
    b.program.periods = kTiles;
    b.memory(0, TransferKind::load, {{PortId(0), 0, bytes, 1, 0}}, {{1, slots}});
    b.matmul(0, m, 256, 32, {{0, 0}});
  }
  std::vector<Work> run() {
    cycles = pe_world().run(b.program);
    EXPECT_EQ(pe_world().reason, "");
    std::vector<Work> products;
    for (std::uint32_t i = 0; i < kTiles; ++i) products.push_back(pe_world().recorder.of(0, 1, i));
    return products;
  }
  Work load(std::uint32_t tile) const { return pe_world().recorder.of(0, 0, tile); }
  std::uint32_t bytes;
  std::uint64_t cycles = 0;
  ProgramBuilder b;
};

// m = 128: 8 folds of 128 cycles are issued in 1024 cycles, and the load of 24576 bytes takes 768 and its
// latency: the transfer hides behind the product, and the pipeline never drains.
TEST(DoubleBuffering, RunsComputeBoundTilesBackToBack) {
  Tiles tiles(128, 2);
  const std::vector<Work> products = tiles.run();
  for (std::uint32_t i = 1; i < kTiles; ++i) EXPECT_EQ(products[i].start, products[i - 1].start + 1024) << i;
  EXPECT_EQ(products[0].start, tiles.load(0).end);
  const PeMeasurement& pe = pe_world().measured[0];
  EXPECT_EQ(pe.matrix_busy_cycles, tiles.cycles - products[0].start);
  EXPECT_EQ(pe_world().stall(0, StallCause::dma_dram), products[0].start)
      << "it waits for the first tile only";
}

// m = 32: 256 cycles of products against 576 of loads. The loads follow each other without a gap, at 32 bytes
// a cycle.
TEST(DoubleBuffering, RunsBandwidthBoundTilesAtTheBandwidth) {
  Tiles tiles(32, 2);
  const std::vector<Work> products = tiles.run();
  const std::uint64_t load_cycles = tiles.bytes / kBytesPerCycle;
  ASSERT_EQ(load_cycles, 576u);
  for (std::uint32_t i = 1; i < kTiles; ++i) {
    EXPECT_EQ(tiles.load(i).end, tiles.load(i - 1).end + load_cycles) << i;
    EXPECT_EQ(products[i].start, tiles.load(i).end) << i;
  }
  EXPECT_EQ(tiles.cycles,
            tiles.load(0).end + (kTiles - 1) * load_cycles + products[0].end - products[0].start);
}

// With a single slot, load and product take turns and nothing hides.
TEST(DoubleBuffering, HidesNothingWithASingleSlot) {
  Tiles single(128, 1), twofold(128, 2);
  const std::vector<Work> products = single.run();
  for (std::uint32_t i = 1; i < kTiles; ++i) {
    EXPECT_EQ(single.load(i).start, products[i - 1].end) << i;
    EXPECT_EQ(products[i].start, single.load(i).end) << i;
  }
  twofold.run();
  EXPECT_GT(single.cycles, twofold.cycles + (kTiles - 1) * 768);
}

// The network interface comes first at the banks: arriving data takes a flit a cycle, whatever the units
// want, and they share what is left.
TEST(DoubleBuffering, TakesAFlitACycleWhileTheUnitsWantMoreThanTheBanksGive) {
  const auto arrival = [](bool busy) {
    ProgramBuilder b;
    const auto in = b.tensor(1, 0, 65536), out = b.tensor(1, 65536, 65536);
    if (busy) {
      b.matmul(1, 256, 32, 64);
      b.vector(1, 64 * 100, {}, {in}, {out});
    }
    const auto [send, receive] = b.send(0, 1, 16384);
    PeWorld& world = pe_world();
    const ScratchpadSpec before = world.hardware.pe.scratchpad;
    world.hardware.pe.scratchpad.banks = 4;
    world.run(b.program);
    world.hardware.pe.scratchpad = before;
    EXPECT_EQ(world.recorder.of(0, send).start, 0u);
    if (busy) {
      EXPECT_GT(world.stall(1, StallCause::bank_conflict), 0u);
    }
    return world.recorder.of(1, receive).end;
  };
  EXPECT_EQ(arrival(true), arrival(false));
}

}  // namespace
}  // namespace dfsim
