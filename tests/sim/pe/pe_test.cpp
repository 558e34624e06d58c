// Programs of one to three PEs on a network of fixed latency, every cycle counted by hand. A packet injected
// at t has its tail sent at t + flits, has left at t + flits + 1 and arrives at t + flits + 10.
#include "sim/pe/pe.h"

#include <gtest/gtest.h>

#include <numeric>

#include "tests/sim/pe/pe_fixture.h"

namespace dfsim {
namespace {

std::uint64_t cycles_of(const PeMeasurement& pe) {
  return std::accumulate(pe.stall_cycles.begin(), pe.stall_cycles.end(), pe.busy_cycles);
}

void expect_all_cycles_accounted(std::uint64_t cycles) {
  const PeWorld& world = pe_world();
  for (const PeMeasurement& pe : world.measured) EXPECT_EQ(cycles_of(pe), cycles) << "PE " << pe.pe;
}

TEST(Pe, SendsOnceTheVectorUnitIsDoneAndTheReceiverContinuesOnArrival) {
  ProgramBuilder b;
  const auto v0 = b.vector(0, 64);  // 8 + 1 * 2 = 10 cycles
  const auto [send, receive] = b.send(0, 1, 256, {{v0, 0}});
  const auto v1 = b.vector(1, 128, {{receive, 0}});  // 8 + 2 * 2 = 12
  PeWorld& world = pe_world();
  const std::uint64_t cycles = world.run(b.program);
  EXPECT_EQ(world.recorder.of(0, v0), (Work{0, v0, 0, 0, 10}));
  EXPECT_EQ(world.recorder.of(0, send), (Work{0, send, 0, 10, 19}));  // 8 flits: tail at 18, left as of 19
  EXPECT_EQ(world.recorder.of(1, receive), (Work{1, receive, 0, 0, 28}));
  EXPECT_EQ(world.recorder.of(1, v1), (Work{1, v1, 0, 28, 40}));
  EXPECT_EQ(cycles, 40u);
  EXPECT_EQ(world.measured[0].busy_cycles, 10u);
  EXPECT_EQ(world.stall(0, StallCause::dependence), 9u);  // for its own send
  EXPECT_EQ(world.stall(0, StallCause::no_work), 21u);
  EXPECT_EQ(world.measured[1].busy_cycles, 12u);
  EXPECT_EQ(world.stall(1, StallCause::no_work), 28u);  // nothing had arrived
  EXPECT_EQ(world.stall(2, StallCause::no_work), 40u);  // no program
  expect_all_cycles_accounted(cycles);
  EXPECT_EQ(world.measured[0].bytes_sent, 256u);
  EXPECT_EQ(world.measured[1].bytes_received, 256u);
}

TEST(Pe, WaitsForTheGrantThatFollowsTheLastUseOfTheRegion) {
  ProgramBuilder b;
  const auto v1 = b.vector(1, 64 * 46);  // 8 + 46 * 2 = 100 cycles
  const auto [send, receive] = b.send(0, 1, 32, {}, {{v1, 0}});
  PeWorld& world = pe_world();
  const std::uint64_t cycles = world.run(b.program);
  // Grant injected at 100, arrives at 111; data injected at 111, left as of 113, arrives at 122.
  EXPECT_EQ(world.recorder.of(0, send), (Work{0, send, 0, 111, 113}));
  EXPECT_EQ(world.recorder.of(1, receive), (Work{1, receive, 0, 100, 122}));
  EXPECT_EQ(cycles, 122u);
  EXPECT_EQ(world.stall(0, StallCause::no_grant), 111u);
  EXPECT_EQ(world.stall(1, StallCause::dependence), 22u);
  expect_all_cycles_accounted(cycles);
}

TEST(Pe, GrantsTheFirstInstancesOfABufferWithSlotsAtTheStart) {
  ProgramBuilder b;
  b.program.periods = 3;
  const auto [send, receive] = b.send(0, 1, 32, {}, {{1, 2}});  // two slots: reused two periods later
  const auto v = b.vector(1, 64 * 21, {{receive, 0}});          // 50 cycles
  ASSERT_EQ(v, 1u);
  PeWorld& world = pe_world();
  const std::uint64_t cycles = world.run(b.program);
  ASSERT_EQ(world.reason, "");
  EXPECT_EQ(world.recorder.of(0, send, 0), (Work{0, send, 0, 0, 2}));  // granted
  // One packet of the channel is injected as soon as the one before is: no gap.
  EXPECT_EQ(world.recorder.of(0, send, 1), (Work{0, send, 1, 0, 3}));
  EXPECT_EQ(world.recorder.of(1, v, 0), (Work{1, v, 0, 11, 61}));
  EXPECT_EQ(world.recorder.of(1, v, 1), (Work{1, v, 1, 61, 111}));
  // Third: ready injected at 61, there at 72; data injected at 72, there at 83.
  EXPECT_EQ(world.recorder.of(0, send, 2), (Work{0, send, 2, 72, 74}));
  EXPECT_EQ(world.recorder.of(1, receive, 2), (Work{1, receive, 2, 61, 83}));
  EXPECT_EQ(cycles, 161u);
  expect_all_cycles_accounted(cycles);
}

TEST(Pe, SendsTokensWithoutAGrant) {
  ProgramBuilder b;
  const auto v1 = b.vector(1, 64 * 46);  // 100 cycles
  const auto [send, receive] = b.send(0, 1, 0, {}, {{v1, 0}});
  PeWorld& world = pe_world();
  const std::uint64_t cycles = world.run(b.program);
  EXPECT_EQ(world.recorder.of(0, send), (Work{0, send, 0, 0, 2}));
  EXPECT_EQ(world.recorder.of(1, receive), (Work{1, receive, 0, 100, 100}));  // it had arrived at 11
  EXPECT_EQ(cycles, 100u);
  EXPECT_EQ(world.network.flits, 1u);
  expect_all_cycles_accounted(cycles);
}

TEST(Pe, LoadsWhatItAskedFor) {
  ProgramBuilder b;
  const auto load = b.memory(0, TransferKind::load, {{PortId(0), 4096, 4096, 1, 0}});
  const auto v = b.vector(0, 64, {{load, 0}});
  PeWorld& world = pe_world();
  const std::uint64_t cycles = world.run(b.program);
  // Request injected at 0, there at 11; two packets of 64 flits injected at 11: tail of the second at 139,
  // there at 149.
  EXPECT_EQ(world.recorder.of(0, load), (Work{0, load, 0, 0, 149}));
  EXPECT_EQ(world.recorder.of(0, v), (Work{0, v, 0, 149, 159}));
  EXPECT_EQ(world.stall(0, StallCause::dma_dram), 149u);
  EXPECT_EQ(world.measured[0].bytes_loaded, 4096u);
  ASSERT_EQ(world.memory.requests.size(), 1u);
  expect_all_cycles_accounted(cycles);
}

TEST(Pe, AsksForContiguousPiecesOfAtMost64KiB) {
  ProgramBuilder b;
  b.memory(0, TransferKind::load,
           {{PortId(0), 0, 40000, 1, 0},         // contiguous with the next
            {PortId(0), 40000, 40000, 1, 0},     // together 80000: 65536 and 14464
            {PortId(0), 100000, 64, 3, 64},      // dense: one piece
            {PortId(0), 200000, 32, 2, 1000}});  // two pieces
  PeWorld& world = pe_world();
  world.run(b.program);
  std::vector<std::pair<std::uint64_t, std::uint32_t>> pieces;
  for (const Packet& p : world.memory.requests) pieces.emplace_back(p.message.address, p.message.bytes);
  EXPECT_EQ(pieces, (std::vector<std::pair<std::uint64_t, std::uint32_t>>{
                        {0, 65536}, {65536, 14464}, {100000, 192}, {200000, 32}, {201000, 32}}));
}

TEST(Pe, StoresAndWaitsForTheAcknowledgement) {
  ProgramBuilder b;
  const auto store = b.memory(0, TransferKind::store, {{PortId(0), 0, 3072, 1, 0}});
  PeWorld& world = pe_world();
  const std::uint64_t cycles = world.run(b.program);
  // 64 + 32 flits injected at 0: tails at 64 and 96, there at 74 and 106; acknowledged at 106 + 11.
  EXPECT_EQ(world.recorder.of(0, store), (Work{0, store, 0, 0, 117}));
  EXPECT_EQ(world.stall(0, StallCause::dma_dram), 117u);
  EXPECT_EQ(world.measured[0].bytes_stored, 3072u);
  expect_all_cycles_accounted(cycles);
}

TEST(Pe, LimitsTheOutstandingTransfers) {
  ProgramBuilder b;
  for (std::uint32_t i = 0; i < 9; ++i) b.memory(0, TransferKind::load, {{PortId(0), i * 64, 32, 1, 0}});
  PeWorld& world = pe_world();
  world.run(b.program);
  // Requests leave in cycles 1, 2, ...: two at a time are queued. The first answer is there at 22 = 11 + 11.
  EXPECT_EQ(world.recorder.of(0, 0), (Work{0, 0, 0, 0, 22}));
  EXPECT_EQ(world.recorder.of(0, 7), (Work{0, 7, 0, 7, 29}));
  EXPECT_EQ(world.recorder.of(0, 8), (Work{0, 8, 0, 22, 44}));
}

TEST(Pe, ContinuesTheMatrixPipelineOfOneOperator) {
  ProgramBuilder b;
  // 32x32, T = 128, one fold: 32 + 128 + 32 + 32 - 2 = 222 cycles, issued after 128.
  const auto a = b.matmul(0, 128, 32, 32), c = b.matmul(0, 128, 32, 32), d = b.matmul(0, 128, 32, 32, {}, 1);
  PeWorld& world = pe_world();
  const std::uint64_t cycles = world.run(b.program);
  EXPECT_EQ(world.recorder.of(0, a), (Work{0, a, 0, 0, 222}));
  EXPECT_EQ(world.recorder.of(0, c), (Work{0, c, 0, 128, 350}));
  EXPECT_EQ(world.recorder.of(0, d),
            (Work{0, d, 0, 350, 572}));  // another operator waits for an empty pipeline
  EXPECT_EQ(world.measured[0].busy_cycles, 572u);
  EXPECT_EQ(world.measured[0].matrix_busy_cycles, 572u);
  expect_all_cycles_accounted(cycles);
}

TEST(Pe, PassesPartialSumsOnInsideThePipeline) {
  ProgramBuilder b;
  const auto sums = b.tensor(0, 0, 8192);
  const auto a = b.matmul(0, 128, 32, 32, {}, 0, {}, {sums});
  const auto c = b.matmul(0, 128, 32, 32, {{a, 0}}, 0, {sums}, {sums});
  PeWorld& world = pe_world();
  world.run(b.program);
  EXPECT_EQ(world.recorder.of(0, c).start, 222u);  // without accumulate it reads a finished result
  b.at(0).ops[c].matmul.accumulate = true;
  world.run(b.program);
  ASSERT_EQ(world.reason, "");
  EXPECT_EQ(world.recorder.of(0, c).start, 128u);
}

TEST(Pe, RunsItsUnitsAtTheSameTime) {
  ProgramBuilder b;
  const auto m = b.matmul(0, 128, 32, 32);
  const auto v = b.vector(0, 64 * 46);
  PeWorld& world = pe_world();
  const std::uint64_t cycles = world.run(b.program);
  EXPECT_EQ(world.recorder.of(0, m).start, 0u);
  EXPECT_EQ(world.recorder.of(0, v), (Work{0, v, 0, 0, 100}));
  EXPECT_EQ(cycles, 222u);
  EXPECT_EQ(world.measured[0].busy_cycles, 222u);
  EXPECT_EQ(world.measured[0].vector_busy_cycles, 100u);
}

TEST(Pe, SlowsTheVectorUnitToWhatTheMatrixUnitLeaves) {
  ProgramBuilder b;
  const auto in = b.tensor(0, 0, 20000), out = b.tensor(0, 20000, 20000);
  const auto m = b.matmul(0, 128, 32, 64);               // 2 folds: 350 cycles, issued after 256
  const auto v = b.vector(0, 64 * 46, {}, {in}, {out});  // 100 cycles: 200 bytes read and written per cycle
  PeWorld& world = pe_world();
  world.run(b.program);
  EXPECT_EQ(world.recorder.of(0, v).end, 100u);  // 15 banks of 32 bytes are enough
  const ScratchpadSpec before = world.hardware.pe.scratchpad;
  world.hardware.pe.scratchpad.banks = 8;
  const std::uint64_t cycles = world.run(b.program);
  // 7 * 32 = 224 bytes per cycle. Matmul reads 128*64*2 + 64*32*2 + 128*32*4 = 36864 bytes in 256 cycles =
  // 144 per cycle: 80 are left for 200, rate 0.4 (26214 / 65536). Writes: 2 * 16384 / 256 = 128, leaves 96:
  // not the limit. The vector unit needs ceil(100 * 65536 / 26214) = 251 cycles.
  EXPECT_EQ(world.recorder.of(0, m), (Work{0, m, 0, 0, 350}));
  EXPECT_EQ(world.recorder.of(0, v), (Work{0, v, 0, 0, 251}));
  EXPECT_EQ(world.measured[0].busy_cycles, 350u);  // the matrix unit was not slowed
  EXPECT_EQ(world.measured[0].vector_busy_cycles, 100u);
  expect_all_cycles_accounted(cycles);
  world.hardware.pe.scratchpad = before;
}

TEST(Pe, CountsCyclesLostToBankConflicts) {
  ProgramBuilder b;
  const auto in = b.tensor(0, 0, 44800);
  const auto v = b.vector(0, 64 * 46, {}, {in});  // 448 bytes per cycle for 100 cycles
  PeWorld& world = pe_world();
  const ScratchpadSpec before = world.hardware.pe.scratchpad;
  world.hardware.pe.scratchpad.banks = 8;
  const std::uint64_t cycles = world.run(b.program);
  EXPECT_EQ(world.recorder.of(0, v).end, 200u);  // 224 of 448
  EXPECT_EQ(world.measured[0].busy_cycles, 100u);
  EXPECT_EQ(world.stall(0, StallCause::bank_conflict), 100u);
  expect_all_cycles_accounted(cycles);
  world.hardware.pe.scratchpad = before;
}

TEST(Pe, CountsTheCyclesInWhichTheNetworkTookNothing) {
  ProgramBuilder b;
  b.send(0, 1, 64);
  PeWorld& world = pe_world();
  const std::uint64_t cycles = world.run(b.program, [&] { world.network.hold(0, 1, 31); });
  EXPECT_EQ(world.stall(0, StallCause::noc_no_credit), 30u);  // cycles 1 ... 30
  EXPECT_EQ(world.stall(0, StallCause::dependence), 3u);      // cycles 0, 31, 32: nothing was in its way
  expect_all_cycles_accounted(cycles);
}

TEST(Pe, FeedsItsChannelsInTurnWithoutGaps) {
  ProgramBuilder b;
  const auto [a, ra] = b.send(0, 1, 4096, {}, {}, 0);
  const auto [c, rc] = b.send(0, 2, 4096, {}, {}, 1);
  PeWorld& world = pe_world();
  world.run(b.program);
  // Four packets of 64 flits: 1, 2, 1, 2; their tails in cycles 64, 128, 192, 256.
  EXPECT_EQ(world.recorder.of(0, a), (Work{0, a, 0, 0, 193}));
  EXPECT_EQ(world.recorder.of(0, c), (Work{0, c, 0, 0, 257}));
  EXPECT_EQ(world.recorder.of(1, ra).end, 202u);
  EXPECT_EQ(world.recorder.of(2, rc).end, 266u);
}

TEST(Pe, RunsThePrologueOnceAndThePeriodAsOftenAsAsked) {
  ProgramBuilder b;
  b.program.periods = 4;
  const auto load = b.memory(0, TransferKind::load, {{PortId(0), 0, 32, 1, 0}});
  b.at(0).prologue_ops = 1;
  const auto v = b.vector(0, 64, {{load, 0}});
  PeWorld& world = pe_world();
  EXPECT_EQ(world.run(b.program), 22u + 4 * 10);
  EXPECT_EQ(world.recorder.of(0, v, 3), (Work{0, v, 3, 52, 62}));
  EXPECT_EQ(world.context.progress.period_done(), (std::vector<std::uint64_t>{32, 42, 52, 62}));
}

TEST(Pe, TellsTheObserverEveryStalledCycle) {
  ProgramBuilder b;
  const auto v0 = b.vector(0, 64);
  const auto [send, receive] = b.send(0, 1, 256, {{v0, 0}});
  b.vector(1, 128, {{receive, 0}});
  PeWorld& world = pe_world();
  world.run(b.program);
  for (std::uint32_t pe = 0; pe < 2; ++pe)
    EXPECT_EQ(world.recorder.stalled[pe] + world.measured[pe].busy_cycles, 40u);
  EXPECT_EQ(world.recorder.transfers, 1u);
}

TEST(Pe, RunsAgainAsIfItWereTheFirstTime) {
  ProgramBuilder a, b;
  const auto [sa, ra] = a.send(0, 1, 4096);
  a.vector(1, 640, {{ra, 0}});
  b.matmul(0, 64, 64, 64);
  b.memory(0, TransferKind::load, {{PortId(0), 0, 9000, 1, 0}}, {}, 2);
  PeWorld& world = pe_world();
  world.run(a.program);
  const auto first = world.recorder.work;
  const auto first_measured = world.measured;
  world.run(b.program);
  world.run(a.program);
  EXPECT_EQ(world.recorder.work, first);
  EXPECT_EQ(world.measured, first_measured);
}

// Two packets of a buffer's 8 flits: tails in 18 and 26.
TEST(Pe, AMulticastGoesToAllLeavesInPacketsThatFitIntoABuffer) {
  ProgramBuilder b;
  const auto v0 = b.vector(0, 64);  // 10 cycles
  const auto ops = b.multicast(TransferKind::send, 0, {1, 2}, 512, {{v0, 0}});
  const auto v2 = b.vector(2, 64, {{ops[2], 0}});
  PeWorld& world = pe_world();
  const std::uint64_t cycles = world.run(b.program);
  EXPECT_EQ(world.recorder.of(0, ops[0]), (Work{0, ops[0], 0, 10, 27}));
  EXPECT_EQ(world.recorder.of(1, ops[1]), (Work{1, ops[1], 0, 0, 36}));
  EXPECT_EQ(world.recorder.of(2, ops[2]), (Work{2, ops[2], 0, 0, 36}));
  EXPECT_EQ(world.recorder.of(2, v2), (Work{2, v2, 0, 36, 46}));
  EXPECT_EQ(cycles, 46u);
  EXPECT_EQ(world.network.flits, 16u);
  EXPECT_EQ(world.measured[0].bytes_sent, 512u);
  EXPECT_EQ(world.measured[1].bytes_received, 512u);
  EXPECT_EQ(world.measured[2].bytes_received, 512u);
  EXPECT_EQ(world.recorder.transfers, 2u);
  EXPECT_EQ(world.context.primitive_bytes, (std::vector<std::uint64_t>{1024}));
  expect_all_cycles_accounted(cycles);
}

TEST(Pe, AMulticastWaitsForTheGrantsOfAllLeaves) {
  ProgramBuilder b;
  const auto v1 = b.vector(1, 64 * 46);  // 100 cycles; grant injected at 100, arrives at 111
  const auto v2 = b.vector(2, 64 * 6);   // 20 cycles; its grant arrives at 31
  const auto ops = b.multicast(TransferKind::send, 0, {1, 2}, 32, {}, {{{v1, 0}}, {{v2, 0}}});
  PeWorld& world = pe_world();
  const std::uint64_t cycles = world.run(b.program);
  EXPECT_EQ(world.recorder.of(0, ops[0]), (Work{0, ops[0], 0, 111, 113}));
  EXPECT_EQ(world.recorder.of(1, ops[1]), (Work{1, ops[1], 0, 100, 122}));
  EXPECT_EQ(world.recorder.of(2, ops[2]), (Work{2, ops[2], 0, 20, 122}));
  EXPECT_EQ(world.stall(0, StallCause::no_grant), 111u);
  EXPECT_EQ(world.stall(2, StallCause::dependence), 102u);
  expect_all_cycles_accounted(cycles);
}

TEST(Pe, AMulticastTokenNeedsNoGrant) {
  ProgramBuilder b;
  const auto v0 = b.vector(0, 64);
  const auto v1 = b.vector(1, 64 * 46);
  const auto ops = b.multicast(TransferKind::send, 0, {1, 2}, 0, {{v0, 0}}, {{{v1, 0}}, {}});
  PeWorld& world = pe_world();
  world.run(b.program);
  EXPECT_EQ(world.recorder.of(0, ops[0]), (Work{0, ops[0], 0, 10, 12}));
  EXPECT_EQ(world.recorder.of(1, ops[1]).end, 100u);  // it was there long before
  EXPECT_EQ(world.recorder.of(2, ops[2]).end, 21u);
}

// The grant of PE 1 arrives at 21, the request at 32; the answer is two packets of 64 flits, which arrive at
// 106 and 170.
TEST(Pe, AMulticastLoadIsAskedForOnceTheOthersHaveGranted) {
  ProgramBuilder b;
  const auto v1 = b.vector(1, 64);
  const auto ops = b.multicast(TransferKind::load, 0, {1, 2}, 4096, {}, {{{v1, 0}}, {}});
  const auto v2 = b.vector(2, 64, {{ops[2], 0}});
  PeWorld& world = pe_world();
  const std::uint64_t cycles = world.run(b.program);
  EXPECT_EQ(world.recorder.of(0, ops[0]), (Work{0, ops[0], 0, 21, 170}));
  EXPECT_EQ(world.recorder.of(1, ops[1]), (Work{1, ops[1], 0, 10, 170}));
  EXPECT_EQ(world.recorder.of(2, v2), (Work{2, v2, 0, 170, 180}));
  ASSERT_EQ(world.memory.requests.size(), 1u);
  EXPECT_EQ(world.memory.requests[0].message.reply_to_all.size(), 3u);
  EXPECT_EQ(world.stall(0, StallCause::no_grant), 21u);
  EXPECT_EQ(world.stall(0, StallCause::dma_dram), 149u);
  // Of the others, a load that is multicast to them from its first packet on.
  EXPECT_EQ(world.stall(1, StallCause::dependence), 96u);
  EXPECT_EQ(world.stall(1, StallCause::dma_dram), 64u);
  EXPECT_EQ(world.stall(2, StallCause::no_work), 106u);
  EXPECT_EQ(world.stall(2, StallCause::dma_dram), 64u);
  for (const PeMeasurement& pe : world.measured) EXPECT_EQ(pe.bytes_loaded, 4096u);
  expect_all_cycles_accounted(cycles);
}

}  // namespace
}  // namespace dfsim
