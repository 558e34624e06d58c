#include "sim/pe/loaded_program.h"

#include <fmt/format.h>

#include <algorithm>
#include <limits>

#include "sim/pe/hazards.h"
#include "sim/pe/matmul_timing.h"
#include "sim/pe/program_check.h"

namespace dfsim {

namespace {

std::uint64_t access_bytes(const Program& program, const PeProgram& pe, Range range) {
  std::uint64_t bytes = 0;
  for (std::uint32_t a = range.begin; a < range.end; ++a) {
    const Access& access = pe.accesses[a];
    const MicroTensor& tensor = pe.micro_tensors[access.micro_tensor];
    const std::uint64_t element =
        tensor.partial ? 4 : bytes_of(program.tensors[tensor.tensor.value()].type).count();
    bytes += access.box.elements() * element;
  }
  return bytes;
}

/// Flattens the program of one PE.
class PeLoader {
 public:
  PeLoader(const Program& program, const HardwareSpec& hardware, const NextHop& next_hop,
           const PeProgram& source, LoadedPe& loaded)
      : program_(program), hardware_(hardware), next_hop_(next_hop), source_(source), loaded_(loaded) {}

  void run() {
    loaded_.pe = source_.pe;
    loaded_.prologue_ops = source_.prologue_ops;
    loaded_.periods = program_.periods;
    loaded_.ready_receives.clear();
    loaded_.leaf_endpoints.clear();
    place_states();
    for (std::uint32_t op = 0; op < source_.ops.size(); ++op) load_op(op);
    list_units();
    reverse_dependences();
    find_ready_receives();
    measure_scratchpad();
  }

 private:
  void place_states() {
    const std::uint32_t n = static_cast<std::uint32_t>(source_.ops.size()), prologue = source_.prologue_ops;
    loaded_.ops.assign(n, LoadedOp{});
    loaded_.instances = prologue + std::uint64_t{n - prologue} * program_.periods;
    loaded_.states.assign(loaded_.instances, InstanceState{});
    for (std::uint32_t op = 0; op < n; ++op)
      loaded_.ops[op].states = op < prologue ? op : prologue + (op - prologue) * program_.periods;
  }

  void load_op(std::uint32_t index) {
    const MicroOp& from = source_.ops[index];
    LoadedOp& op = loaded_.ops[index];
    op.kind = from.kind;
    op.op = from.op;
    op.stage = program_.operators[from.op.value()].stage;
    switch (from.kind) {
      case MicroOpKind::matmul:
        load_matmul(from, op);
        break;
      case MicroOpKind::vector:
        load_vector(from, op);
        break;
      case MicroOpKind::load:
      case MicroOpKind::store:
      case MicroOpKind::send:
      case MicroOpKind::receive:
        load_transfer(from, op);
        break;
    }
  }

  void load_matmul(const MicroOp& from, LoadedOp& op) {
    const MatrixUnitSpec& spec = hardware_.pe.matrix;
    const MatmulTiming timing = matmul_timing(spec, from.matmul);
    const MatmulTraffic traffic = matmul_traffic(spec, from.matmul);
    op.unit = kMatrixUnit;
    op.issue_cycles = timing.issue_cycles;
    op.tail_cycles = timing.total_cycles - timing.issue_cycles;
    op.work = from.matmul.macs();
    op.read_bytes = traffic.read_bytes;
    op.write_bytes = traffic.write_bytes;
  }

  void load_vector(const MicroOp& from, LoadedOp& op) {
    const VectorUnitSpec& spec = hardware_.pe.vector;
    op.unit = kVectorUnit;
    op.issue_cycles =
        vector_cycles(spec, spec.cycles_per_group.at(program_.vector_functions[from.vector.function]),
                      from.vector.elements);
    op.work = from.vector.elements;
    op.read_bytes = access_bytes(program_, source_, from.reads);
    op.write_bytes = access_bytes(program_, source_, from.writes);
  }

  void load_transfer(const MicroOp& from, LoadedOp& op) {
    const Transfer& transfer = program_.transfers[from.transfer.value()];
    op.transfer = from.transfer;
    op.bytes = transfer.bytes;
    if (from.kind != MicroOpKind::receive) op.unit = static_cast<std::uint8_t>(kFirstChannel + from.channel);
    if (from.kind == MicroOpKind::receive) {
      op.route = route_to(transfer.source, from.transfer);
      return;
    }
    load_receivers(op, transfer);
    if (transfer.kind != TransferKind::send) return;
    const NocSpec& noc = hardware_.nocs[hardware_.pes[source_.pe.value()].noc.value()];
    const bool several = op.leaves.size() > 0;
    const std::uint32_t packet_bytes =
        noc.link_width_bytes * (several ? noc.multicast_packet_flits() : noc.max_packet_flits);
    op.packets = std::max(1u, ceil_div(transfer.bytes, packet_bytes));
    op.route = route_to(transfer.destination, from.transfer);
  }

