#include "sim/api/program_json.h"

#include <gtest/gtest.h>

#include "sim/base/errors.h"

namespace dfsim {
namespace {

Box box(std::uint32_t offset, std::uint32_t extent) {
  Box result;
  result.rank = 2;
  result.offset = {offset, 1};
  result.extent = {extent, 3};
  return result;
}

Program example() {
  Program program;
  program.name = "a \"name\" with </script> and \n";
  program.samples = 8;
  program.periods = 3;
  program.stages = {"s0"};
  program.operators = {{"matmul", 0}};
  program.tensors = {{"x", DataType::fp16, {4, 3}}};
  program.vector_functions = {"gelu"};
  program.primitives = {{"load", "direct", "x", "dram", "1 x [4,3]", "memory", OpId(0), 24}};
  program.segments = {{PortId(2), 1ull << 40, 24, 1, 0}};
  Transfer transfer;
  transfer.kind = TransferKind::load;
  transfer.box = box(0, 4);
  transfer.bytes = 24;
  transfer.segments = {0, 1};
  program.transfers = {transfer};
  program.dram_tensors = {{TensorId(0), DramTensorRole::embedding, program.segments}};
  PeProgram pe;
  pe.pe = PeId(5);
  pe.prologue_ops = 1;
  pe.micro_tensors = {{TensorId(0), box(0, 4), 64, 24, 1, false, true}};
  pe.accesses = {{0, box(0, 4)}, {0, box(1, 2)}};
  MicroOp load;
  load.kind = MicroOpKind::load;
  load.channel = 3;
  load.writes = {0, 1};
  MicroOp matmul;
  matmul.kind = MicroOpKind::matmul;
  matmul.matmul = {128, 64, 32, 2, DataType::bf16, true};
  matmul.dependences = {0, 2};
  matmul.reads = {1, 2};
  matmul.writes = {2, 2};
  load.reads = {0, 0};
  pe.dependences = {{0, 0}, {1, 1}};
  pe.ops = {load, matmul};
  program.pes = {pe};
  return program;
}

TEST(ProgramJson, ReadsBackWhatItWrote) {
  const Program program = example();
  EXPECT_EQ(program_from_json(program_to_json(program), "p.json"), program);
}

Program with_multicasts() {
  Program program = example();
  program.transfers.push_back(program.transfers.front());
  program.transfers.push_back(program.transfers.front());
  program.leaves = {PeId(1), PeId(7), PeId(0)};
  program.transfers[0].leaves = {0, 2};
  program.transfers[2].leaves = {2, 3};
  return program;
}

TEST(ProgramJson, MulticastsHaveAListOfTheirOwn) {
  const Program program = with_multicasts();
  const std::string text = program_to_json(program);
  EXPECT_NE(text.find("\"multicasts\":[[0,1,7],[2,0]]"), std::string::npos) << text;
  EXPECT_EQ(program_from_json(text, "p.json"), program);
  EXPECT_EQ(program_to_json(example()).find("multicasts"), std::string::npos);
  for (const char* wrong : {"[[0],[2,0]]", "[[0,1,7],[9,0]]", "[[0,1,7],[0,2]]", "[[0,1,7],2]"}) {
    std::string bad = text;
    bad.replace(bad.find("[[0,1,7],[2,0]]"), 15, wrong);
    EXPECT_THROW(program_from_json(bad, "p.json"), ModelError) << wrong;
  }
}

TEST(ProgramJson, SaysWhereAFileIsWrong) {
  const auto reason = [](std::string text, const std::string& from, const std::string& to) {
    const std::size_t at = text.find(from);
    EXPECT_NE(at, std::string::npos) << from;
    text.replace(at, from.size(), to);
    try {
      program_from_json(text, "p.json");
    } catch (const ModelError& error) {
      return std::string(error.what());
    }
    return std::string("accepted");
  };
  const std::string text = program_to_json(example());
  EXPECT_NE(reason(text, "\"version\":1", "\"version\":99").find("/version: must be 1"), std::string::npos);
  EXPECT_NE(reason(text, "\"stages\"", "\"stagez\"").find("/stages: is missing"), std::string::npos);
  EXPECT_NE(reason(text, "[\"matmul\",0,128", "[\"matmul\",0,-1").find("/pes/0/ops/1: entry 2"),
            std::string::npos);
  EXPECT_NE(reason(text, "\"embedding\"", "\"emb\"").find("unknown role 'emb'"), std::string::npos);
  EXPECT_NE(reason(text, "\"bf16\"", "\"bf17\"").find("unknown word 'bf17'"), std::string::npos);
  EXPECT_NE(reason(text, "}", "").find("p.json:1:1: error: not a program"), std::string::npos);
}

}  // namespace
}  // namespace dfsim
