// Programs as JSON text. Streamed, since a program of BERT is 50 MB.
#include <fmt/compile.h>
#include <fmt/format.h>

#include <iterator>
#include <nlohmann/json.hpp>

#include "sim/api/program_json.h"

namespace dfsim {

namespace {

using nlohmann::json;

class Writer {
 public:
  std::string text;

  void raw(std::string_view part) { text.append(part); }
  void number(std::uint64_t value) { fmt::format_to(std::back_inserter(text), FMT_COMPILE("{}"), value); }
  void string(const std::string& value) { text += json(value).dump(-1, ' ', true); }
  void key(const char* name) {
    comma();
    text += '"';
    text += name;
    text += "\":";
    fresh_ = true;
  }
  void open(char bracket) {
    comma();
    text += bracket;
    fresh_ = true;
  }
  void close(char bracket) {
    text += bracket;
    fresh_ = false;
  }
  void item(std::uint64_t value) {
    comma();
    number(value);
  }
  void item(const std::string& value) {
    comma();
    string(value);
  }
  void line() { text += '\n'; }

  void box(const Box& box) {
    for (std::uint8_t d = 0; d < box.rank; ++d) item(box.offset[d]);
    for (std::uint8_t d = 0; d < box.rank; ++d) item(box.extent[d]);
  }

