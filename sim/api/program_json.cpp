#include "sim/api/program_json.h"

#include <fmt/compile.h>
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <iterator>
#include <limits>
#include <nlohmann/json.hpp>

#include "sim/base/errors.h"

namespace dfsim {

namespace {

using nlohmann::json;

constexpr std::array kOpKinds{MicroOpKind::matmul, MicroOpKind::vector, MicroOpKind::load,
                              MicroOpKind::store,  MicroOpKind::send,   MicroOpKind::receive};
constexpr std::array kTransferKinds{TransferKind::load, TransferKind::store, TransferKind::send};
constexpr std::array kTypes{DataType::int8, DataType::fp16, DataType::bf16, DataType::fp32, DataType::int32};
constexpr std::array<const char*, 4> kRoles{"weight", "embedding", "input", "output"};

// ------------------------------------------------------------------ writing

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
    out.item(std::string(kRoles[static_cast<std::size_t>(tensor.role)]));
    for (const DramSegment& piece : tensor.pieces) write_segment(out, piece);
    out.close(']');
  }
  out.close(']');
  out.line();
}

// ------------------------------------------------------------------ reading

/// Walks one JSON array of mixed entries and reports where it is wrong.
class Row {
 public:
  Row(json&&, std::string) = delete;  // a row only looks at its array
  Row(const json& array, std::string where) : array_(array), where_(std::move(where)) {
    if (!array.is_array()) throw json::other_error::create(501, where_ + ": expected a list", &array);
  }
  bool more() const { return next_ < array_.size(); }
  const json& any() {
    if (!more()) fail("is too short");
    return array_[next_++];
  }
  template <class T>
  T number() {
    const json& value = any();
    if (!value.is_number_unsigned() || value.get<std::uint64_t>() > std::numeric_limits<T>::max())
      fail(fmt::format("entry {} must be a whole number up to {}", next_ - 1, std::numeric_limits<T>::max()));
    return static_cast<T>(value.get<std::uint64_t>());
  }
  std::string string() {
    const json& value = any();
    if (!value.is_string()) fail(fmt::format("entry {} must be a text", next_ - 1));
    return value.get<std::string>();
  }
  template <class Kind, std::size_t N>
  Kind one_of(const std::array<Kind, N>& kinds) {
    const std::string name = string();
    for (const Kind kind : kinds)
      if (to_string(kind) == name) return kind;
    fail(fmt::format("entry {} is the unknown word '{}'", next_ - 1, name));
  }
  Box box() {
    const std::size_t left = array_.size() - next_;
    if (left % 2 != 0 || left / 2 > kMaxRank) fail("does not end with the offsets and extents of a box");
    Box result;
    result.rank = static_cast<std::uint8_t>(left / 2);
    for (std::uint8_t d = 0; d < result.rank; ++d) result.offset[d] = number<std::uint32_t>();
    for (std::uint8_t d = 0; d < result.rank; ++d) result.extent[d] = number<std::uint32_t>();
    return result;
  }
  [[noreturn]] void fail(const std::string& what) const {
    throw json::other_error::create(501, where_ + ": " + what, &array_);
  }

 private:
  const json& array_;
  std::string where_;
  std::size_t next_ = 0;
};

const json& member(const json& object, const char* key, const std::string& where) {
  if (!object.is_object() || !object.contains(key))
    throw json::other_error::create(501, where + "/" + key + ": is missing", &object);
  return object[key];
}

template <class Read>
void each(const json& object, const char* key, const std::string& where, const Read& read) {
  const json& list = member(object, key, where);
  const std::string base = where + "/" + key;
  if (!list.is_array()) throw json::other_error::create(501, base + ": expected a list", &list);
  for (std::size_t i = 0; i < list.size(); ++i) read(list[i], fmt::format("{}/{}", base, i));
}

DramSegment read_segment(const json& value, const std::string& where) {
  Row row(value, where);
  DramSegment segment;
  segment.port = PortId(row.number<std::uint32_t>());
  segment.address = row.number<std::uint64_t>();
  segment.bytes = row.number<std::uint32_t>();
  segment.count = row.number<std::uint32_t>();
  segment.stride = row.number<std::uint32_t>();
  return segment;
}

