// tests/planner/verify/tiny_program.h: x[4] is doubled on one PE and sent to another, which takes the relu
// and stores it; two samples together.
#pragma once

#include <string>

#include "planner/verify/verify.h"
#include "sim/hw/hardware_config.h"
#include "tests/planner/ops/build.h"

namespace dfsim::test {

/// Every dependence that is needed and no other: PE 0 loads (#0), doubles (#1), sends (#2); PE 1 receives
/// (#0), takes the relu
/// (#1), stores (#2).
inline Program tiny_program() {
  Program program;
  program.name = "tiny";
  program.samples = 2;
  program.periods = 3;
  program.stages = {"only"};
  program.operators = {{"double", 0}, {"relu", 0}};
  program.tensors = {
      {"x", DataType::fp16, {4}}, {"double", DataType::fp16, {4}}, {"relu", DataType::fp16, {4}}};
  program.vector_functions = {"scale", "relu"};
  const Box all = box({{0, 2}, {0, 4}});
  program.primitives = {{"load", "direct", "x", "", "", "memory", OpId(0), 16},
                        {"send", "direct", "double", "", "", "intra_stage", OpId(1), 16},
                        {"store", "direct", "relu", "", "", "memory", OpId(1), 16}};
  program.segments = {{PortId(0), 0, 8, 1, 0},
                      {PortId(0), 64, 8, 1, 0},
                      {PortId(0), 128, 8, 1, 0},
                      {PortId(0), 192, 8, 1, 0}};
  program.dram_tensors = {{TensorId(0), DramTensorRole::input, {program.segments[0], program.segments[1]}},
                          {TensorId(2), DramTensorRole::output, {program.segments[2], program.segments[3]}}};
  program.transfers = {{TransferKind::load, PeId(0), PeId(0), TensorId(0), all, 16, {0, 2}, 0},
                       {TransferKind::send, PeId(0), PeId(1), TensorId(1), all, 16, {0, 0}, 1},
                       {TransferKind::store, PeId(1), PeId(1), TensorId(2), all, 16, {2, 4}, 2}};
  const auto moves = [](MicroOpKind kind, std::uint32_t op, std::uint32_t transfer) {
    MicroOp micro_op;
    micro_op.kind = kind;
    micro_op.op = OpId(op);
    micro_op.transfer = TransferId(transfer);
    return micro_op;
  };
  const auto computes = [](std::uint32_t op, std::uint32_t function) {
    MicroOp micro_op;
    micro_op.kind = MicroOpKind::vector;
    micro_op.op = OpId(op);
    micro_op.vector = {function, 8};
    return micro_op;
  };
  for (std::uint32_t index = 0; index < 2; ++index) {
    PeProgram pe;
    pe.pe = PeId(index);
    pe.micro_tensors = {{TensorId(index), all, 0, 16, 1, false, false},
                        {TensorId(index + 1), all, 32, 16, 1, false, false}};
    pe.ops = {index == 0 ? moves(MicroOpKind::load, 0, 0) : moves(MicroOpKind::receive, 1, 1),
              computes(index, index),
              index == 0 ? moves(MicroOpKind::send, 1, 1) : moves(MicroOpKind::store, 1, 2)};
    pe.accesses = {{0, all}, {0, all}, {1, all}, {1, all}};
    pe.ops[0].writes = {0, 1};
    pe.ops[1].reads = {1, 2};
    pe.ops[1].writes = {2, 3};
    pe.ops[2].reads = {3, 4};
    // Read after write in a period, write after read in the next.
    pe.dependences = {{1, 1}, {0, 0}, {2, 1}, {1, 0}};
    pe.ops[0].dependences = {0, 1};
    pe.ops[1].dependences = {1, 3};
    pe.ops[2].dependences = {3, 4};
    program.pes.push_back(pe);
  }
  return program;
}

/// The graph of the tiny program and the verifier of it.
class Tiny {
 public:
  Tiny()
      : hardware_(load_hardware(DFSIM_SOURCE_DIR "/configs/mesh2x2.yaml")),
        verifier_(graph(), 2, options()) {}
  Verification verify(const Program& program, std::uint64_t seed) const {
    return verifier_.run(program, hardware_, "tiny", seed);
  }

 private:
  const Graph& graph() {
    const TensorId x = add_input(graph_, "x", {4});
    const OpId twice = add_operator(graph_, "elementwise", {x},
                                    {{"function", std::string("scale")}, {"factor", 2.0}}, "double");
    add_operator(graph_, "elementwise", {graph_.op(twice).outputs[0]}, {{"function", std::string("relu")}},
                 "relu", TensorRole::output);
    return graph_;
  }
  static VerifyOptions options() {
    VerifyOptions options;
    options.periods = 3;
    return options;
  }

  HardwareSpec hardware_;
  Graph graph_;
  Verifier verifier_;
};

}  // namespace dfsim::test
