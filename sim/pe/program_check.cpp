#include "sim/pe/program_check.h"

#include <fmt/format.h>

#include <limits>

namespace dfsim {

namespace {

constexpr std::uint32_t kNoOp = std::numeric_limits<std::uint32_t>::max();

class Checker {
 public:
  Checker(const Program& program, const HardwareSpec& hardware, const NextHop& next_hop,
          LoadedProgram& loaded, Reasons& reasons)
      : program_(program), hardware_(hardware), next_hop_(next_hop), loaded_(loaded), reasons_(reasons) {}

  void run() {
    loaded_.source_op.assign(program_.transfers.size(), kNoOp);
    loaded_.destination_op.assign(program_.transfers.size(), kNoOp);
    source_in_prologue_.assign(program_.transfers.size(), false);
    destination_in_prologue_.assign(program_.transfers.size(), false);
    check_operators();
    check_vector_functions();
    for (std::size_t i = 0; i < program_.transfers.size() && !reasons_.full(); ++i) check_transfer(i);
    check_pe_order();
    if (!reasons_.empty()) return;
    for (const PeProgram& pe : program_.pes) {
      check_micro_tensors(pe);
      for (std::uint32_t op = 0; op < pe.ops.size() && !reasons_.full(); ++op) check_op(pe, op);
    }
    for (std::size_t i = 0; i < program_.transfers.size() && !reasons_.full(); ++i) check_ends(i);
  }

 private:
  void check_operators() {
    for (std::size_t i = 0; i < program_.operators.size(); ++i)
      if (program_.operators[i].stage >= program_.stages.size())
        reasons_.add(fmt::format("operator #{} '{}' names stage {} of {}", i, program_.operators[i].name,
                                 program_.operators[i].stage, program_.stages.size()));
    for (const DramTensor& tensor : program_.dram_tensors) {
      if (tensor.tensor.value() >= program_.tensors.size())
        reasons_.add(fmt::format("a DRAM tensor names tensor {} of {}", tensor.tensor.value(),
                                 program_.tensors.size()));
      for (const DramSegment& piece : tensor.pieces)
        if (piece.port.value() >= hardware_.memory.size())
          reasons_.add(fmt::format("a DRAM tensor names memory port {} of {}", piece.port.value(),
                                   hardware_.memory.size()));
    }
  }

  void check_vector_functions() {
    for (const std::string& name : program_.vector_functions)
      if (!hardware_.pe.vector.cycles_per_group.contains(name))
        reasons_.add(fmt::format("the vector unit has no function '{}' (pe.vector.cycles_per_group)", name));
  }

  void check_pe_order() {
    for (std::size_t i = 0; i < program_.pes.size(); ++i) {
      const PeId pe = program_.pes[i].pe;
      if (pe.value() >= hardware_.pes.size())
        reasons_.add(
            fmt::format("PE {} does not exist (the hardware has {})", pe.value(), hardware_.pes.size()));
      if (i > 0 && !(program_.pes[i - 1].pe < pe)) reasons_.add("PEs are not in ascending order");
    }
  }

  void check_transfer(std::size_t i) {
    const Transfer& transfer = program_.transfers[i];
    const auto bad = [&](const std::string& what) { reasons_.add(fmt::format("transfer {} {}", i, what)); };
    if (transfer.source.value() >= hardware_.pes.size() ||
        transfer.destination.value() >= hardware_.pes.size())
      return bad("names a PE that does not exist");
    if (!program_.primitives.empty() && transfer.primitive >= program_.primitives.size())
      return bad(fmt::format("names primitive {} of {}", transfer.primitive, program_.primitives.size()));
    if (transfer.kind == TransferKind::send) {
      if (transfer.source == transfer.destination)
        return bad("sends from " + pe_name(hardware_, transfer.source) + " to itself");
      const NocId from = hardware_.pes[transfer.source.value()].noc,
                  to = hardware_.pes[transfer.destination.value()].noc;
      const TransferId id(static_cast<std::uint32_t>(i));
      if (from != to && (!next_hop_(from, to, id) || !next_hop_(to, from, id)))
        bad(fmt::format("goes from NoC {} to NoC {}, and no Ethernet link leads there and back", from.value(),
                        to.value()));
      return;
    }
    check_segments(transfer, bad);
  }

