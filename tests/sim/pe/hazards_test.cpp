#include "sim/pe/hazards.h"

#include <gtest/gtest.h>

#include <cstdio>
#include <ctime>

#include "sim/base/rng.h"
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

/// Micro-tensors that take turns in the same bytes: each is written, then read by two micro-ops, then gives
/// way.
Program taking_turns(std::uint32_t tensors, std::uint32_t periods) {
  ProgramBuilder b;
  b.program.periods = periods;
  std::vector<Dependence> after{{3 * (tensors - 1) + 1, 1}, {3 * (tensors - 1) + 2, 1}};
  for (std::uint32_t i = 0; i < tensors; ++i) {
    const auto t = b.tensor(0, 64 * (i % 3), 256);
    const auto write = b.vector(0, 64, after, {}, {t});
    const auto one = b.vector(0, 64, {{write, 0}}, {t}), two = b.vector(0, 64, {{write, 0}}, {t});
    after = {{one, 0}, {two, 0}};
  }
  return b.program;
}

TEST(Hazards, AcceptsMicroTensorsThatTakeTurnsInTheSameBytes) {
  EXPECT_FALSE(find_hazard(taking_turns(7, 3).pes[0], 3));
}

TEST(Hazards, FindsEveryMissingOrderBetweenMicroTensorsThatTakeTurns) {
  const Program good = taking_turns(7, 3);
  for (std::uint32_t d = 0; d < good.pes[0].dependences.size(); ++d) {
    // Every one of them is needed: replace it by its neighbour's target, or by itself many periods ago.
    PeProgram broken = good.pes[0];
    broken.dependences[d].distance = 3;
    EXPECT_TRUE(find_hazard(broken, 3)) << "dependence " << d;
  }
}

TEST(Hazards, FindsAWriteUnderAReaderOfAnotherMicroTensor) {
  ProgramBuilder b;
  const auto owner = b.tensor(0, 0, 256), view = b.tensor(0, 128, 64);
  const auto write = b.vector(0, 64, {}, {}, {owner});
  const auto look = b.vector(0, 64, {{write, 0}}, {view});
  const auto again = b.vector(0, 64, {{write, 0}}, {}, {owner});
  const auto hazard = find_hazard(b.at(0), 1);
  ASSERT_TRUE(hazard);
  EXPECT_EQ(hazard->earlier, look);
  EXPECT_EQ(hazard->later, again);
}

/// All pairs of accesses of all periods against the closure of all dependences.
bool has_hazard_by_brute_force(const PeProgram& pe, std::uint32_t periods) {
  const std::uint32_t n = static_cast<std::uint32_t>(pe.ops.size());
  struct Touch {
    std::uint32_t node;
    const Access* access;
    std::uint64_t begin, end;
    bool writes;
  };
  std::vector<std::vector<bool>> before(n * periods, std::vector<bool>(n * periods, false));
  std::vector<Touch> touches;
  for (std::uint32_t p = 0; p < periods; ++p)
    for (std::uint32_t op = 0; op < n; ++op) {
      const std::uint32_t node = p * n + op;
      for (std::uint32_t d = pe.ops[op].dependences.begin; d < pe.ops[op].dependences.end; ++d) {
        const Dependence& dependence = pe.dependences[d];
        if (dependence.distance > p) continue;
        const std::uint32_t from = (p - dependence.distance) * n + dependence.op;
        before[node][from] = true;
        for (std::uint32_t i = 0; i < from; ++i) before[node][i] = before[node][i] || before[from][i];
      }
      for (const bool writes : {false, true}) {
        const Range range = writes ? pe.ops[op].writes : pe.ops[op].reads;
        for (std::uint32_t a = range.begin; a < range.end; ++a) {
          const MicroTensor& t = pe.micro_tensors[pe.accesses[a].micro_tensor];
          const std::uint64_t begin = t.address + std::uint64_t{t.bytes} * (p % t.slots);
          touches.push_back({node, &pe.accesses[a], begin, begin + t.bytes, writes});
        }
      }
    }
  for (const Touch& x : touches)
    for (const Touch& y : touches) {
      if (x.node >= y.node || !(x.writes || y.writes) || x.begin >= y.end || y.begin >= x.end) continue;
      const MicroTensor &a = pe.micro_tensors[x.access->micro_tensor],
                        &b = pe.micro_tensors[y.access->micro_tensor];
      const bool same = a.address == b.address && a.bytes == b.bytes && a.slots == b.slots && a.box == b.box;
      if (same && x.access->box.intersection(y.access->box).empty()) continue;
      if (!before[y.node][x.node]) return true;
    }
  return false;
}

TEST(Hazards, AgreesWithBruteForceOnRandomPrograms) {
  int with = 0, without = 0;
  for (std::uint64_t seed = 0; seed < 4000; ++seed) {
    Rng rng(7, seed);
    ProgramBuilder b;
    std::uint32_t slots = 1;
    const std::uint32_t tensors = 1 + static_cast<std::uint32_t>(rng.below(4));
    for (std::uint32_t i = 0; i < tensors; ++i) {
      const auto s = static_cast<std::uint32_t>(1 + rng.below(2) * (seed % 2));
      slots = std::max(slots, s);
      b.tensor(0, static_cast<std::uint32_t>(64 * rng.below(4)),
               static_cast<std::uint32_t>(64 * (1 + rng.below(3))), s);
    }
    const std::uint32_t ops = 2 + static_cast<std::uint32_t>(rng.below(6));
    for (std::uint32_t i = 0; i < ops; ++i) {
      std::vector<Dependence> after;
      for (std::uint32_t j = 0; j < ops; ++j) {
        if (j < i && rng.below(10) < 6) after.push_back({j, 0});
        if (rng.below(10) < 4) after.push_back({j, static_cast<std::uint32_t>(1 + rng.below(slots))});
      }
      std::vector<std::uint32_t> reads, writes;
      if (rng.below(3) > 0) reads.push_back(static_cast<std::uint32_t>(rng.below(tensors)));
      if (rng.below(2) > 0) writes.push_back(static_cast<std::uint32_t>(rng.below(tensors)));
      b.vector(0, 64, after, reads, writes);
    }
    for (Access& access : b.at(0).accesses) {
      const std::uint32_t half = access.box.extent[0] / 2;
      const std::uint64_t part = rng.below(3);
      if (part < 2) access.box = ProgramBuilder::box(part == 0 ? 0 : half, half);
    }
    const bool expected = has_hazard_by_brute_force(b.at(0), slots + 1);
    ASSERT_EQ(find_hazard(b.at(0), slots + 1).has_value(), expected) << "seed " << seed;
    ++(expected ? with : without);
  }
  EXPECT_GT(with, 400);
  EXPECT_GT(without, 400);
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
