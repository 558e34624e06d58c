#include "sim/pe/hazards.h"

#include <gtest/gtest.h>

#include <cstdio>
#include <ctime>

#include "tests/sim/pe/program_builder.h"

namespace dfsim {
namespace {

TEST(Hazards, FindsAReadThatDoesNotWaitForItsWrite) {
  ProgramBuilder b;
  const auto t = b.tensor(0, 0, 256);
  b.vector(0, 64, {}, {}, {t});
  const auto reader = b.vector(0, 64, {}, {t});
  const auto hazard = find_hazard(b.at(0), 1);
  ASSERT_TRUE(hazard);
  EXPECT_EQ(hazard->earlier, 0u);
  EXPECT_EQ(hazard->later, reader);
  EXPECT_EQ(hazard->periods_apart, 0u);
}

TEST(Hazards, AcceptsAnOrderThroughOtherMicroOps) {
  ProgramBuilder b;
  const auto t = b.tensor(0, 0, 256);
  const auto write = b.vector(0, 64, {}, {}, {t});
  const auto between = b.vector(0, 64, {{write, 0}});
  b.vector(0, 64, {{between, 0}}, {t});
  EXPECT_FALSE(find_hazard(b.at(0), 1));
}

TEST(Hazards, FindsAWriteThatOvertakesAReadOfThePeriodBefore) {
  ProgramBuilder b;
  const auto t = b.tensor(0, 0, 256);
  const auto write = b.vector(0, 64, {}, {}, {t});
  b.vector(0, 64, {{write, 0}}, {t});
  EXPECT_FALSE(find_hazard(b.at(0), 1));
  const auto hazard = find_hazard(b.at(0), 2);
  ASSERT_TRUE(hazard);
  EXPECT_EQ(hazard->later, write);
  EXPECT_EQ(hazard->periods_apart, 1u);
}

TEST(Hazards, MeetsASlotAgainAfterAsManyPeriods) {
  const auto program = [](std::uint32_t distance) {
    ProgramBuilder b;
    const auto t = b.tensor(0, 0, 256, 2);
    const auto write = b.vector(0, 64, {{1, distance}, {0, 1}}, {}, {t});
    b.vector(0, 64, {{write, 0}}, {t});
    return b.program;
  };
  EXPECT_FALSE(find_hazard(program(2).pes[0], 5));
  EXPECT_TRUE(find_hazard(program(3).pes[0], 5));
  EXPECT_FALSE(find_hazard(program(3).pes[0], 2));  // two periods never meet
}

TEST(Hazards, ComparesBoxesInsideAMicroTensorAndBytesBetweenThem) {
  ProgramBuilder b;
  const auto t = b.tensor(0, 0, 256);
  const auto low = b.vector(0, 64, {}, {}, {t});
  const auto high = b.vector(0, 64, {}, {}, {t});
  b.at(0).accesses[0].box = ProgramBuilder::box(0, 64);
  b.at(0).accesses[1].box = ProgramBuilder::box(64, 64);
  EXPECT_FALSE(find_hazard(b.at(0), 1));
  const auto other = b.tensor(0, 200, 256);  // shares 56 bytes with the first
  b.vector(0, 64, {{low, 0}}, {}, {other});
  const auto hazard = find_hazard(b.at(0), 1);
  ASSERT_TRUE(hazard);
  EXPECT_EQ(hazard->earlier, high);
  EXPECT_EQ(hazard->micro_tensor_later, other);
}

TEST(Hazards, LetsReadsRunSideBySide) {
  ProgramBuilder b;
  const auto t = b.tensor(0, 0, 256);
  b.vector(0, 64, {}, {t});
  b.vector(0, 64, {}, {t});
  EXPECT_FALSE(find_hazard(b.at(0), 3));
}

TEST(Hazards, AreFoundQuicklyInLongLists) {
  // As a lowered stage looks: receive into one of 16 buffers, matmul from it into one of 8 results, vector,
  // send.
  ProgramBuilder b;
  std::vector<std::uint32_t> in, out;
  for (std::uint32_t i = 0; i < 16; ++i) in.push_back(b.tensor(0, i * 8192, 4096, 2));
  for (std::uint32_t i = 0; i < 8; ++i) out.push_back(b.tensor(0, 200000 + i * 8192, 4096, 2));
  const std::uint32_t blocks = 1200;  // 4 micro-ops each: 4800 on a PE, as 300000 on 64 PEs
  for (std::uint32_t i = 0; i < blocks; ++i) {
    std::vector<Dependence> receive_after, matmul_after;
    if (i >= 16)
      receive_after.push_back({4 * (i - 16) + 1, 0});
    else
      receive_after.push_back({4 * (blocks - 16 + i) + 1, 1});
    if (i >= 8)
      matmul_after.push_back({4 * (i - 8) + 3, 0});
    else
      matmul_after.push_back({4 * (blocks - 8 + i) + 3, 1});
    const auto receive = b.vector(0, 64, receive_after, {}, {in[i % 16]});
    matmul_after.push_back({receive, 0});
    const auto m = b.vector(0, 64, matmul_after, {in[i % 16]}, {out[i % 8]});
    const auto v = b.vector(0, 64, {{m, 0}}, {out[i % 8]}, {out[i % 8]});
    b.vector(0, 64, {{v, 0}}, {out[i % 8]});
  }
  const std::clock_t begin = std::clock();
  EXPECT_FALSE(find_hazard(b.at(0), 5));
  const double seconds =
      64 * static_cast<double>(std::clock() - begin) / CLOCKS_PER_SEC;  // of this process, 64 PEs
  RecordProperty("milliseconds_for_300000", static_cast<int>(seconds * 1e3));
  std::printf("300000 micro-ops: %.0f ms\n", seconds * 1e3);
  EXPECT_LT(seconds, 10);  // an optimised build takes well under a second; sanitizers are slow
  // One order less: the receives no longer wait for the matmul that last read their buffer.
  for (std::uint32_t i = 0; i < 16; ++i)
    b.at(0).dependences[b.at(0).ops[4 * i].dependences.begin].distance = 3;
  const auto hazard = find_hazard(b.at(0), 5);
  ASSERT_TRUE(hazard);
  EXPECT_EQ(hazard->later, 0u);
  EXPECT_EQ(hazard->periods_apart, 2u);
}

}  // namespace
}  // namespace dfsim