  template <class Bad>
  void check_segments(const Transfer& transfer, const Bad& bad) {
    const Range range = transfer.segments;
    if (range.begin > range.end || range.end > program_.segments.size())
      return bad("has segments out of range");
    if (transfer.bytes == 0) return bad("moves no bytes");
    const NocId noc = hardware_.pes[transfer.source.value()].noc;
    std::uint64_t bytes = 0;
    for (std::uint32_t s = range.begin; s < range.end; ++s) {
      const DramSegment& segment = program_.segments[s];
      bytes += std::uint64_t{segment.bytes} * segment.count;
      if (segment.port.value() >= hardware_.memory.size())
        return bad(fmt::format("uses memory port {} of {}", segment.port.value(), hardware_.memory.size()));
      const MemoryPortSpec& port = hardware_.memory[segment.port.value()];
      if (port.noc != noc)
        return bad(fmt::format("of {} uses memory port {} of another NoC",
                               pe_name(hardware_, transfer.source), segment.port.value()));
      if (segment.count == 0 || segment.bytes == 0) return bad("has an empty segment");
      const std::uint64_t end =
          segment.address + std::uint64_t{segment.stride} * (segment.count - 1) + segment.bytes;
      const DramDeviceSpec& device = port.controller.device;
      if (!device.ideal && end > port.controller.capacity().count())
        return bad(fmt::format("ends at byte {} of memory port {}, which has {}", end, segment.port.value(),
                               port.controller.capacity().count()));
    }
    if (bytes != transfer.bytes) bad(fmt::format("has {} bytes, its segments {}", transfer.bytes, bytes));
  }

  void check_micro_tensors(const PeProgram& pe) {
    const std::uint64_t limit = hardware_.pe.scratchpad.bytes.count();
    for (std::size_t i = 0; i < pe.micro_tensors.size() && !reasons_.full(); ++i) {
      const MicroTensor& tensor = pe.micro_tensors[i];
      const std::string name = fmt::format("{}: micro-tensor #{}", pe_name(hardware_, pe.pe), i);
      if (tensor.tensor.value() >= program_.tensors.size()) {
        reasons_.add(
            fmt::format("{} names tensor {} of {}", name, tensor.tensor.value(), program_.tensors.size()));
        continue;
      }
      if (tensor.slots == 0) reasons_.add(name + " has no slot");
      const std::uint64_t end = tensor.address + std::uint64_t{tensor.bytes} * tensor.slots;
      if (end > limit)
        reasons_.add(fmt::format("{} of '{}' ends at byte {} of a scratchpad of {}: overflow", name,
                                 program_.tensors[tensor.tensor.value()].name, end, limit));
    }
  }

  void check_op(const PeProgram& pe, std::uint32_t index) {
    const MicroOp& op = pe.ops[index];
    const auto bad = [&](const std::string& what) {
      reasons_.add(micro_op_name(hardware_, pe, index) + " " + what);
    };
    if (op.op.value() >= program_.operators.size())
      bad(fmt::format("names operator {} of {}", op.op.value(), program_.operators.size()));
    if (op.kind == MicroOpKind::matmul && op.matmul.macs() == 0) bad("multiplies nothing");
    if (op.kind == MicroOpKind::vector && op.vector.function >= program_.vector_functions.size())
      bad(fmt::format("names vector function {} of {}", op.vector.function,
                      program_.vector_functions.size()));
    if (op.kind == MicroOpKind::load || op.kind == MicroOpKind::store || op.kind == MicroOpKind::send ||
        op.kind == MicroOpKind::receive)
      check_transfer_op(pe, index, bad);
    check_dependences(pe, index, bad);
    check_accesses(pe, op.reads, bad);
    check_accesses(pe, op.writes, bad);
  }

  template <class Bad>
  void check_transfer_op(const PeProgram& pe, std::uint32_t index, const Bad& bad) {
    const MicroOp& op = pe.ops[index];
    const bool receives = op.kind == MicroOpKind::receive;
    if (!receives && op.channel >= hardware_.pe.dma.channels)
      return bad(fmt::format("uses DMA channel {} of {}", op.channel, hardware_.pe.dma.channels));
    if (op.transfer.value() >= program_.transfers.size())
      return bad(fmt::format("names transfer {} of {}", op.transfer.value(), program_.transfers.size()));
    const Transfer& transfer = program_.transfers[op.transfer.value()];
    const TransferKind wanted = op.kind == MicroOpKind::load    ? TransferKind::load
                                : op.kind == MicroOpKind::store ? TransferKind::store
                                                                : TransferKind::send;
    if (transfer.kind != wanted)
      return bad(
          fmt::format("names transfer {}, which is a {}", op.transfer.value(), to_string(transfer.kind)));
    if ((receives ? transfer.destination : transfer.source) != pe.pe)
      return bad(fmt::format("names transfer {} of another PE", op.transfer.value()));
    std::uint32_t& end = (receives ? loaded_.destination_op : loaded_.source_op)[op.transfer.value()];
    if (end != kNoOp) return bad(fmt::format("is a second micro-op of transfer {}", op.transfer.value()));
    end = index;
    (receives ? destination_in_prologue_ : source_in_prologue_)[op.transfer.value()] =
        index < pe.prologue_ops;
  }

