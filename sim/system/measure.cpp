#include "sim/system/measure.h"

#include <fmt/format.h>

#include <algorithm>

#include "sim/energy/energy.h"

namespace dfsim {

namespace {

class Collector {
 public:
  Collector(Machine& machine, std::uint64_t end)
      : machine_(machine), hardware_(machine.hardware()), context_(machine.context()), end_(end) {}

  Measurement run() {
    m_.cycles = end_;
    collect_progress();
    collect_pes();
    collect_nocs();
    collect_memory();
    collect_ethernet();
    collect_coverage();
    collect_static();
    m_.primitive_bytes = context_.primitive_bytes;
    add_energy(m_, hardware_.energy);
    return std::move(m_);
  }

 private:
  void busy(std::uint64_t cycles, const std::string& name) {
    if (cycles <= m_.busiest_unit_cycles) return;
    m_.busiest_unit_cycles = cycles;
    m_.busiest_unit = name;
  }

  void collect_progress() {
    const RunProgress& progress = context_.progress;
    for (const std::uint64_t done : progress.period_done()) {
      if (done == RunProgress::kNotYet) break;
      m_.period_done_cycles.push_back(done);
    }
    const auto known = [](std::vector<std::vector<std::uint64_t>> table) {
      for (auto& row : table) std::replace(row.begin(), row.end(), RunProgress::kNotYet, std::uint64_t{0});
      return table;
    };
    m_.stage_period_done_cycles = known(progress.stage_done());
    m_.stage_period_start_cycles = known(progress.stage_start());
  }

  void collect_pes() {
    const LoadedProgram& loaded = *context_.loaded;
    m_.pes.resize(hardware_.pes.size());
    for (std::uint32_t i = 0; i < m_.pes.size(); ++i) {
      m_.pes[i].pe = PeId(i);
      m_.pes[i].stall_cycles[static_cast<std::size_t>(StallCause::no_work)] = end_;
    }
    for (std::size_t i = 0; i < loaded.pes.size(); ++i) {
      const LoadedPe& from = loaded.pes[i];
      Pe& pe = machine_.pe(from.pe);
      PeMeasurement& to = m_.pes[from.pe.value()];
      to = pe.measure(end_);
      to.peak_scratchpad_bytes = from.scratchpad_bytes;
      count_work(loaded.program->pes[i], from, pe.sequencer().ended(), to);
      m_.macs += to.macs;
      m_.noc_payload_bytes += to.bytes_received + to.bytes_loaded + to.bytes_stored;
      m_.events["scratchpad_read_byte"] += pe.scratchpad().read_bytes();
      m_.events["scratchpad_write_byte"] += pe.scratchpad().write_bytes();
      busy(to.matrix_busy_cycles, machine_.name(from.pe) + ".matrix_unit");
      busy(to.vector_busy_cycles, machine_.name(from.pe) + ".vector_unit");
    }
  }

  void count_work(const PeProgram& program, const LoadedPe& loaded, const std::vector<std::uint32_t>& ended,
                  PeMeasurement& to) {
    std::array<std::uint64_t, 5> macs{};
    std::uint64_t lane_cycles = 0;
    for (std::size_t op = 0; op < ended.size(); ++op) {
      if (loaded.ops[op].kind == MicroOpKind::matmul)
        macs[static_cast<std::size_t>(program.ops[op].matmul.type)] += loaded.ops[op].work * ended[op];
      else if (loaded.ops[op].kind == MicroOpKind::vector)
        lane_cycles +=
            (loaded.ops[op].issue_cycles -
             std::min<std::uint64_t>(loaded.ops[op].issue_cycles, hardware_.pe.vector.startup_cycles)) *
            hardware_.pe.vector.lanes * ended[op];
    }
    for (std::size_t type = 0; type < macs.size(); ++type) {
      if (macs[type] == 0) continue;
      to.macs += macs[type];
      m_.events["mac_" + to_string(static_cast<DataType>(type))] += macs[type];
    }
    if (lane_cycles > 0) m_.events["vector_lane_cycle"] += lane_cycles;
  }

  void collect_nocs() {
    for (std::uint32_t n = 0; n < hardware_.nocs.size(); ++n) {
      Noc& noc = machine_.noc(NocId(n));
      const NocCounters counters = noc.counters(end_);
      m_.flits_injected += counters.flits_injected;
      m_.flits_forked += counters.flits_forked;
      m_.flits_ejected += counters.flits_ejected;
      m_.flit_hops += counters.flit_hops;
      const std::vector<std::uint64_t> flits = noc.link_flits(end_);
      for (std::uint32_t l = 0; l < flits.size(); ++l) {
        m_.links.push_back({NocId(n), l, flits[l]});
        m_.events["link_flit"] += flits[l];
        if (flits[l] > m_.busiest_unit_cycles) busy(flits[l], link_name(NocId(n), l));
      }
    }
    m_.events["router_flit"] += m_.flit_hops;
  }

  std::string link_name(NocId noc, std::uint32_t link) const {
    const LinkGraph& graph = hardware_.nocs[noc.value()].graph;
    const auto from = graph.coordinates(graph.links[link].from), to = graph.coordinates(graph.links[link].to);
    return fmt::format("chip{}.noc link {},{},{} -> {},{},{}", noc.value(), from[0], from[1], from[2], to[0],
                       to[1], to[2]);
  }

