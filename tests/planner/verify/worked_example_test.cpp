// docs/worked_example.md: C = A B on 2 x 2 PEs, block by block, as the recorded program has it.
#include <gtest/gtest.h>

#include <map>
#include <set>

#include "planner/frontend/frontend.h"
#include "planner/verify/verify.h"
#include "sim/api/program_json.h"
#include "sim/hw/hardware_config.h"
#include "tests/planner/app/run_dfsim.h"

namespace dfsim {

namespace {

constexpr std::uint32_t kBlock = 32, kSide = 2;

/// Block (row, column) of a matrix, and of the PE that sits there.
using Place = std::pair<std::uint32_t, std::uint32_t>;

class WorkedExample : public testing::Test {
 protected:
  const Program program_ = program_from_json(
      content_of(DFSIM_SOURCE_DIR "/traces/worked_example_2x2/program.json"), "program.json");
  const HardwareSpec hardware_ = load_hardware(DFSIM_SOURCE_DIR "/configs/mesh2x2.yaml");

  Place place(const PeProgram& pe) const {
    const PePlace& at = hardware_.pes[pe.pe.value()];
    return {at.y, at.x};
  }
  const std::string& tensor(const PeProgram& pe, const Access& access) const {
    return program_.tensors[pe.micro_tensors[access.micro_tensor].tensor.value()].name;
  }
  /// The block that an access is; the sample comes first.
  static Place block(const Box& box) {
    EXPECT_EQ(box.rank, 3) << box.to_string();
    EXPECT_EQ(box.extent[1], kBlock) << box.to_string();
    EXPECT_EQ(box.extent[2], kBlock) << box.to_string();
    return {box.offset[1] / kBlock, box.offset[2] / kBlock};
  }
  template <class F>
  static void each_access(const PeProgram& pe, Range range, const F& f) {
    for (std::uint32_t a = range.begin; a < range.end; ++a) f(pe.accesses[a]);
  }
};

/// A00 on PE00 and PE01, A10 on PE10 and PE11, B00 on PE00 and PE10, B01 on PE01 and PE11, and so on.
TEST_F(WorkedExample, PutsBlocksOfAOnRowsAndBlocksOfBOnColumns) {
  std::map<std::pair<std::string, Place>, std::set<Place>> holders;
  ASSERT_EQ(program_.pes.size(), kSide * kSide);
  for (const PeProgram& pe : program_.pes)
    for (const MicroOp& op : pe.ops)
      if (op.kind == MicroOpKind::load || op.kind == MicroOpKind::receive)
        each_access(pe, op.writes, [&](const Access& access) {
          holders[{tensor(pe, access), block(access.box)}].insert(place(pe));
        });
  for (std::uint32_t i = 0; i < kSide; ++i)
    for (std::uint32_t k = 0; k < kSide; ++k) {
      EXPECT_EQ((holders[{"a", {i, k}}]), (std::set<Place>{{i, 0}, {i, 1}})) << "a" << i << k;
      EXPECT_EQ((holders[{"b", {k, i}}]), (std::set<Place>{{0, i}, {1, i}})) << "b" << k << i;
    }
  EXPECT_EQ(holders.size(), 2 * kSide * kSide);
}

/// c_ij_0 = a_i0 b_0j, then c_ij_1 = a_i1 b_1j is added to it, on PE ij.
TEST_F(WorkedExample, MakesOneProductAfterTheOtherAndTheirSum) {
  for (const PeProgram& pe : program_.pes) {
    const auto [row, column] = place(pe);
    std::uint32_t step = 0;
    for (const MicroOp& op : pe.ops) {
      if (op.kind != MicroOpKind::matmul) continue;
      EXPECT_EQ(op.matmul.m, kBlock);
      EXPECT_EQ(op.matmul.n, kBlock);
      EXPECT_EQ(op.matmul.k, kBlock);
      EXPECT_EQ(op.matmul.accumulate, step == 1);
      std::map<std::string, Place> read;
      each_access(pe, op.reads, [&](const Access& access) { read[tensor(pe, access)] = block(access.box); });
      EXPECT_EQ(read["a"], (Place{row, step}));
      EXPECT_EQ(read["b"], (Place{step, column}));
      EXPECT_EQ(read.contains("c"), step == 1) << "the sum so far";
      EXPECT_EQ(op.writes.size(), step + 1) << "the sum so far, and in the end c";
      each_access(pe, op.writes, [&](const Access& access) {
        EXPECT_EQ(tensor(pe, access), "c");
        EXPECT_EQ(block(access.box), (Place{row, column}));
      });
      ++step;
    }
    EXPECT_EQ(step, kSide);
  }
}

/// Every block comes from DRAM once and is handed to the one other PE that reads it.
TEST_F(WorkedExample, MovesEveryBlockOnceFromDramAndOnceBetweenPes) {
  std::map<TransferKind, std::uint64_t> count, bytes;
  for (const Transfer& transfer : program_.transfers) {
    ++count[transfer.kind];
    bytes[transfer.kind] += transfer.bytes;
  }
  const std::uint64_t block_bytes = kBlock * kBlock * 2, blocks = 2 * kSide * kSide;
  EXPECT_EQ(count[TransferKind::load], blocks);
  EXPECT_EQ(bytes[TransferKind::load], blocks * block_bytes);
  EXPECT_EQ(count[TransferKind::send], blocks);
  EXPECT_EQ(bytes[TransferKind::send], blocks * block_bytes);
  EXPECT_EQ(count[TransferKind::store], kSide * kSide);
  EXPECT_EQ(bytes[TransferKind::store], kSide * kSide * block_bytes);
}

TEST_F(WorkedExample, ComputesTheProductInAnyOrderThatItsDependencesAllow) {
  const Graph graph = load_model(DFSIM_SOURCE_DIR "/models/matmul_2x2.yaml");
  VerifyOptions options;
  options.orders = 50;
  options.periods = 3;
  const Verification result =
      Verifier(graph, program_.samples, options).run(program_, hardware_, "program.json", 1);
  ASSERT_FALSE(result.fault) << result.fault->to_string();
  EXPECT_LT(result.outputs.at(0).relative_error, 1e-6);
}

/// The planner may find another plan for the same product; it must be as right.
TEST_F(RunDfsim, TheMainCommandPlansTheSameProduct) {
  const Ended planned =
      dfsim("--config mesh2x2.yaml --model matmul_2x2.yaml --samples 1 --workers 1 --out out");
  ASSERT_EQ(planned.code, 0) << planned.err;
  const Ended verified = dfsim("verify --plan out/plan.yaml");
  EXPECT_EQ(verified.code, 0) << verified.err;
}

}  // namespace

}  // namespace dfsim
