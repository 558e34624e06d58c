// What the loader refuses, and that it says where.
#include <gtest/gtest.h>

#include <optional>

#include "sim/pe/loaded_program.h"
#include "tests/sim/pe/program_builder.h"

namespace dfsim {
namespace {

std::string refusal(const Program& program) {
  LoadedProgram loaded;
  const HardwareSpec hardware = line_hardware(3);
  return load_program(
      program, hardware, [](NocId, NocId, TransferId) { return std::nullopt; }, loaded);
}

void expect_refusal(const Program& program, const std::string& part) {
  const std::string reason = refusal(program);
  EXPECT_NE(reason.find(part), std::string::npos) << "'" << reason << "' does not say '" << part << "'";
}

Program good() {
  ProgramBuilder b;
  const auto t = b.tensor(0, 0, 256);
  const auto load = b.memory(0, TransferKind::load, {{PortId(0), 0, 256, 1, 0}});
  const auto m = b.matmul(0, 8, 8, 8, {{load, 0}}, 0, {t});
  b.send(0, 1, 128, {{m, 0}});
  return b.program;
}

TEST(ProgramCheck, AcceptsAGoodProgram) { EXPECT_EQ(refusal(good()), ""); }

TEST(ProgramCheck, RefusesWhatDoesNotExist) {
  Program p = good();
  p.pes[0].ops[0].channel = 4;
  expect_refusal(p, "pe_0_0: load #0 uses DMA channel 4 of 4");
  p = good();
  p.pes[0].ops[1].op = OpId(7);
  expect_refusal(p, "pe_0_0: matmul #1 names operator 7 of 2");
  p = good();
  p.segments[0].port = PortId(3);
  expect_refusal(p, "transfer 0 uses memory port 3 of 1");
  p = good();
  p.pes[1].pe = PeId(9);
  p.transfers[1].destination = PeId(9);
  expect_refusal(p, "transfer 1 names a PE that does not exist");
  p = good();
  p.pes[0].accesses[0].micro_tensor = 5;
  expect_refusal(p, "uses micro-tensor #5 of 1");
  p = good();
  p.pes[0].accesses[0].box.extent[0] = 129;
  expect_refusal(p, "uses [0:129] of micro-tensor #0, which is [0:128]");
  p = good();
  p.vector_functions.push_back("sparkle");
  expect_refusal(p, "no function 'sparkle'");
}

TEST(ProgramCheck, RefusesTransfersWithOneEnd) {
  Program p = good();
  p.pes.pop_back();
  expect_refusal(p, "pe_0_0 sends transfer 1, and pe_1_0 has no receive for it");
  p = good();
  p.pes[0].ops.pop_back();
  expect_refusal(p, "pe_1_0 receives transfer 1, and pe_0_0 has no send for it");
  p = good();
  p.pes[0].ops.push_back(p.pes[0].ops.back());
  expect_refusal(p, "pe_0_0: send #3 is a second micro-op of transfer 1");
  p = good();
  p.pes[1].prologue_ops = 1;
  expect_refusal(p, "one end in a prologue");
  p = good();
  p.transfers[1].destination = PeId(0);
  expect_refusal(p, "to itself");
}

TEST(ProgramCheck, RefusesMulticastsThatCannotBe) {
  ProgramBuilder b;
  b.multicast(TransferKind::send, 0, {1, 2}, 64);
  b.multicast(TransferKind::load, 1, {0, 2}, 64);
  const Program whole = b.program;
  EXPECT_EQ(refusal(whole), "");
  Program p = whole;
  p.leaves[1] = PeId(1);
  expect_refusal(p, "transfer 0 has leaves that are not in ascending order");
  p = whole;
  p.leaves[2] = PeId(1);
  expect_refusal(p, "transfer 1 names its source pe_1_0 as a leaf");
  p = whole;
  p.leaves[1] = PeId(7);
  expect_refusal(p, "transfer 0 has a leaf that does not exist");
  p = whole;
  p.transfers[1].leaves.end = 9;
  expect_refusal(p, "transfer 1 has leaves out of range");
  p = whole;
  p.transfers[0].destination = PeId(2);
  expect_refusal(p, "not its first leaf");
  p = whole;
  p.pes[2].ops.pop_back();
  expect_refusal(p, "pe_1_0 loads transfer 1, and pe_2_0 has no receive for it");
  p = whole;
  p.pes[2].ops.push_back(p.pes[2].ops.back());
  expect_refusal(p, "pe_2_0: receive #2 is a second micro-op of transfer 1");
  p = whole;
  p.pes[1].ops.pop_back();
  expect_refusal(p, "receives transfer 1, and pe_1_0 has no load for it");
  p = whole;
  p.pes[0].ops[1].transfer = TransferId(0);
  expect_refusal(p, "pe_0_0: receive #1 names transfer 0 of another PE");
  p = whole;
  p.pes[2].prologue_ops = 1;
  expect_refusal(p, "one end in a prologue");
}

TEST(ProgramCheck, RefusesDependencesThatPointForward) {
  Program p = good();
  p.pes[0].dependences[0] = {2, 0};
  expect_refusal(p, "pe_0_0: matmul #1 depends on #2, which comes later in the same period");
  p.pes[0].dependences[0] = {2, 1};
  EXPECT_EQ(refusal(p), "");
  p.pes[0].dependences[0] = {1, 0};
  expect_refusal(p, "depends on #1");
  p.pes[0].dependences[0] = {9, 0};
  expect_refusal(p, "depends on micro-op #9 of 3");
}

TEST(ProgramCheck, RefusesSizesThatDoNotAddUp) {
  Program p = good();
  p.transfers[0].bytes = 255;
  expect_refusal(p, "transfer 0 has 255 bytes, its segments 256");
  p = good();
  p.pes[0].ops[1].matmul.m = 0;
  expect_refusal(p, "pe_0_0: matmul #1 multiplies nothing");
  p = good();
  p.pes[0].micro_tensors[0].slots = 5000;
  expect_refusal(p,
                 "pe_0_0: micro-tensor #0 of 't' ends at byte 1280000 of a scratchpad of 1048576: overflow");
}

TEST(ProgramCheck, RefusesUnorderedAccesses) {
  ProgramBuilder b;
  const auto t = b.tensor(1, 0, 256);
  b.vector(1, 64, {}, {}, {t});
  b.vector(1, 64, {}, {t});
  expect_refusal(b.program, "pe_1_0: vector #0 and vector #1 use the same bytes");
  b.at(1).ops[1].dependences = {0, 1};
  b.at(1).dependences = {{0, 0}};
  EXPECT_EQ(refusal(b.program), "");
  b.program.periods = 2;
  expect_refusal(b.program, "(1 periods later)");
}

}  // namespace
}  // namespace dfsim