  void collect_memory() {
    for (std::uint32_t i = 0; i < hardware_.memory.size(); ++i) {
      if (machine_.is_bridge(PortId(i))) {
        collect_bridge(PortId(i));
        continue;
      }
      MemoryPort& port = machine_.memory(PortId(i));
      const MemoryCounters counters = port.counters(end_);
      PortMeasurement to;
      to.port = PortId(i);
      to.read_bytes = counters.bytes_read;
      to.write_bytes = counters.bytes_written;
      to.busy_cycles = counters.busy_clocks * port.memory_clock_period_ps() / hardware_.clock_period_ps;
      to.row_hits = counters.row_hits;
      to.row_misses = counters.row_misses;
      to.refreshes = counters.refreshes + counters.bank_refreshes;
      m_.ports.push_back(to);
      m_.dram_read_bytes += to.read_bytes;
      m_.dram_write_bytes += to.write_bytes;
      const std::uint64_t burst = hardware_.memory[i].controller.device.burst_bytes;
      m_.events["dram_read_byte"] += std::max(to.read_bytes, counters.read_bursts * burst);
      m_.events["dram_write_byte"] += std::max(to.write_bytes, counters.write_bursts * burst);
      m_.events["dram_activate"] += counters.activates;
      m_.events["dram_refresh"] += counters.refreshes;
      if (counters.bank_refreshes != 0) m_.events["dram_bank_refresh"] += counters.bank_refreshes;
      if (to.busy_cycles > m_.busiest_unit_cycles) busy(to.busy_cycles, port.name());
    }
  }

  void collect_bridge(PortId id) {
    const HostBridge& bridge = machine_.bridge(id);
    const HostBus& bus = machine_.bus(id);
    PortMeasurement to;
    to.port = id;
    to.read_bytes = bridge.read_bytes();
    to.write_bytes = bridge.write_bytes();
    to.busy_cycles = std::max(bus.to_host.busy_ps(), bus.to_card.busy_ps()) / hardware_.clock_period_ps;
    m_.ports.push_back(to);
    m_.host_read_bytes += to.read_bytes;
    m_.host_write_bytes += to.write_bytes;
    m_.events["host_bus_byte"] += bus.to_host.wire_bytes() + bus.to_card.wire_bytes();
    if (to.busy_cycles > m_.busiest_unit_cycles) busy(to.busy_cycles, bus.name());
  }

  void collect_ethernet() {
    for (std::size_t i = 0; i < hardware_.ethernet_links.size(); ++i) {
      EthernetLink& link = machine_.link(i);
      for (const EthernetDirection* direction : {&link.a_to_b, &link.b_to_a}) {
        const EthernetCounters& counters = direction->counters();
        m_.ethernet_frames += counters.frames;
        m_.ethernet_bytes += counters.payload_bytes;
        m_.events["ethernet_byte"] += counters.wire_bytes;
        const double picoseconds =
            static_cast<double>(counters.wire_bytes) * 8000.0 / hardware_.ethernet_links[i].rate_gbps;
        busy(static_cast<std::uint64_t>(picoseconds / static_cast<double>(hardware_.clock_period_ps)),
             direction->name());
      }
    }
  }

  /// What time alone costs: the cells of all matrix units, with the rest of their PE, and the DRAM channels.
  void collect_static() {
    const std::uint64_t nanoseconds = end_ * hardware_.clock_period_ps / 1000;
    m_.events["matrix_cell_static_ns"] += hardware_.peak_macs_per_pe() * hardware_.pes.size() * nanoseconds;
    std::uint64_t channels = 0;
    for (const MemoryPortSpec& port : hardware_.memory)
      if (!port.host_bus && !port.controller.device.ideal) channels += port.controller.channels;
    m_.events["dram_standby_ns"] += channels * nanoseconds;
  }

  void collect_coverage() {
    const Program& program = *context_.loaded->program;
    std::vector<std::vector<AddressRange>> read(hardware_.memory.size());
    if (!program.dram_tensors.empty())
      for (std::uint32_t i = 0; i < read.size(); ++i)
        read[i] = machine_.is_bridge(PortId(i)) ? machine_.bridge(PortId(i)).coverage()
                                                : machine_.memory(PortId(i)).coverage();
    for (const DramTensor& tensor : program.dram_tensors) {
      DramCoverage coverage;
      coverage.tensor = tensor.tensor;
      for (const DramSegment& piece : tensor.pieces) {
        const bool dense = piece.stride == piece.bytes;
        const std::uint64_t bytes = dense ? std::uint64_t{piece.bytes} * piece.count : piece.bytes;
        for (std::uint32_t c = 0; c < (dense ? 1 : piece.count); ++c) {
          coverage.bytes += bytes;
          const std::uint64_t begin = piece.address + std::uint64_t{piece.stride} * c;
          coverage.read_bytes += common(read[piece.port.value()], begin, begin + bytes);
        }
      }
      m_.dram_coverage.push_back(coverage);
    }
  }

  /// Bytes of [begin, end) in the sorted, disjoint `ranges`.
  static std::uint64_t common(const std::vector<AddressRange>& ranges, std::uint64_t begin,
                              std::uint64_t end) {
    auto it = std::partition_point(ranges.begin(), ranges.end(),
                                   [&](const AddressRange& range) { return range.end <= begin; });
    std::uint64_t bytes = 0;
    for (; it != ranges.end() && it->begin < end; ++it)
      bytes += std::min(end, it->end) - std::max(begin, it->begin);
    return bytes;
  }

  Machine& machine_;
  const HardwareSpec& hardware_;
  RunContext& context_;
  std::uint64_t end_;
  Measurement m_;
};

}  // namespace

Measurement measure(Machine& machine, std::uint64_t end) { return Collector(machine, end).run(); }

}  // namespace dfsim
