// The executor on hand-made programs of one or two PEs: what is right passes, each kind of mistake shows.
#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <set>
#include <tuple>

#include "planner/verify/boxes.h"
#include "planner/verify/pe_memory.h"
#include "planner/verify/verify.h"
#include "planner/verify/work_order.h"
#include "tests/planner/ops/build.h"
#include "tests/planner/verify/tiny_program.h"

namespace dfsim {

namespace {

using namespace test;

TEST(Boxes, RunsCoverThePartOnceInBothOrders) {
  const Box a = box({{0, 4}, {2, 8}, {0, 5}}), b = box({{1, 3}, {0, 9}, {0, 5}});
  const Box part = a.intersection(b);
  std::vector<int> in_a(a.elements(), 0), in_b(b.elements(), 0);
  std::uint64_t runs = 0;
  for_each_run(part, a, b, [&](std::uint64_t at_a, std::uint64_t at_b, std::uint64_t length) {
    EXPECT_EQ(length, 30u);  // six rows of five, whole in both
    for (std::uint64_t i = 0; i < length; ++i) ++in_a[at_a + i], ++in_b[at_b + i];
    ++runs;
  });
  EXPECT_EQ(runs, 2u);
  EXPECT_EQ(std::count(in_a.begin(), in_a.end(), 1), 60);
  EXPECT_EQ(std::count(in_b.begin(), in_b.end(), 1), 60);
  EXPECT_EQ(in_a[position_in(a, {1, 2, 0})], 1);
  EXPECT_EQ(in_a[position_in(a, {0, 7, 4})], 0);
}

TEST(PeMemory, KeepsRegionsAndForgetsWhatIsOverwritten) {
  PeMemory memory(2, 1024);
  const MicroTensor low{TensorId(0), box({{0, 4}, {0, 4}}), 0, 32, 1, false, false};
  const MicroTensor high{TensorId(1), box({{0, 4}}), 24, 16, 1, true, false};  // four bytes an element
  const std::vector<float> ones(16, 1.0f), twos(4, 2.0f);
  memory.write({&low, 2, 0}, low.box, ones.data());
  memory.write({&high, 4, 0}, high.box, twos.data());
  std::vector<float> seen(16, 0.0f);
  memory.read({&low, 2, 0}, low.box, low.box, seen.data());
  EXPECT_EQ(std::vector<float>(seen.begin(), seen.begin() + 12), std::vector<float>(12, 1.0f));
  EXPECT_EQ(seen[12], 2.0f);  // the front of a wider element
  EXPECT_TRUE(is_no_value(seen[13]));
  memory.write({&low, 2, 0}, box({{3, 4}, {1, 2}}), ones.data());  // on the rear of the first element
  memory.read({&high, 4, 0}, high.box, high.box, seen.data());
  EXPECT_TRUE(is_no_value(seen[0]));
  EXPECT_EQ(seen[1], 2.0f);
}

/// The tiny program with its send (`kind` send), or its load, to a third PE as well, which repeats what the
/// receiving PE does and stores nothing.
Program shared_program(TransferKind kind) {
  Program program = tiny_program();
  const std::uint32_t moved = kind == TransferKind::send ? 1 : 0;
  program.leaves = {PeId(1), PeId(2)};
  program.transfers[1].leaves = kind == TransferKind::send ? Range{0, 2} : Range{};
  program.transfers[0].leaves = kind == TransferKind::load ? Range{1, 2} : Range{};
  PeProgram third = program.pes[kind == TransferKind::send ? 1 : 0];
  third.pe = PeId(2);
  third.ops.pop_back();
  third.ops[0].kind = MicroOpKind::receive;
  third.ops[0].transfer = TransferId(moved);
  third.dependences = {{1, 1}, {0, 0}};
  third.ops[0].dependences = {0, 1};
  third.ops[1].dependences = {1, 2};
  program.pes.push_back(third);
  program.primitives[moved].bytes += 16;
  return program;
}

TEST(Executor, MovesAMulticastToAllLeaves) {
  const Tiny tiny;
  for (const TransferKind kind : {TransferKind::send, TransferKind::load}) {
    const Program program = shared_program(kind);
    for (std::uint64_t seed = 0; seed < 20; ++seed) {
      const Verification done = tiny.verify(program, seed);
      ASSERT_FALSE(done.fault) << to_string(kind) << ": " << done.fault->what;
    }
    Program wrong = program;
    wrong.pes[2].accesses[0].box.extent[1] = 3;
    EXPECT_TRUE(tiny.verify(wrong, 1).fault) << to_string(kind);
  }
}

TEST(PeMemory, HoldsNothingBeforeTheFirstWrite) {
  PeMemory memory(2, 1024);
  const MicroTensor region{TensorId(0), box({{0, 3}}), 64, 6, 2, false, false};
  std::vector<float> seen(3, 0.0f);
  memory.read({&region, 2, 0}, region.box, region.box, seen.data());
  EXPECT_TRUE(is_no_value(seen[0]));
  const std::vector<float> values{1, 2, 3};
  memory.write({&region, 2, 1}, region.box, values.data());  // another slot
  memory.read({&region, 2, 0}, region.box, region.box, seen.data());
  EXPECT_TRUE(is_no_value(seen[2]));
  memory.read({&region, 2, 1}, region.box, region.box, seen.data());
  EXPECT_EQ(seen, values);
}

TEST(WorkOrder, KeepsDependencesOverPeriodsAndNothingElse) {
  const Program program = tiny_program();
  std::set<std::vector<std::uint32_t>> orders;
  for (std::uint64_t seed = 1; seed <= 20; ++seed) {
    WorkOrder order(program, 3, seed);
    std::map<std::tuple<std::uint32_t, std::uint32_t, std::uint32_t>, std::size_t> at;
    std::vector<std::uint32_t> sequence;
    while (const auto step = order.next()) {
      if (!step->begins) at[{step->pe, step->op, step->period}] = at.size();
      sequence.push_back((step->pe * 16 + step->op) * 16 + step->period);
      order.done(*step);
    }
    EXPECT_TRUE(order.complete());
    EXPECT_FALSE(order.blocked());
    orders.insert(sequence);
    for (std::uint32_t p = 0; p < 3; ++p)
      for (std::uint32_t pe = 0; pe < program.pes.size(); ++pe)
        for (std::uint32_t op = 0; op < program.pes[pe].ops.size(); ++op) {
          const MicroOp& micro_op = program.pes[pe].ops[op];
          for (std::uint32_t d = micro_op.dependences.begin; d < micro_op.dependences.end; ++d) {
            const Dependence& on = program.pes[pe].dependences[d];
            if (p >= on.distance) {
              EXPECT_LT((at[{pe, on.op, p - on.distance}]), (at[{pe, op, p}]));
            }
          }
        }
  }
  EXPECT_GT(orders.size(), 10u);
}

TEST(Executor, AcceptsTheRightProgramInEveryOrder) {
  const Tiny tiny;
  for (std::uint64_t seed = 1; seed <= 20; ++seed) {
    const Verification result = tiny.verify(tiny_program(), seed);
    EXPECT_FALSE(result.fault) << result.fault->to_string();
    ASSERT_EQ(result.outputs.size(), 1u);
    EXPECT_LE(result.outputs[0].relative_error, 1e-6);
    EXPECT_EQ(result.micro_ops, 3u * 6u);
    // Three periods of two samples of four elements of two bytes.
    EXPECT_EQ(result.primitive_bytes, (std::vector<std::uint64_t>{48, 48, 48}));
  }
}

/// The fault of a program that `change` has spoilt, in the worst of a few orders.
template <class Change>
std::optional<Fault> fault_after(const Change& change, std::uint64_t seeds = 20) {
  Program program = tiny_program();
  change(program);
  const Tiny tiny;
  for (std::uint64_t seed = 1; seed <= seeds; ++seed)
    if (const Verification result = tiny.verify(program, seed); result.fault) return result.fault;
  return std::nullopt;
}

void drop_dependence(PeProgram& pe, std::uint32_t op, std::uint32_t on) {
  Range& range = pe.ops[op].dependences;
  for (std::uint32_t d = range.begin; d < range.end; ++d)
    if (pe.dependences[d].op == on) {
      std::swap(pe.dependences[d], pe.dependences[--range.end]);
      return;
    }
  FAIL() << "no such dependence";
}

TEST(Executor, SeesAReadThatDoesNotWait) {
  const auto fault = fault_after([](Program& program) { drop_dependence(program.pes[0], 1, 0); });
  ASSERT_TRUE(fault);
  EXPECT_EQ(fault->pe, "chip0.pe_0_0");
  EXPECT_EQ(fault->op, "double");
}

TEST(Executor, SeesABufferThatIsOverwrittenTooEarly) {
  const auto fault = fault_after([](Program& program) { drop_dependence(program.pes[0], 0, 1); });
  ASSERT_TRUE(fault);
  EXPECT_TRUE(fault->expected && fault->got);
}

TEST(Executor, SeesTwoMicroTensorsOnOnePlace) {
  const auto fault = fault_after([](Program& program) {
    program.pes[1].micro_tensors[1].address = program.pes[1].micro_tensors[0].address + 4;
  });
  EXPECT_TRUE(fault);
}

TEST(Executor, NamesTheFirstWrongMicroTensor) {
  const auto fault = fault_after([](Program& program) {
    // The load brings the samples the other way round.
    std::swap(program.segments[0], program.segments[1]);
  });
  ASSERT_TRUE(fault);
  EXPECT_EQ(fault->what, "a wrong value");
  EXPECT_EQ(fault->pe, "chip0.pe_0_0");
  EXPECT_EQ(fault->micro_op, "load #0");
  EXPECT_EQ(fault->tensor, "x");
  EXPECT_EQ(fault->region->to_string(), "[0:2,0:4]");
  EXPECT_NE(*fault->expected, *fault->got);
}

TEST(Executor, SeesAStoreToTheWrongAddress) {
  const auto fault =
      fault_after([](Program& program) { program.segments[2].address = program.segments[3].address; });
  ASSERT_TRUE(fault);
  EXPECT_EQ(fault->what, "the store's addresses are not those of its region");
  EXPECT_EQ(fault->stage, "only");
  EXPECT_EQ(fault->op, "relu");
  EXPECT_EQ(fault->pe, "chip0.pe_1_0");
  EXPECT_EQ(fault->micro_op, "store #2");
}

TEST(Executor, SeesAShiftedRegion) {
  for (std::uint32_t pe = 0; pe < 2; ++pe)
    for (std::uint32_t access = 0; access < tiny_program().pes[pe].accesses.size(); ++access) {
      const auto fault = fault_after(
          [&](Program& program) {
            Box& region = program.pes[pe].accesses[access].box;
            region.extent[1] -= 1;
          },
          1);
      EXPECT_TRUE(fault) << pe << " " << access;
    }
}

TEST(Executor, SeesRegionsOutsideOfTheirTensor) {
  const auto micro_tensor = fault_after(
      [](Program& program) {
        program.pes[1].micro_tensors[0].box.offset[1] = 1;
        for (Access& access : program.pes[1].accesses)
          if (access.micro_tensor == 0) access.box.offset[1] = 1;
      },
      1);
  ASSERT_TRUE(micro_tensor);
  EXPECT_EQ(micro_tensor->what, "a micro-tensor outside of its tensor");
  const auto piece = fault_after(
      [](Program& program) {
        program.dram_tensors[0].pieces[0].bytes = 16;
        program.segments[0].address = 4;
      },
      1);
  ASSERT_TRUE(piece);
  EXPECT_NE(piece->what.find("no whole copies"), std::string::npos) << piece->what;
}

TEST(Executor, SeesWorkThatIsTimedAsSomethingElse) {
  const auto elements = fault_after([](Program& program) { program.pes[0].ops[1].vector.elements += 1; }, 1);
  ASSERT_TRUE(elements);
  EXPECT_NE(elements->what.find("is timed as"), std::string::npos);
  const auto function = fault_after([](Program& program) { program.vector_functions[0] = "relu"; }, 1);
  ASSERT_TRUE(function);
}

TEST(Executor, SeesAnOutputThatIsNotStored) {
  const auto fault = fault_after(
      [](Program& program) {
        program.pes[1].ops.pop_back();
        drop_dependence(program.pes[1], 1, 2);
      },
      1);
  ASSERT_TRUE(fault);
  EXPECT_NE(fault->what.find("not all of output"), std::string::npos);
}

TEST(Executor, SeesADeadlock) {
  const auto fault = fault_after(
      [](Program& program) {
        // The receive waits for the store, which waits for the receive through the relu.
        PeProgram& pe = program.pes[1];
        pe.dependences.push_back({2, 0});
        pe.ops[0].dependences = {static_cast<std::uint32_t>(pe.dependences.size()) - 1,
                                 static_cast<std::uint32_t>(pe.dependences.size())};
      },
      1);
  ASSERT_TRUE(fault);
  EXPECT_NE(fault->what.find("nothing can go on"), std::string::npos);
}

}  // namespace

}  // namespace dfsim
