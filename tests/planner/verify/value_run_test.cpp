// Programs of communication alone, written by hand: what they move arrives at every receiver, and what does
// not arrive shows.
#include "planner/verify/value_run.h"

#include <gtest/gtest.h>

#include <numeric>

#include "sim/hw/hardware_config.h"
#include "tests/planner/ops/build.h"

namespace dfsim {

namespace {

using namespace test;

constexpr std::uint32_t kElements = 4, kLeaves = 3;

Range append(std::vector<Access>& accesses, std::uint32_t micro_tensor, const Box& box) {
  accesses.push_back({micro_tensor, box});
  const auto end = static_cast<std::uint32_t>(accesses.size());
  return {end - 1, end};
}

/// PE 0 multicasts a vector to PEs 1 to 3, each of which adds it to its own and sends the sum back to PE 0,
/// which adds up the three. The region that the multicast came from is written only when it has left.
Program there_and_back() {
  Program program;
  program.name = "there_and_back";
  program.stages = {"only"};
  program.operators = {{"all_reduce", 0}};
  program.tensors = {{"v", DataType::fp32, {kElements}}};
  program.vector_functions = {"accumulate"};
  program.primitives = {{"multicast", "tree", "v", "", "", "intra_stage", OpId(0), kLeaves * 16},
                        {"reduce", "direct", "v", "", "", "intra_stage", OpId(0), kLeaves * 16}};
  const Box all = box({{0, kElements}});
  program.leaves = {PeId(1), PeId(2), PeId(3)};
  program.transfers = {{TransferKind::send, PeId(0), PeId(1), TensorId(0), all, 16, {}, 0, {0, kLeaves}}};
  const auto micro_op = [](MicroOpKind kind, std::uint32_t transfer) {
    MicroOp op;
    op.kind = kind;
    op.transfer = TransferId(transfer);
    op.vector = {0, kElements};
    return op;
  };
  PeProgram root;
  root.pe = PeId(0);
  for (std::uint32_t i = 0; i <= kLeaves; ++i)
    root.micro_tensors.push_back({TensorId(0), all, 16 * i, 16, 1, true, false});
  root.ops = {micro_op(MicroOpKind::send, 0)};
  root.ops[0].reads = append(root.accesses, 0, all);
  MicroOp sum = micro_op(MicroOpKind::vector, 0);
  for (std::uint32_t leaf = 1; leaf <= kLeaves; ++leaf) {
    program.transfers.push_back({TransferKind::send, PeId(leaf), PeId(0), TensorId(0), all, 16, {}, 1, {}});
    PeProgram pe;
    pe.pe = PeId(leaf);
    pe.micro_tensors = {{TensorId(0), all, 0, 16, 1, true, false},
                        {TensorId(0), all, 16, 16, 1, true, false}};
    pe.ops = {micro_op(MicroOpKind::receive, 0), micro_op(MicroOpKind::vector, 0),
              micro_op(MicroOpKind::send, leaf)};
    pe.ops[0].writes = append(pe.accesses, 1, all);
    pe.ops[1].reads = {1, 3};
    append(pe.accesses, 0, all);
    append(pe.accesses, 1, all);
    pe.ops[1].writes = append(pe.accesses, 0, all);
    pe.ops[2].reads = append(pe.accesses, 0, all);
    pe.dependences = {{0, 0}, {1, 0}};
    pe.ops[1].dependences = {0, 1};
    pe.ops[2].dependences = {1, 2};
    program.pes.push_back(pe);
    MicroOp receive = micro_op(MicroOpKind::receive, leaf);
    receive.writes = append(root.accesses, leaf, all);
    root.ops.push_back(receive);
  }
  sum.reads.begin = static_cast<std::uint32_t>(root.accesses.size());
  for (std::uint32_t leaf = 1; leaf <= kLeaves; ++leaf) append(root.accesses, leaf, all);
  sum.reads.end = static_cast<std::uint32_t>(root.accesses.size());
  sum.writes = append(root.accesses, 0, all);
  for (std::uint32_t op = 0; op <= kLeaves; ++op) root.dependences.push_back({op, 0});
  sum.dependences = {0, kLeaves + 1};
  root.ops.push_back(sum);
  program.pes.insert(program.pes.begin(), root);
  return program;
}

PlacedValues at(std::uint32_t pe, std::uint32_t micro_tensor, float first) {
  PlacedValues placed{PeId(pe), {micro_tensor, box({{0, kElements}})}, std::vector<float>(kElements)};
  std::iota(placed.values.begin(), placed.values.end(), first);
  return placed;
}

/// Element i of PE p's vector is 10 p + i in the beginning.
ValueRun run(const Program& program, std::uint64_t seed, float off = 0) {
  static const HardwareSpec hardware = load_hardware(DFSIM_SOURCE_DIR "/configs/mesh2x2.yaml");
  std::vector<PlacedValues> given, expected;
  for (std::uint32_t pe = 0; pe <= kLeaves; ++pe) given.push_back(at(pe, 0, 10.0f * static_cast<float>(pe)));
  PlacedValues total = at(0, 0, 0);
  for (std::uint32_t i = 0; i < kElements; ++i) total.values[i] = 60.0f + 6.0f * static_cast<float>(i) + off;
  expected.push_back(total);
  for (std::uint32_t leaf = 1; leaf <= kLeaves; ++leaf) expected.push_back(at(leaf, 1, 0));
  return run_values(program, hardware, given, expected, seed);
}

TEST(ValueRun, AMulticastBringsItsValuesToEveryLeaf) {
  for (std::uint64_t seed = 0; seed < 50; ++seed) {
    const ValueRun done = run(there_and_back(), seed);
    ASSERT_FALSE(done.fault) << "seed " << seed << ": " << done.fault->to_string();
    EXPECT_EQ(done.micro_ops, 14u);
    EXPECT_EQ(done.primitive_bytes, (std::vector<std::uint64_t>{48, 48}));
  }
  EXPECT_TRUE(run(there_and_back(), 0, 1).fault);
}

TEST(ValueRun, ALeafThatDoesNotReceiveStopsEverything) {
  Program program = there_and_back();
  program.pes.pop_back();
  const ValueRun done = run(program, 1);
  ASSERT_TRUE(done.fault);
  EXPECT_NE(done.fault->what.find("nothing can go on"), std::string::npos) << done.fault->what;
}

TEST(ValueRun, ALeafThatTakesAnotherRegionShows) {
  Program shorter = there_and_back();
  shorter.pes[3].accesses[0].box.extent[0] = 3;
  ASSERT_TRUE(run(shorter, 1).fault);
  EXPECT_NE(run(shorter, 1).fault->what.find("another number of elements"), std::string::npos);
  Program elsewhere = there_and_back();
  elsewhere.pes[2].accesses[0].micro_tensor = 0;
  EXPECT_TRUE(run(elsewhere, 1).fault);
}

TEST(ValueRun, ALeafThatDoesNotWaitShows) {
  Program program = there_and_back();
  program.pes[3].ops[1].dependences = {0, 0};
  bool seen = false;
  for (std::uint64_t seed = 0; seed < 20; ++seed) seen = seen || run(program, seed).fault.has_value();
  EXPECT_TRUE(seen);
}

/// A token of no bytes orders two PEs, and moves nothing.
TEST(ValueRun, ATokenToSeveralPesMovesNothing) {
  Program program = there_and_back();
  program.transfers[0].bytes = 0;
  program.pes[0].ops[0].reads = {};
  for (std::uint32_t leaf = 1; leaf <= kLeaves; ++leaf) {
    program.pes[leaf].ops[0].writes = {};
    program.pes[leaf].ops[1].reads = {1, 2};
  }
  static const HardwareSpec hardware = load_hardware(DFSIM_SOURCE_DIR "/configs/mesh2x2.yaml");
  const std::vector<PlacedValues> given{at(1, 0, 1), at(2, 0, 2), at(3, 0, 3)};
  PlacedValues total = at(0, 0, 0);
  for (std::uint32_t i = 0; i < kElements; ++i) total.values[i] = 6.0f + 3.0f * static_cast<float>(i);
  const ValueRun done = run_values(program, hardware, given, {total}, 3);
  EXPECT_FALSE(done.fault) << done.fault->to_string();
  EXPECT_EQ(done.primitive_bytes, (std::vector<std::uint64_t>{0, 48}));
}

}  // namespace

}  // namespace dfsim
