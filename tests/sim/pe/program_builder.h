// tests/sim/pe/program_builder.h: small programs written by hand.
#pragma once

#include <string>
#include <utility>
#include <vector>

#include "sim/api/program.h"

namespace dfsim {

/// Two PEs (or as many as are used), one stage, tensors of fp16 with one dimension. Operator 0 is "a", 1 is
/// "b".
class ProgramBuilder {
 public:
  ProgramBuilder() {
    program.name = "hand";
    program.stages = {"stage0"};
    program.operators = {{"a", 0}, {"b", 0}};
    program.tensors = {{"t", DataType::fp16, {1 << 20}}};
    program.vector_functions = {"add", "gelu"};
    program.primitives = {Primitive{}};
  }

  /// A micro-tensor of `bytes` bytes at `address`, one dimension of bytes / 2 elements.
  std::uint32_t tensor(std::uint32_t pe, std::uint32_t address, std::uint32_t bytes,
                       std::uint32_t slots = 1) {
    PeProgram& p = at(pe);
    p.micro_tensors.push_back({TensorId(0), box(0, bytes / 2), address, bytes, slots, false, false});
    return static_cast<std::uint32_t>(p.micro_tensors.size() - 1);
  }
  std::uint32_t vector(std::uint32_t pe, std::uint64_t elements, std::vector<Dependence> after = {},
                       std::vector<std::uint32_t> reads = {}, std::vector<std::uint32_t> writes = {}) {
    MicroOp op;
    op.kind = MicroOpKind::vector;
    op.vector = {0, elements};
    return add(pe, op, after, reads, writes);
  }
  std::uint32_t matmul(std::uint32_t pe, std::uint32_t m, std::uint32_t n, std::uint32_t k,
                       std::vector<Dependence> after = {}, std::uint32_t op_id = 0,
                       std::vector<std::uint32_t> reads = {}, std::vector<std::uint32_t> writes = {}) {
    MicroOp op;
    op.kind = MicroOpKind::matmul;
    op.op = OpId(op_id);
    op.matmul = {m, n, k, 1, DataType::fp16, false};
    return add(pe, op, after, reads, writes);
  }
  /// Adds a transfer and both its micro-ops; returns the index of the send at `from` and of the receive at
  /// `to`.
  std::pair<std::uint32_t, std::uint32_t> send(std::uint32_t from, std::uint32_t to, std::uint32_t bytes,
                                               std::vector<Dependence> after_at_source = {},
                                               std::vector<Dependence> after_at_destination = {},
                                               std::uint8_t channel = 0,
                                               std::vector<std::uint32_t> writes = {}) {
    Transfer transfer;
    transfer.source = PeId(from);
    transfer.destination = PeId(to);
    transfer.bytes = bytes;
    program.transfers.push_back(transfer);
    MicroOp op;
    op.kind = MicroOpKind::send;
    op.channel = channel;
    op.transfer = TransferId(static_cast<std::uint32_t>(program.transfers.size() - 1));
    const std::uint32_t source = add(from, op, after_at_source, {}, {});
    op.kind = MicroOpKind::receive;
    op.channel = 0;
    return {source, add(to, op, after_at_destination, {}, writes)};
  }
  std::uint32_t memory(std::uint32_t pe, TransferKind kind, std::vector<DramSegment> segments,
                       std::vector<Dependence> after = {}, std::uint8_t channel = 0) {
    Transfer transfer;
    transfer.kind = kind;
    transfer.source = transfer.destination = PeId(pe);
    transfer.segments.begin = static_cast<std::uint32_t>(program.segments.size());
    for (const DramSegment& segment : segments) {
      transfer.bytes += segment.bytes * segment.count;
      program.segments.push_back(segment);
    }
    transfer.segments.end = static_cast<std::uint32_t>(program.segments.size());
    program.transfers.push_back(transfer);
    MicroOp op;
    op.kind = kind == TransferKind::load ? MicroOpKind::load : MicroOpKind::store;
    op.channel = channel;
    op.transfer = TransferId(static_cast<std::uint32_t>(program.transfers.size() - 1));
    return add(pe, op, after, {}, {});
  }
  /// A multicast and its micro-ops: the send or load at `from`, then the receives at `leaves` (ascending),
  /// each after `after_at_leaves` of its place.
  std::vector<std::uint32_t> multicast(TransferKind kind, std::uint32_t from,
                                       const std::vector<std::uint32_t>& leaves, std::uint32_t bytes,
                                       const std::vector<Dependence>& after = {},
                                       const std::vector<std::vector<Dependence>>& after_at_leaves = {},
                                       const std::vector<std::uint32_t>& writes = {}) {
    Transfer transfer;
    transfer.kind = kind;
    transfer.source = transfer.destination = PeId(from);
    if (kind == TransferKind::send) transfer.destination = PeId(leaves.front());
    transfer.bytes = bytes;
    if (kind == TransferKind::load) {
      transfer.segments.begin = static_cast<std::uint32_t>(program.segments.size());
      program.segments.push_back({PortId(0), 0, bytes, 1, 0});
      transfer.segments.end = static_cast<std::uint32_t>(program.segments.size());
    }
    transfer.leaves.begin = static_cast<std::uint32_t>(program.leaves.size());
    for (const std::uint32_t leaf : leaves) program.leaves.push_back(PeId(leaf));
    transfer.leaves.end = static_cast<std::uint32_t>(program.leaves.size());
    program.transfers.push_back(transfer);
    MicroOp op;
    op.kind = kind == TransferKind::load ? MicroOpKind::load : MicroOpKind::send;
    op.transfer = TransferId(static_cast<std::uint32_t>(program.transfers.size() - 1));
    std::vector<std::uint32_t> result{add(from, op, after, {}, {})};
    op.kind = MicroOpKind::receive;
    for (std::size_t i = 0; i < leaves.size(); ++i)
      result.push_back(add(leaves[i], op,
                           i < after_at_leaves.size() ? after_at_leaves[i] : std::vector<Dependence>{}, {},
                           i < writes.size() ? std::vector{writes[i]} : std::vector<std::uint32_t>{}));
    return result;
  }
  static Box box(std::uint32_t offset, std::uint32_t extent) {
    Box b;
    b.rank = 1;
    b.offset[0] = offset;
    b.extent[0] = extent;
    return b;
  }
  PeProgram& at(std::uint32_t pe) {
    std::size_t i = 0;
    while (i < program.pes.size() && program.pes[i].pe.value() < pe) ++i;
    if (i == program.pes.size() || program.pes[i].pe.value() != pe) {
      program.pes.insert(program.pes.begin() + static_cast<std::ptrdiff_t>(i), PeProgram{});
      program.pes[i].pe = PeId(pe);
    }
    return program.pes[i];
  }

