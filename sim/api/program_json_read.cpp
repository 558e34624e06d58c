// Programs from JSON text, with the place of what is wrong.
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <limits>
#include <nlohmann/json.hpp>

#include "sim/api/program_json.h"
#include "sim/base/errors.h"

namespace dfsim {

namespace {

using nlohmann::json;

constexpr std::array kOpKinds{MicroOpKind::matmul, MicroOpKind::vector, MicroOpKind::load,
                              MicroOpKind::store,  MicroOpKind::send,   MicroOpKind::receive};
constexpr std::array kTransferKinds{TransferKind::load, TransferKind::store, TransferKind::send};
constexpr std::array kTypes{DataType::int8, DataType::fp16, DataType::bf16, DataType::fp32, DataType::int32};
constexpr std::array kRoles{DramTensorRole::weight, DramTensorRole::embedding, DramTensorRole::input,
                            DramTensorRole::output};

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

void read_multicasts(const json& root, Program& program) {
  each(root, "multicasts", "", [&](const json& entry, const std::string& at) {
    Row row(entry, at);
    const auto transfer = row.number<std::uint32_t>();
    if (transfer >= program.transfers.size()) row.fail("names a transfer that does not exist");
    Range& leaves = program.transfers[transfer].leaves;
    if (leaves.size() > 0) row.fail("is a second entry of its transfer");
    leaves.begin = static_cast<std::uint32_t>(program.leaves.size());
    while (row.more()) program.leaves.push_back(PeId(row.number<std::uint32_t>()));
    leaves.end = static_cast<std::uint32_t>(program.leaves.size());
    if (leaves.size() == 0) row.fail("has no leaf");
  });
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
  if (root.contains("multicasts")) read_multicasts(root, program);
  each(root, "segments", "", [&](const json& entry, const std::string& at) {
    program.segments.push_back(read_segment(entry, at));
  });
  each(root, "dram_tensors", "", [&](const json& entry, const std::string& at) {
    Row row(entry, at);
    DramTensor tensor;
    tensor.tensor = TensorId(row.number<std::uint32_t>());
    const std::string role = row.string();
    const auto known = std::find_if(kRoles.begin(), kRoles.end(),
                                    [&](DramTensorRole one) { return to_string(one) == role; });
    if (known == kRoles.end()) row.fail("has the unknown role '" + role + "'");
    tensor.role = *known;
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
        "version",          "name",       "samples",   "periods",    "stages",   "operators",    "tensors",
        "vector_functions", "primitives", "transfers", "multicasts", "segments", "dram_tensors", "pes"};
    if (std::find(known.begin(), known.end(), key) == known.end())
      throw json::other_error::create(
          501, "/" + key + ": unknown key; did you mean '" + nearest_name(key, known) + "'?", &root);
  }
  return program;
}

}  // namespace

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