  void load_receivers(LoadedOp& op, const Transfer& transfer) {
    const std::span<const PeId> all = receivers(program_, transfer);
    op.receivers = static_cast<std::uint32_t>(all.size());
    if (op.bytes > 0)
      for (std::uint32_t p = 0; p < loaded_.instances_of(index_of(op)); ++p)
        loaded_.state(index_of(op), p).ungranted = static_cast<std::uint16_t>(op.receivers);
    if (transfer.leaves.size() == 0) return;
    std::vector<EndpointId>& endpoints = loaded_.leaf_endpoints;
    op.leaves.begin = static_cast<std::uint32_t>(endpoints.size());
    for (const PeId pe : all) endpoints.push_back(hardware_.pes[pe.value()].endpoint);
    if (transfer.kind == TransferKind::load)
      endpoints.push_back(hardware_.pes[transfer.source.value()].endpoint);
    op.leaves.end = static_cast<std::uint32_t>(endpoints.size());
    std::sort(endpoints.begin() + op.leaves.begin, endpoints.end());
  }
  std::uint32_t index_of(const LoadedOp& op) const {
    return static_cast<std::uint32_t>(&op - loaded_.ops.data());
  }

  Route route_to(PeId pe, TransferId transfer) const {
    const PePlace &here = hardware_.pes[source_.pe.value()], &there = hardware_.pes[pe.value()];
    Route route{there.endpoint, MessageClass::sinkable, there.noc, there.endpoint};
    if (here.noc != there.noc) {
      route.next = *next_hop_(here.noc, there.noc, transfer);  // checked before
      route.message_class = MessageClass::outbound;
    }
    return route;
  }

  void list_units() {
    loaded_.units.resize(kFirstChannel + hardware_.pe.dma.channels);
    for (UnitList& unit : loaded_.units) {
      unit.ops.clear();
      unit.prologue = 0;
    }
    for (std::uint32_t op = 0; op < loaded_.ops.size(); ++op) {
      if (loaded_.ops[op].unit == kNoUnit) continue;
      UnitList& unit = loaded_.units[loaded_.ops[op].unit];
      unit.ops.push_back(op);
      if (loaded_.is_prologue(op)) ++unit.prologue;
    }
  }

  /// Calls f(op, dependence) for every dependence that a unit has to wait for.
  template <class F>
  void each_dependence(F f) const {
    std::uint32_t previous_matmul = std::numeric_limits<std::uint32_t>::max();
    for (std::uint32_t op = 0; op < source_.ops.size(); ++op) {
      const MicroOp& from = source_.ops[op];
      for (std::uint32_t d = from.dependences.begin; d < from.dependences.end; ++d) {
        const Dependence& dependence = source_.dependences[d];
        if (from.kind == MicroOpKind::matmul && dependence.op == previous_matmul &&
            dependence.distance == 0 && kept_by_pipeline(source_, previous_matmul, op))
          continue;
        f(op, dependence);
      }
      if (from.kind == MicroOpKind::matmul) previous_matmul = op;
    }
  }

  void reverse_dependences() {
    std::vector<LoadedOp>& ops = loaded_.ops;
    each_dependence([&](std::uint32_t, const Dependence& dependence) { ++ops[dependence.op].released_end; });
    std::uint32_t total = 0;
    for (LoadedOp& op : ops) {
      const std::uint32_t count = op.released_end;
      op.released_begin = op.released_end = total;
      total += count;
    }
    loaded_.released.resize(total);
    each_dependence([&](std::uint32_t op, const Dependence& dependence) {
      loaded_.released[ops[dependence.op].released_end++] = {op, dependence.distance};
      const bool on_prologue = loaded_.is_prologue(dependence.op);
      for (std::uint32_t p = on_prologue ? 0 : dependence.distance; p < loaded_.instances_of(op); ++p)
        ++loaded_.state(op, p).waiting;
    });
  }

  void find_ready_receives() {
    for (std::uint32_t op = 0; op < loaded_.ops.size(); ++op) {
      if (loaded_.ops[op].kind != MicroOpKind::receive) continue;
      for (std::uint32_t p = 0; p < loaded_.instances_of(op); ++p) {
        if (loaded_.state(op, p).waiting > 0) continue;
        loaded_.ready_receives.push_back(op);
        loaded_.ready_receives.push_back(p);
      }
    }
  }

