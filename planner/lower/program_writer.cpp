#include "planner/lower/program_writer.h"

#include <fmt/format.h>

#include <algorithm>

#include "planner/lower/box_cover.h"

namespace dfsim {

ProgramWriter::ProgramWriter(const Graph& graph, const HardwareSpec& hardware,
                             std::map<PeId, ScratchpadSetup> scratchpads)
    : graph_(graph), hardware_(hardware), scratchpads_(std::move(scratchpads)), homes_(hardware) {}

PeBuilder& ProgramWriter::pe(PeId id) {
  std::unique_ptr<PeBuilder>& builder = builders_[id];
  if (!builder) {
    builder =
        std::make_unique<PeBuilder>(id, hardware_.pe.scratchpad.bytes.count(), std::move(scratchpads_[id]));
  }
  return *builder;
}

std::map<PeId, ScratchpadUses> ProgramWriter::scratchpad_uses() const {
  std::map<PeId, ScratchpadUses> uses;
  for (const auto& [id, builder] : builders_) uses.emplace(id, builder->scratchpad_uses());
  return uses;
}

TensorId ProgramWriter::tensor(TensorId graph_tensor) {
  const auto next = TensorId(static_cast<std::uint32_t>(program_.tensors.size()));
  const auto [it, added] = tensor_ids_.emplace(graph_tensor.value(), next);
  if (added) {
    const Tensor& tensor = graph_.tensor(graph_tensor);
    program_.tensors.push_back({tensor.name, tensor.type, tensor.shape});
    graph_tensors_.push_back(graph_tensor);
  }
  return it->second;
}

std::uint32_t ProgramWriter::vector_function(const std::string& name) {
  const auto [it, added] = functions_.emplace(name, static_cast<std::uint32_t>(functions_.size()));
  if (added) program_.vector_functions.push_back(name);
  return it->second;
}

void ProgramWriter::add_stage(const std::string& name, const std::vector<OpId>& operators) {
  const auto stage = static_cast<std::uint32_t>(program_.stages.size());
  program_.stages.push_back(name);
  for (const OpId id : operators) {
    op_ids_.emplace(id.value(), OpId(static_cast<std::uint32_t>(program_.operators.size())));
    program_.operators.push_back({graph_.op(id).name, stage});
  }
}

std::uint32_t ProgramWriter::element_bytes(TensorId graph_tensor, bool partial) const {
  return partial ? 4 : static_cast<std::uint32_t>(bytes_of(graph_.tensor(graph_tensor).type).count());
}

std::uint32_t ProgramWriter::bytes(TensorId graph_tensor, const Box& box, bool partial) const {
  return static_cast<std::uint32_t>(box.elements() * element_bytes(graph_tensor, partial));
}

TransferId ProgramWriter::add_transfer(const Transfer& transfer, const PrimitiveKey& key) {
  const auto [it, added] = primitives_.emplace(key, static_cast<std::uint32_t>(program_.primitives.size()));
  if (added) {
    Primitive primitive;
    primitive.kind = key.kind;
    primitive.algorithm = key.algorithm;
    primitive.scope = key.scope;
    primitive.tensor = graph_.tensor(key.tensor).name;
    primitive.op = op(key.op);
    program_.primitives.push_back(primitive);
  }
  program_.primitives[it->second].bytes += transfer.bytes;
  const auto id = TransferId(static_cast<std::uint32_t>(program_.transfers.size()));
  program_.transfers.push_back(transfer);
  program_.transfers.back().primitive = it->second;
  return id;
}

void ProgramWriter::describe(const PrimitiveKey& key, const std::string& layout_from,
                             const std::string& layout_to) {
  const auto it = primitives_.find(key);
  if (it == primitives_.end()) return;
  program_.primitives[it->second].layout_from = layout_from;
  program_.primitives[it->second].layout_to = layout_to;
}

MicroOp ProgramWriter::transfer_op(MicroOpKind kind, DmaUse use, TransferId transfer, OpId graph_op) const {
  MicroOp micro_op;
  micro_op.kind = kind;
  micro_op.channel = static_cast<std::uint8_t>(static_cast<std::uint32_t>(use) % hardware_.pe.dma.channels);
  micro_op.transfer = transfer;
  micro_op.op = op(graph_op);
  return micro_op;
}

std::uint32_t ProgramWriter::send(PeId from, const Access& access, PeId to, DmaUse use, Placement placement,
                                  bool resident, const PrimitiveKey& key, OpId graph_op) {
  const MicroTensor source = pe(from).micro_tensor(access.micro_tensor);
  const std::uint32_t moved = bytes(key.tensor, access.box, source.partial);
  const std::uint32_t arrived =
      pe(to).allocate(source.tensor, access.box, moved, placement, source.partial, resident);
  Transfer transfer;
  transfer.kind = TransferKind::send;
  transfer.source = from;
  transfer.destination = to;
  transfer.tensor = source.tensor;
  transfer.box = access.box;
  transfer.bytes = moved;
  const TransferId id = add_transfer(transfer, key);
  pe(from).emit(transfer_op(MicroOpKind::send, use, id, graph_op), {access}, {});
  pe(to).emit(transfer_op(MicroOpKind::receive, use, id, graph_op), {}, {{arrived, access.box}});
  return arrived;
}

std::uint32_t ProgramWriter::token(PeId from, const std::vector<std::uint32_t>& after, PeId to,
                                   const PrimitiveKey& key, OpId graph_op) {
  Transfer transfer;
  transfer.kind = TransferKind::send;
  transfer.source = from;
  transfer.destination = to;
  transfer.tensor = tensor(key.tensor);
  const TransferId id = add_transfer(transfer, key);
  pe(from).emit(transfer_op(MicroOpKind::send, DmaUse::data, id, graph_op), {}, {}, after);
  return pe(to).emit(transfer_op(MicroOpKind::receive, DmaUse::data, id, graph_op), {}, {});
}

std::uint32_t ProgramWriter::load(PeId to, const std::vector<DramSegment>& segments,
                                  const std::vector<Access>& reads, const Access& write,
                                  const PrimitiveKey& key, OpId graph_op,
                                  const std::vector<std::uint32_t>& after) {
  Transfer transfer;
  transfer.kind = TransferKind::load;
  transfer.source = transfer.destination = to;
  transfer.tensor = tensor(key.tensor);
  transfer.box = write.box;
  transfer.segments.begin = static_cast<std::uint32_t>(program_.segments.size());
  program_.segments.insert(program_.segments.end(), segments.begin(), segments.end());
  transfer.segments.end = static_cast<std::uint32_t>(program_.segments.size());
  for (const DramSegment& segment : segments) transfer.bytes += segment.bytes * segment.count;
  const TransferId id = add_transfer(transfer, key);
  const bool weight = graph_.tensor(key.tensor).role == TensorRole::weight;
  const DmaUse use = weight ? DmaUse::load : DmaUse::input;
  return pe(to).emit(transfer_op(MicroOpKind::load, use, id, graph_op), reads, {write}, after);
}

void ProgramWriter::store(PeId from, const Access& read, const std::vector<DramSegment>& segments,
                          const PrimitiveKey& key, OpId graph_op) {
  Transfer transfer;
  transfer.kind = TransferKind::store;
  transfer.source = transfer.destination = from;
  transfer.tensor = tensor(key.tensor);
  transfer.box = read.box;
  transfer.segments.begin = static_cast<std::uint32_t>(program_.segments.size());
  program_.segments.insert(program_.segments.end(), segments.begin(), segments.end());
  transfer.segments.end = static_cast<std::uint32_t>(program_.segments.size());
  for (const DramSegment& segment : segments) transfer.bytes += segment.bytes * segment.count;
  const TransferId id = add_transfer(transfer, key);
  pe(from).emit(transfer_op(MicroOpKind::store, DmaUse::store, id, graph_op), {read}, {});
}

void ProgramWriter::end_prologue() {
  for (auto& [id, builder] : builders_) builder->end_prologue();
}

Program ProgramWriter::finish(const std::string& name, std::uint32_t samples, std::uint32_t periods) {
  program_.name = name;
  program_.samples = samples;
  program_.periods = periods;
  for (const auto& [graph_tensor, pieces] : homes_.pieces()) {
    DramTensor home;
    home.tensor = tensor(graph_tensor);
    switch (graph_.tensor(graph_tensor).role) {
      case TensorRole::weight:
        home.role = DramTensorRole::weight;
        break;
      case TensorRole::embedding:
        home.role = DramTensorRole::embedding;
        break;
      case TensorRole::input:
        home.role = DramTensorRole::input;
        break;
      default:
        home.role = DramTensorRole::output;
        break;
    }
    home.pieces = pieces;
    program_.dram_tensors.push_back(std::move(home));
  }
  for (auto& [id, builder] : builders_)
    if (!builder->empty()) program_.pes.push_back(builder->finish());
  return std::move(program_);
}

std::string layout_name(const std::vector<Box>& boxes) {
  if (boxes.empty()) return "none";
  const Box& largest = *std::max_element(
      boxes.begin(), boxes.end(), [](const Box& a, const Box& b) { return a.elements() < b.elements(); });
  std::string extents;
  for (std::uint8_t d = 0; d < largest.rank; ++d)
    extents += (d == 0 ? "" : ",") + std::to_string(largest.extent[d]);
  return fmt::format("{} x [{}]", boxes.size(), extents);
}

}  // namespace dfsim