 private:
  void comma() {
    if (!fresh_ && !text.empty()) text += ',';
    fresh_ = false;
  }
  bool fresh_ = true;
};

void write_op(Writer& out, const MicroOp& op) {
  out.open('[');
  out.item(to_string(op.kind));
  out.item(op.op.value());
  switch (op.kind) {
    case MicroOpKind::matmul:
      for (const std::uint32_t value : {op.matmul.m, op.matmul.n, op.matmul.k, op.matmul.count})
        out.item(value);
      out.item(to_string(op.matmul.type));
      out.item(op.matmul.accumulate ? 1 : 0);
      break;
    case MicroOpKind::vector:
      out.item(op.vector.function);
      out.item(op.vector.elements);
      break;
    default:
      out.item(op.transfer.value());
      out.item(op.channel);
  }
  // The ranges of consecutive micro-ops follow each other, so lengths are enough.
  for (const std::uint32_t length : {op.dependences.size(), op.reads.size(), op.writes.size()})
    out.item(length);
  out.close(']');
}

void write_pe(Writer& out, const PeProgram& pe) {
  out.open('{');
  out.key("pe");
  out.item(pe.pe.value());
  out.key("prologue_ops");
  out.item(pe.prologue_ops);
  out.key("micro_tensors");
  out.open('[');
  for (const MicroTensor& tensor : pe.micro_tensors) {
    out.open('[');
    for (const std::uint64_t value : {tensor.tensor.value(), tensor.address, tensor.bytes, tensor.slots,
                                      std::uint32_t{tensor.partial}, std::uint32_t{tensor.resident}})
      out.item(value);
    out.box(tensor.box);
    out.close(']');
  }
  out.close(']');
  out.key("ops");
  out.open('[');
  for (const MicroOp& op : pe.ops) write_op(out, op);
  out.close(']');
  out.key("dependences");
  out.open('[');
  for (const MicroOp& op : pe.ops)
    for (std::uint32_t d = op.dependences.begin; d < op.dependences.end; ++d) {
      out.item(pe.dependences[d].op);
      out.item(pe.dependences[d].distance);
    }
  out.close(']');
  out.key("accesses");
  out.open('[');
  for (const MicroOp& op : pe.ops)
    for (const Range range : {op.reads, op.writes})
      for (std::uint32_t a = range.begin; a < range.end; ++a) {
        const Access& access = pe.accesses[a];
        // The usual access takes the whole micro-tensor: its number is enough.
        if (access.box == pe.micro_tensors[access.micro_tensor].box) {
          out.item(access.micro_tensor);
          continue;
        }
        out.open('[');
        out.item(access.micro_tensor);
        out.box(access.box);
        out.close(']');
      }
  out.close(']');
  out.close('}');
  out.line();
}

void write_segment(Writer& out, const DramSegment& segment) {
  out.open('[');
  for (const std::uint64_t value :
       {std::uint64_t{segment.port.value()}, segment.address, std::uint64_t{segment.bytes},
        std::uint64_t{segment.count}, std::uint64_t{segment.stride}})
    out.item(value);
  out.close(']');
}

/// Transfers with several receivers; programs without any have no such key.
void write_multicasts(Writer& out, const Program& program) {
  if (program.leaves.empty()) return;
  out.key("multicasts");
  out.open('[');
  for (std::size_t t = 0; t < program.transfers.size(); ++t) {
    const Range leaves = program.transfers[t].leaves;
    if (leaves.size() == 0) continue;
    out.open('[');
    out.item(t);
    for (std::uint32_t i = leaves.begin; i < leaves.end; ++i) out.item(program.leaves[i].value());
    out.close(']');
  }
  out.close(']');
  out.line();
}

void write_tables(Writer& out, const Program& program) {
  out.key("tensors");
  out.open('[');
  for (const ProgramTensor& tensor : program.tensors) {
    out.open('[');
    out.item(tensor.name);
    out.item(to_string(tensor.type));
    for (const std::uint32_t extent : tensor.shape) out.item(extent);
    out.close(']');
  }
  out.close(']');
  out.key("primitives");
  out.open('[');
  for (const Primitive& primitive : program.primitives) {
    out.open('[');
    for (const std::string* text : {&primitive.kind, &primitive.algorithm, &primitive.tensor,
                                    &primitive.layout_from, &primitive.layout_to, &primitive.scope})
      out.item(*text);
    out.item(primitive.op.value());
    out.item(primitive.bytes);
    out.close(']');
  }
  out.close(']');
  out.line();
  out.key("transfers");
  out.open('[');
  for (const Transfer& transfer : program.transfers) {
    out.open('[');
    out.item(to_string(transfer.kind));
    for (const std::uint32_t value :
         {transfer.source.value(), transfer.destination.value(), transfer.tensor.value(), transfer.bytes,
          transfer.segments.begin, transfer.segments.end, transfer.primitive})
      out.item(value);
    out.box(transfer.box);
    out.close(']');
  }
  out.close(']');
  out.line();
  write_multicasts(out, program);
  out.key("segments");
  out.open('[');
  for (const DramSegment& segment : program.segments) write_segment(out, segment);
  out.close(']');
  out.line();
  out.key("dram_tensors");
  out.open('[');
  for (const DramTensor& tensor : program.dram_tensors) {
    out.open('[');
    out.item(tensor.tensor.value());
    out.item(to_string(tensor.role));
    for (const DramSegment& piece : tensor.pieces) write_segment(out, piece);
    out.close(']');
  }
  out.close(']');
  out.line();
}

}  // namespace

std::string program_to_json(const Program& program) {
  Writer out;
  out.open('{');
  out.key("version");
  out.item(kProgramJsonVersion);
  out.key("name");
  out.item(program.name);
  out.key("samples");
  out.item(program.samples);
  out.key("periods");
  out.item(program.periods);
  out.key("stages");
  out.open('[');
  for (const std::string& stage : program.stages) out.item(stage);
  out.close(']');
  out.key("operators");
  out.open('[');
  for (const ProgramOperator& op : program.operators) {
    out.open('[');
    out.item(op.name);
    out.item(op.stage);
    out.close(']');
  }
  out.close(']');
  out.key("vector_functions");
  out.open('[');
  for (const std::string& function : program.vector_functions) out.item(function);
  out.close(']');
  out.line();
  write_tables(out, program);
  out.key("pes");
  out.open('[');
  for (const PeProgram& pe : program.pes) write_pe(out, pe);
  out.close(']');
  out.close('}');
  out.line();
  return std::move(out.text);
}

}  // namespace dfsim