MicroOp read_op(const json& value, const std::string& where, std::uint32_t& dependences,
                std::uint32_t& accesses) {
  Row row(value, where);
  MicroOp op;
  op.kind = row.one_of(kOpKinds);
  op.op = OpId(row.number<std::uint32_t>());
  switch (op.kind) {
    case MicroOpKind::matmul:
      for (std::uint32_t* field : {&op.matmul.m, &op.matmul.n, &op.matmul.k, &op.matmul.count})
        *field = row.number<std::uint32_t>();
      op.matmul.type = row.one_of(kTypes);
      op.matmul.accumulate = row.number<std::uint8_t>() != 0;
      break;
    case MicroOpKind::vector:
      op.vector.function = row.number<std::uint32_t>();
      op.vector.elements = row.number<std::uint64_t>();
      break;
    default:
      op.transfer = TransferId(row.number<std::uint32_t>());
      op.channel = row.number<std::uint8_t>();
  }
  op.dependences = {dependences, dependences + row.number<std::uint16_t>()};
  dependences = op.dependences.end;
  op.reads = {accesses, accesses + row.number<std::uint16_t>()};
  op.writes = {op.reads.end, op.reads.end + row.number<std::uint16_t>()};
  accesses = op.writes.end;
  return op;
}

PeProgram read_pe(const json& value, const std::string& where) {
  PeProgram pe;
  const json numbers = json::array({member(value, "pe", where), member(value, "prologue_ops", where)});
  Row head(numbers, where);
  pe.pe = PeId(head.number<std::uint32_t>());
  pe.prologue_ops = head.number<std::uint32_t>();
  each(value, "micro_tensors", where, [&](const json& entry, const std::string& at) {
    Row row(entry, at);
    MicroTensor tensor;
    tensor.tensor = TensorId(row.number<std::uint32_t>());
    tensor.address = row.number<std::uint32_t>();
    tensor.bytes = row.number<std::uint32_t>();
    tensor.slots = row.number<std::uint32_t>();
    tensor.partial = row.number<std::uint8_t>() != 0;
    tensor.resident = row.number<std::uint8_t>() != 0;
    tensor.box = row.box();
    pe.micro_tensors.push_back(tensor);
  });
  std::uint32_t dependences = 0, accesses = 0;
  each(value, "ops", where, [&](const json& entry, const std::string& at) {
    pe.ops.push_back(read_op(entry, at, dependences, accesses));
  });
  Row waits(member(value, "dependences", where), where + "/dependences");
  while (waits.more()) {
    Dependence dependence;
    dependence.op = waits.number<std::uint32_t>();
    dependence.distance = waits.number<std::uint32_t>();
    pe.dependences.push_back(dependence);
  }
  each(value, "accesses", where, [&](const json& entry, const std::string& at) {
    const json whole = entry.is_array() ? entry : json::array({entry});
    Row row(whole, at);
    Access access;
    access.micro_tensor = row.number<std::uint32_t>();
    if (access.micro_tensor >= pe.micro_tensors.size()) row.fail("names a micro-tensor that does not exist");
    access.box = row.more() ? row.box() : pe.micro_tensors[access.micro_tensor].box;
    pe.accesses.push_back(access);
  });
  if (dependences != pe.dependences.size() || accesses != pe.accesses.size())
    throw json::other_error::create(
        501, where + ": lengths in 'ops' do not add up to 'dependences' and 'accesses'", &value);
  return pe;
}