  Program program;

 private:
  std::uint32_t add(std::uint32_t pe, MicroOp op, const std::vector<Dependence>& after,
                    const std::vector<std::uint32_t>& reads, const std::vector<std::uint32_t>& writes) {
    PeProgram& p = at(pe);
    op.dependences.begin = static_cast<std::uint32_t>(p.dependences.size());
    p.dependences.insert(p.dependences.end(), after.begin(), after.end());
    op.dependences.end = static_cast<std::uint32_t>(p.dependences.size());
    op.reads = access(p, reads);
    op.writes = access(p, writes);
    p.ops.push_back(op);
    return static_cast<std::uint32_t>(p.ops.size() - 1);
  }
  static Range access(PeProgram& p, const std::vector<std::uint32_t>& tensors) {
    Range range;
    range.begin = static_cast<std::uint32_t>(p.accesses.size());
    for (const std::uint32_t t : tensors) p.accesses.push_back({t, p.micro_tensors[t].box});
    range.end = static_cast<std::uint32_t>(p.accesses.size());
    return range;
  }
};

/// A line of `columns` PEs on one NoC with a memory port at router 0: endpoints 0 ... columns-1 are the PEs.
inline HardwareSpec line_hardware(std::uint32_t columns) {
  HardwareSpec hardware;
  hardware.name = "line";
  NocSpec noc;
  noc.graph.topology = "mesh";
  noc.graph.dimensions = 1;
  noc.graph.extent = {columns, 1, 1};
  for (std::uint32_t x = 0; x < columns; ++x) {
    if (x + 1 < columns) noc.graph.links.push_back({RouterId(x), RouterId(x + 1), 0, 1, false});
    if (x > 0) noc.graph.links.push_back({RouterId(x), RouterId(x - 1), 1, 0, false});
    noc.endpoints.push_back({EndpointKind::pe, RouterId(x), x});
    hardware.pes.push_back({NocId(0), RouterId(x), EndpointId(x), x, 0, 0});
  }
  noc.endpoints.push_back({EndpointKind::memory_port, RouterId(0), 0});
  hardware.nocs = {noc};
  MemoryPortSpec port;
  port.endpoint = EndpointId(columns);
  port.controller.device.name = "ideal";
  port.controller.device.ideal = true;
  port.controller.device.ideal_bytes_per_cycle = 16;
  port.controller.device.ideal_latency_cycles = 20;
  hardware.memory = {port};
  hardware.pe.vector.cycles_per_group = {{"add", 2.0}, {"gelu", 4.0}};
  return hardware;
}

}  // namespace dfsim