  template <class Bad>
  void check_dependences(const PeProgram& pe, std::uint32_t index, const Bad& bad) {
    const Range range = pe.ops[index].dependences;
    if (range.begin > range.end || range.end > pe.dependences.size())
      return bad("has dependences out of range");
    if (range.size() > std::numeric_limits<std::uint16_t>::max())
      return bad("has more than 65535 dependences");
    const bool in_prologue = index < pe.prologue_ops;
    for (std::uint32_t d = range.begin; d < range.end; ++d) {
      const Dependence& dependence = pe.dependences[d];
      if (dependence.op >= pe.ops.size())
        return bad(fmt::format("depends on micro-op #{} of {}", dependence.op, pe.ops.size()));
      const bool on_prologue = dependence.op < pe.prologue_ops;
      if (in_prologue && !on_prologue)
        return bad(fmt::format("is in the prologue and depends on #{}, which is not", dependence.op));
      if ((on_prologue || dependence.distance == 0) && dependence.op >= index)
        return bad(fmt::format("depends on #{}, which comes later in the same period", dependence.op));
    }
  }

  template <class Bad>
  void check_accesses(const PeProgram& pe, Range range, const Bad& bad) {
    if (range.begin > range.end || range.end > pe.accesses.size()) return bad("has accesses out of range");
    for (std::uint32_t a = range.begin; a < range.end; ++a) {
      const Access& access = pe.accesses[a];
      if (access.micro_tensor >= pe.micro_tensors.size())
        return bad(fmt::format("uses micro-tensor #{} of {}", access.micro_tensor, pe.micro_tensors.size()));
      const Box& whole = pe.micro_tensors[access.micro_tensor].box;
      if (access.box.rank != whole.rank || !whole.contains(access.box))
        return bad(fmt::format("uses {} of micro-tensor #{}, which is {}", access.box.to_string(),
                               access.micro_tensor, whole.to_string()));
    }
  }

  void check_ends(std::size_t i) {
    const Transfer& transfer = program_.transfers[i];
    const bool has_source = loaded_.source_op[i] != kNoOp,
               has_destination = loaded_.destination_op[i] != kNoOp;
    if (transfer.kind != TransferKind::send) return;  // an unused load or store does no harm
    if (has_source && !has_destination)
      reasons_.add(fmt::format("{} sends transfer {}, and {} has no receive for it",
                               pe_name(hardware_, transfer.source), i,
                               pe_name(hardware_, transfer.destination)));
    if (has_destination && !has_source)
      reasons_.add(fmt::format("{} receives transfer {}, and {} has no send for it",
                               pe_name(hardware_, transfer.destination), i,
                               pe_name(hardware_, transfer.source)));
    if (has_source && has_destination && source_in_prologue_[i] != destination_in_prologue_[i])
      reasons_.add(fmt::format("transfer {} has one end in a prologue and the other in a period", i));
  }

  const Program& program_;
  const HardwareSpec& hardware_;
  const NextHop& next_hop_;
  LoadedProgram& loaded_;
  Reasons& reasons_;
  std::vector<bool> source_in_prologue_, destination_in_prologue_;
};

}  // namespace

std::string Reasons::text() const {
  std::string text;
  for (const std::string& reason : list_) text += (text.empty() ? "" : "; ") + reason;
  return text;
}

std::string micro_op_name(const HardwareSpec& hardware, const PeProgram& pe, std::uint32_t op) {
  return fmt::format("{}: {} #{}", pe_name(hardware, pe.pe), to_string(pe.ops[op].kind), op);
}

void check_program(const Program& program, const HardwareSpec& hardware, const NextHop& next_hop,
                   LoadedProgram& loaded, Reasons& reasons) {
  Checker(program, hardware, next_hop, loaded, reasons).run();
}

}  // namespace dfsim
