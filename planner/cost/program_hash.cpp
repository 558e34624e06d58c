#include "planner/cost/program_hash.h"

#include <algorithm>
#include <cstdint>
#include <limits>
#include <map>

#include "sim/base/hash.h"

namespace dfsim {

namespace {

/// Flat bytes of one part of a program, written field by field: structs have padding.
class Writer {
 public:
  Writer(const Program& program, const HardwareSpec& hardware) : program_(program), hardware_(hardware) {
    for (const PeProgram& pe : program.pes) {
      const PePlace& place = hardware.pes[pe.pe.value()];
      x_ = std::min(x_, place.x);
      y_ = std::min(y_, place.y);
      z_ = std::min(z_, place.z);
    }
  }

  std::string hash() {
    put(program_.samples, program_.periods, program_.pes.size(), program_.stages.size());
    for (const std::string& function : program_.vector_functions) put_text(function);
    for (const ProgramOperator& op : program_.operators) put(op.stage);
    for (const ProgramTensor& tensor : program_.tensors) {
      put(tensor.type, tensor.shape.size());
      for (const std::uint32_t extent : tensor.shape) put(extent);
    }
    for (const DramSegment& segment : program_.segments) put_segment(segment);
    for (const Transfer& transfer : program_.transfers) put_transfer(transfer);
    close();
    for (const PeProgram& pe : program_.pes) put_pe(pe), close();
    return content_hash(hashes_);
  }

 private:
  template <class... Values>
  void put(Values... values) {
    (put_one(static_cast<std::uint64_t>(values)), ...);
  }
  void put_one(std::uint64_t value) {
    while (value >= 0x80) {
      bytes_ += static_cast<char>(value | 0x80);
      value >>= 7;
    }
    bytes_ += static_cast<char>(value);
  }
  void put_text(const std::string& text) {
    put(text.size());
    bytes_ += text;
  }
  void put_box(const Box& box) {
    put(box.rank);
    for (std::uint8_t d = 0; d < box.rank; ++d) put(box.offset[d], box.extent[d]);
  }
  void put_place(NocId noc, std::uint32_t x, std::uint32_t y, std::uint32_t z) {
    // Ports may lie to the left of all PEs: two's complement keeps differences apart.
    put(noc.value(), x - x_, y - y_, z - z_);
  }
  void put_pe_place(PeId id) {
    const PePlace& place = hardware_.pes[id.value()];
    put_place(place.noc, place.x, place.y, place.z);
  }
  void put_segment(const DramSegment& segment) {
    const MemoryPortSpec& port = hardware_.memory[segment.port.value()];
    const auto at = hardware_.nocs[port.noc.value()].graph.coordinates(port.router);
    put_place(port.noc, at[0], at[1], at[2]);
    put(port.endpoint.value() - first_endpoint(port));
    put(segment.address, segment.bytes, segment.count, segment.stride);
  }
  /// Tells several ports of one router apart.
  std::uint32_t first_endpoint(const MemoryPortSpec& port) const {
    for (const MemoryPortSpec& other : hardware_.memory)
      if (other.noc == port.noc && other.router == port.router) return other.endpoint.value();
    return 0;
  }
  void put_transfer(const Transfer& transfer) {
    put(transfer.kind, transfer.bytes, transfer.segments.begin, transfer.segments.end);
    put_pe_place(transfer.source);
    put_pe_place(transfer.destination);
    if (transfer.leaves.size() > 0) {
      put(transfer.leaves.size());
      for (const PeId leaf : receivers(program_, transfer)) put_pe_place(leaf);
    }
    put(local(tensors_, transfer.tensor.value()));
    put_box(transfer.box);
  }
  void put_pe(const PeProgram& pe) {
    put_pe_place(pe.pe);
    put(pe.prologue_ops, pe.ops.size());
    for (const MicroOp& op : pe.ops) {
      put(op.kind, op.channel, local(operators_, op.op.value()));
      if (op.kind == MicroOpKind::matmul)
        put(op.matmul.m, op.matmul.n, op.matmul.k, op.matmul.count, op.matmul.type, op.matmul.accumulate);
      else if (op.kind == MicroOpKind::vector)
        put(op.vector.function, op.vector.elements);
      else
        put(op.transfer.value());
      for (const Range& range : {op.dependences, op.reads, op.writes}) put(range.begin, range.end);
    }
    for (const Dependence& dependence : pe.dependences) put(dependence.op, dependence.distance);
    for (const Access& access : pe.accesses) {
      put(access.micro_tensor);
      put_box(access.box);
    }
    for (const MicroTensor& micro : pe.micro_tensors) {
      put(local(tensors_, micro.tensor.value()), micro.address, micro.bytes, micro.slots, micro.partial,
          micro.resident);
      put_box(micro.box);
    }
  }
  static std::uint64_t local(std::map<std::uint32_t, std::uint64_t>& known, std::uint32_t id) {
    return known.emplace(id, known.size()).first->second;
  }
  void close() {
    hashes_ += content_hash(bytes_);
    bytes_.clear();
  }

  const Program& program_;
  const HardwareSpec& hardware_;
  std::uint32_t x_ = std::numeric_limits<std::uint32_t>::max(), y_ = x_, z_ = x_;
  std::map<std::uint32_t, std::uint64_t> tensors_, operators_;
  std::string bytes_, hashes_;
};

}  // namespace

std::string program_hash(const Program& program, const HardwareSpec& hardware) {
  return Writer(program, hardware).hash();
}

}  // namespace dfsim