  void measure_scratchpad() {
    std::vector<std::pair<std::uint64_t, std::uint64_t>> ranges;
    for (const MicroTensor& tensor : source_.micro_tensors)
      ranges.emplace_back(tensor.address, tensor.address + std::uint64_t{tensor.bytes} * tensor.slots);
    std::sort(ranges.begin(), ranges.end());
    std::uint64_t end = 0, bytes = 0;
    for (const auto& [from, to] : ranges) {
      if (to > end) bytes += to - std::max(from, end);
      end = std::max(end, to);
    }
    loaded_.scratchpad_bytes = bytes;
  }

  const Program& program_;
  const HardwareSpec& hardware_;
  const NextHop& next_hop_;
  const PeProgram& source_;
  LoadedPe& loaded_;
};

/// Tells the senders which instances count as granted at cycle 0.
void grant_first_uses(const Program& program, LoadedProgram& loaded) {
  std::vector<std::uint32_t> loaded_at;
  for (std::size_t i = 0; i < loaded.pes.size(); ++i) {
    loaded_at.resize(std::max<std::size_t>(loaded_at.size(), loaded.pes[i].pe.value() + 1));
    loaded_at[loaded.pes[i].pe.value()] = static_cast<std::uint32_t>(i);
  }
  for (const LoadedPe& pe : loaded.pes)
    for (std::size_t i = 0; i < pe.ready_receives.size(); i += 2) {
      const std::uint32_t transfer = pe.ops[pe.ready_receives[i]].transfer.value();
      LoadedPe& sender = loaded.pes[loaded_at[program.transfers[transfer].source.value()]];
      InstanceState& state = sender.state(loaded.source_op[transfer], pe.ready_receives[i + 1]);
      if (state.ungranted > 0) --state.ungranted;  // a token needs none
    }
}

void count_ops(const Program& program, LoadedProgram& loaded) {
  loaded.prologue_ops = 0;
  loaded.period_ops.assign(program.stages.size(), 0);
  for (const LoadedPe& pe : loaded.pes) {
    loaded.prologue_ops += pe.prologue_ops;
    for (std::uint32_t op = pe.prologue_ops; op < pe.ops.size(); ++op) ++loaded.period_ops[pe.ops[op].stage];
  }
}

void check_hazards(const Program& program, const HardwareSpec& hardware, Reasons& reasons) {
  for (const PeProgram& pe : program.pes) {
    const std::optional<Hazard> hazard = find_hazard(pe, program.periods);
    if (!hazard || reasons.full()) continue;
    const MicroTensor &a = pe.micro_tensors[hazard->micro_tensor_earlier],
                      &b = pe.micro_tensors[hazard->micro_tensor_later];
    reasons.add(fmt::format(
        "{} and {} #{}{} use the same bytes (micro-tensors #{} of '{}' and #{} of '{}') and no dependence "
        "orders them",
        micro_op_name(hardware, pe, hazard->earlier), to_string(pe.ops[hazard->later].kind), hazard->later,
        hazard->periods_apart == 0 ? std::string()
                                   : fmt::format(" ({} periods later)", hazard->periods_apart),
        hazard->micro_tensor_earlier, program.tensors[a.tensor.value()].name, hazard->micro_tensor_later,
        program.tensors[b.tensor.value()].name));
  }
}

}  // namespace

std::string pe_name(const HardwareSpec& hardware, PeId pe) {
  const PePlace& place = hardware.pes[pe.value()];
  const bool deep = hardware.nocs[place.noc.value()].graph.dimensions > 2;
  const std::string name = deep ? fmt::format("pe_{}_{}_{}", place.x, place.y, place.z)
                                : fmt::format("pe_{}_{}", place.x, place.y);
  return hardware.nocs.size() > 1 ? fmt::format("chip{}.{}", place.noc.value(), name) : name;
}

std::uint32_t LoadedProgram::receive_at(TransferId transfer, PeId pe) const {
  const std::span<const PeId> all = receivers(*program, program->transfers[transfer.value()]);
  const auto place = std::lower_bound(all.begin(), all.end(), pe) - all.begin();
  return receive_op[first_receiver[transfer.value()] + static_cast<std::size_t>(place)];
}

std::string load_program(const Program& program, const HardwareSpec& hardware, const NextHop& next_hop,
                         LoadedProgram& loaded, bool check_order) {
  Reasons reasons;
  loaded.program = &program;
  check_program(program, hardware, next_hop, loaded, reasons);
  if (!reasons.empty()) return reasons.text();
  if (check_order) check_hazards(program, hardware, reasons);
  if (!reasons.empty()) return reasons.text();
  loaded.pes.resize(program.pes.size());
  for (std::size_t i = 0; i < program.pes.size(); ++i)
    PeLoader(program, hardware, next_hop, program.pes[i], loaded.pes[i]).run();
  grant_first_uses(program, loaded);
  count_ops(program, loaded);
  return {};
}

}  // namespace dfsim