void read_tables(const json& root, Program& program) {
  each(root, "operators", "", [&](const json& entry, const std::string& at) {
    Row row(entry, at);
    ProgramOperator op;
    op.name = row.string();
    op.stage = row.number<std::uint32_t>();
    program.operators.push_back(op);
  });
  each(root, "tensors", "", [&](const json& entry, const std::string& at) {
    Row row(entry, at);
    ProgramTensor tensor;
    tensor.name = row.string();
    tensor.type = row.one_of(kTypes);
    while (row.more()) tensor.shape.push_back(row.number<std::uint32_t>());
    program.tensors.push_back(tensor);
  });
  each(root, "primitives", "", [&](const json& entry, const std::string& at) {
    Row row(entry, at);
    Primitive primitive;
    for (std::string* text : {&primitive.kind, &primitive.algorithm, &primitive.tensor,
                              &primitive.layout_from, &primitive.layout_to, &primitive.scope})
      *text = row.string();
    primitive.op = OpId(row.number<std::uint32_t>());
    primitive.bytes = row.number<std::uint64_t>();
    program.primitives.push_back(primitive);
  });
  each(root, "transfers", "", [&](const json& entry, const std::string& at) {
    Row row(entry, at);
    Transfer transfer;
    transfer.kind = row.one_of(kTransferKinds);
    transfer.source = PeId(row.number<std::uint32_t>());
    transfer.destination = PeId(row.number<std::uint32_t>());
    transfer.tensor = TensorId(row.number<std::uint32_t>());
    transfer.bytes = row.number<std::uint32_t>();
    transfer.segments.begin = row.number<std::uint32_t>();
    transfer.segments.end = row.number<std::uint32_t>();
    transfer.primitive = row.number<std::uint32_t>();
    transfer.box = row.box();
    program.transfers.push_back(transfer);
  });
  each(root, "segments", "", [&](const json& entry, const std::string& at) {
    program.segments.push_back(read_segment(entry, at));
  });
  each(root, "dram_tensors", "", [&](const json& entry, const std::string& at) {
    Row row(entry, at);
    DramTensor tensor;
    tensor.tensor = TensorId(row.number<std::uint32_t>());
    const std::string role = row.string();
    const auto known = std::find(kRoles.begin(), kRoles.end(), role);
    if (known == kRoles.end()) row.fail("has the unknown role '" + role + "'");
    tensor.role = static_cast<DramTensorRole>(known - kRoles.begin());
    while (row.more()) tensor.pieces.push_back(read_segment(row.any(), at));
    program.dram_tensors.push_back(tensor);
  });
}

Program read_program_root(const json& root) {
  if (member(root, "version", "") != kProgramJsonVersion)
    throw json::other_error::create(501, fmt::format("/version: must be {}", kProgramJsonVersion), &root);
  Program program;
  const json fields =
      json::array({member(root, "name", ""), member(root, "samples", ""), member(root, "periods", "")});
  Row head(fields, "");
  program.name = head.string();
  program.samples = head.number<std::uint32_t>();
  program.periods = head.number<std::uint32_t>();
  Row stages(member(root, "stages", ""), "/stages");
  while (stages.more()) program.stages.push_back(stages.string());
  Row functions(member(root, "vector_functions", ""), "/vector_functions");
  while (functions.more()) program.vector_functions.push_back(functions.string());
  read_tables(root, program);
  each(root, "pes", "",
       [&](const json& entry, const std::string& at) { program.pes.push_back(read_pe(entry, at)); });
  for (const auto& [key, value] : root.items()) {
    static const std::vector<std::string> known{
        "version",          "name",       "samples",   "periods",  "stages",       "operators", "tensors",
        "vector_functions", "primitives", "transfers", "segments", "dram_tensors", "pes"};
    if (std::find(known.begin(), known.end(), key) == known.end())
      throw json::other_error::create(
          501, "/" + key + ": unknown key; did you mean '" + nearest_name(key, known) + "'?", &root);
  }
  return program;
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

Program program_from_json(const std::string& text, const std::string& file) {
  try {
    return read_program_root(json::parse(text));
  } catch (const json::exception& error) {
    // nlohmann puts its own name and number in brackets first; the rest is what a reader wants.
    std::string what = error.what();
    if (const std::size_t bracket = what.find("] "); bracket != std::string::npos)
      what = what.substr(bracket + 2);
    throw ModelError({Diagnostic{{file, 1, 1}, "not a program: " + what, "write one with `dfsim compile`"}});
  }
}

}  // namespace dfsim
