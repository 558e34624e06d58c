#include "planner/lower/pe_builder.h"

#include <gtest/gtest.h>

#include "planner/lower/box_cover.h"

namespace dfsim {
namespace {

const TensorId kTensor(0), kOther(1);

Box line(std::uint32_t offset, std::uint32_t extent) {
  Box box;
  box.rank = 1;
  box.offset[0] = offset;
  box.extent[0] = extent;
  return box;
}

std::vector<Dependence> dependences_of(const PeProgram& pe, std::uint32_t op) {
  const Range range = pe.ops[op].dependences;
  return {pe.dependences.begin() + range.begin, pe.dependences.begin() + range.end};
}

TEST(PeBuilder, ReaderWaitsForTheWriterOfWhatItReads) {
  PeBuilder pe(PeId(0), 1024);
  const std::uint32_t a = pe.allocate(kTensor, line(0, 64), 128, Placement::lowest, false, false);
  const std::uint32_t left = pe.emit({}, {}, {{a, line(0, 32)}});
  const std::uint32_t right = pe.emit({}, {}, {{a, line(32, 32)}});
  const std::uint32_t reader = pe.emit({}, {{a, line(32, 8)}}, {});
  const PeProgram program = pe.finish();
  EXPECT_EQ(dependences_of(program, reader), (std::vector<Dependence>{{right, 0}}));
  // One period later the writers wait for the last users of the same bytes.
  EXPECT_EQ(dependences_of(program, left), (std::vector<Dependence>{{left, 1}}));
  EXPECT_EQ(dependences_of(program, right),
            (std::vector<Dependence>{{reader, 1}}));  // which waited for `right`
}

TEST(PeBuilder, NewTensorWaitsForTheUsersOfItsPlace) {
  PeBuilder pe(PeId(0), 128);
  const std::uint32_t a = pe.allocate(kTensor, line(0, 64), 128, Placement::lowest, false, false);
  const std::uint32_t write_a = pe.emit({}, {}, {{a, line(0, 64)}});
  const std::uint32_t read_a = pe.emit({}, {{a, line(0, 64)}}, {});
  pe.release(a);
  const std::uint32_t b = pe.allocate(kOther, line(0, 64), 128, Placement::lowest, false, false);
  const std::uint32_t write_b = pe.emit({}, {}, {{b, line(0, 64)}});
  const PeProgram program = pe.finish();
  // The read of a implies its write.
  EXPECT_EQ(dependences_of(program, write_b), (std::vector<Dependence>{{read_a, 0}}));
  EXPECT_EQ(dependences_of(program, write_a), (std::vector<Dependence>{{write_b, 1}}));
}

TEST(PeBuilder, TakingOverAPlaceWaitsTileByTile) {
  PeBuilder pe(PeId(0), 1024);
  const std::uint32_t in = pe.allocate(kTensor, line(0, 64), 128, Placement::lowest, false, false);
  const std::uint32_t first = pe.emit({}, {}, {{in, line(0, 32)}});
  const std::uint32_t second = pe.emit({}, {}, {{in, line(32, 32)}});
  const std::uint32_t out = pe.take_over(in, kOther);
  EXPECT_EQ(pe.micro_tensor(out).address, pe.micro_tensor(in).address);
  const std::uint32_t relu_first = pe.emit({}, {{in, line(0, 32)}}, {{out, line(0, 32)}});
  const std::uint32_t relu_second = pe.emit({}, {{in, line(32, 32)}}, {{out, line(32, 32)}});
  const PeProgram program = pe.finish();
  EXPECT_EQ(dependences_of(program, relu_first), (std::vector<Dependence>{{first, 0}}));
  EXPECT_EQ(dependences_of(program, relu_second), (std::vector<Dependence>{{second, 0}}));
}

TEST(PeBuilder, AccumulationFollowsTheSumSoFar) {
  PeBuilder pe(PeId(0), 1024);
  const std::uint32_t sum = pe.allocate(kTensor, line(0, 8), 32, Placement::stream, true, false);
  const std::uint32_t start = pe.emit({}, {}, {{sum, line(0, 8)}});
  const std::uint32_t add = pe.emit({}, {{sum, line(0, 8)}}, {{sum, line(0, 8)}});
  const std::uint32_t send = pe.emit({}, {{sum, line(0, 8)}}, {});
  const PeProgram program = pe.finish();
  EXPECT_EQ(dependences_of(program, add), (std::vector<Dependence>{{start, 0}}));
  EXPECT_EQ(dependences_of(program, send), (std::vector<Dependence>{{add, 0}}));
}

TEST(PeBuilder, ResidentTensorsAreNeverOverwritten) {
  PeBuilder pe(PeId(0), 256);
  const std::uint32_t weight = pe.allocate(kTensor, line(0, 64), 128, Placement::lowest, false, true);
  const std::uint32_t load = pe.emit({}, {}, {{weight, line(0, 64)}});
  pe.end_prologue();
  const std::uint32_t use = pe.emit({}, {{weight, line(0, 64)}}, {});
  pe.release(weight);
  const std::uint32_t b = pe.allocate(kOther, line(0, 64), 128, Placement::lowest, false, false);
  EXPECT_NE(pe.micro_tensor(b).address, pe.micro_tensor(weight).address);
  const PeProgram program = pe.finish();
  EXPECT_EQ(program.prologue_ops, 1u);
  EXPECT_EQ(dependences_of(program, use), (std::vector<Dependence>{{load, 0}}));
}

TEST(PeBuilder, SaysHowMuchIsMissing) {
  PeBuilder pe(PeId(3), 256);
  pe.allocate(kTensor, line(0, 64), 128, Placement::lowest, false, false);
  try {
    pe.allocate(kOther, line(0, 128), 256, Placement::lowest, false, false);
    FAIL() << "does not fit";
  } catch (const ScratchpadFull& full) {
    EXPECT_EQ(full.pe, PeId(3));
    EXPECT_EQ(full.demand, 256u);
    EXPECT_EQ(full.free, 128u);
  }
}

TEST(BoxCover, SubtractionTilesTheRest) {
  const Box whole = whole_box({4, 6, 5});
  Box hole = whole;
  hole.offset = {1, 2, 0};
  hole.extent = {2, 3, 4};
  std::uint64_t elements = 0;
  const std::vector<Box> rest = subtract(whole, hole);
  for (std::size_t i = 0; i < rest.size(); ++i) {
    elements += rest[i].elements();
    EXPECT_TRUE(rest[i].intersection(hole).empty());
    for (std::size_t j = i + 1; j < rest.size(); ++j) EXPECT_TRUE(rest[i].intersection(rest[j]).empty());
  }
  EXPECT_EQ(elements + hole.elements(), whole.elements());
}

}  // namespace
}  // namespace dfsim
