#include "sim/api/hardware.h"

#include <fmt/format.h>

#include <algorithm>

#include "sim/base/errors.h"
#include "sim/base/hash.h"

namespace dfsim {
namespace {

/// Bytes per device clock that a port can move at best: a burst occupies the data bus for BL clocks, and
/// column commands of different bank groups are at least CCD_S apart.
double device_peak(const DramDeviceSpec& device) {
  if (device.ideal) return device.ideal_bytes_per_cycle;
  std::uint32_t clocks = 1;
  for (const char* name : {"BL", "CCD_S"})
    if (const auto it = device.timing.find(name); it != device.timing.end())
      clocks = std::max(clocks, it->second);
  return static_cast<double>(device.burst_bytes) / clocks;
}

std::string text_of(const NocSpec& noc) {
  std::string text = fmt::format(
      "noc {} {} {} model={} preset={} arbitration={} routing={} vcs={} buffer={} link={} credit={}+{} "
      "width={} "
      "packet={}",
      noc.graph.topology, noc.graph.dimensions, fmt::join(noc.graph.extent, "x"),
      static_cast<int>(noc.router_model), static_cast<int>(noc.preset), static_cast<int>(noc.arbitration),
      noc.routing, noc.virtual_channels, noc.buffer_flits, noc.link_latency_cycles, noc.credit_latency_cycles,
      noc.credit_processing_cycles, noc.link_width_bytes, noc.max_packet_flits);
  for (const EndpointSpec& endpoint : noc.endpoints)
    if (endpoint.kind != EndpointKind::pe)
      text +=
          fmt::format(" {}@{}={}", static_cast<int>(endpoint.kind), endpoint.router.value(), endpoint.index);
  // The links follow from topology and extent unless some are dead, and the PEs from the routers.
  std::string links;
  for (const Link& link : noc.graph.links) links += fmt::format("{}.{} ", link.from.value(), link.port_out);
  return text + " links=" + content_hash(links) + "\n";
}

std::string text_of(const PeSpec& pe) {
  std::string text = fmt::format(
      "pe {}x{} dataflow={} folds={} lanes={} startup={} scratchpad={}/{}/{} dma={}/{}", pe.matrix.rows,
      pe.matrix.columns, static_cast<int>(pe.matrix.dataflow), static_cast<int>(pe.matrix.folds),
      pe.vector.lanes, pe.vector.startup_cycles, pe.scratchpad.bytes.count(), pe.scratchpad.banks,
      pe.scratchpad.bank_width_bytes, pe.dma.channels, pe.dma.outstanding_transfers);
  for (const auto& [type, cycles] : pe.matrix.cycles_per_step)
    text += fmt::format(" {}={}", to_string(type), cycles);
  for (const auto& [name, cycles] : pe.vector.cycles_per_group) text += fmt::format(" {}={}", name, cycles);
  return text + "\n";
}

std::string text_of(const MemoryControllerSpec& controller) {
  const DramDeviceSpec& device = controller.device;
  std::string text = fmt::format(
      "{} ideal={}/{}/{} clock={} burst={} page={} {}r {}g {}b {}rows map={} scheduler={} policy={} "
      "queues={}/{} "
      "watermarks={}/{} cap={} answer={} refresh={} channels={}/{}",
      device.name, device.ideal, device.ideal_bytes_per_cycle, device.ideal_latency_cycles,
      device.clock_period_ps, device.burst_bytes, device.page_bytes, device.ranks, device.bank_groups,
      device.banks_per_group, device.rows, controller.address_map, controller.scheduler,
      controller.page_policy, controller.read_queue, controller.write_queue, controller.write_high_watermark,
      controller.write_low_watermark, controller.row_hit_cap, controller.answer_packet_bytes,
      controller.refresh, controller.channels, controller.channel_interleave_bytes);
  for (const auto& [name, clocks] : device.timing) text += fmt::format(" {}={}", name, clocks);
  return text;
}

}  // namespace

Bytes bytes_of(DataType type) {
  switch (type) {
    case DataType::int8:
      return Bytes(1);
    case DataType::fp16:
    case DataType::bf16:
      return Bytes(2);
    case DataType::fp32:
    case DataType::int32:
      return Bytes(4);
  }
  throw SimulationError("bytes_of: unknown data type");
}

std::string to_string(DataType type) {
  switch (type) {
    case DataType::int8:
      return "int8";
    case DataType::fp16:
      return "fp16";
    case DataType::bf16:
      return "bf16";
    case DataType::fp32:
      return "fp32";
    case DataType::int32:
      return "int32";
  }
  throw SimulationError("to_string: unknown data type");
}

const std::vector<std::pair<std::string, DataType>>& data_types() {
  static const auto types = [] {
    std::vector<std::pair<std::string, DataType>> all;
    for (const DataType type :
         {DataType::int8, DataType::fp16, DataType::bf16, DataType::fp32, DataType::int32})
      all.emplace_back(to_string(type), type);
    return all;
  }();
  return types;
}

std::array<std::uint32_t, 3> LinkGraph::coordinates(RouterId router) const {
  const std::uint32_t id = router.value();
  return {id % extent[0], id / extent[0] % extent[1], id / extent[0] / extent[1]};
}

RouterId LinkGraph::router_at(std::uint32_t x, std::uint32_t y, std::uint32_t z) const {
  return RouterId((z * extent[1] + y) * extent[0] + x);
}

double HardwareSpec::peak_dram_bytes_per_cycle() const {
  double sum = 0;
  for (const MemoryPortSpec& port : memory)
    if (!port.host_bus)
      sum += device_peak(port.controller.device) * port.controller.channels *
             static_cast<double>(clock_period_ps) /
             static_cast<double>(port.controller.device.clock_period_ps);
  return sum;
}

std::string HardwareSpec::fingerprint() const {
  std::string text = fmt::format("clock={}\n", clock_period_ps) + text_of(pe);
  for (const NocSpec& noc : nocs) text += text_of(noc);
  std::string last;  // most ports have the same controller: say it once
  for (const MemoryPortSpec& port : memory) {
    const std::string controller = text_of(port.controller);
    text += fmt::format("memory {}:{}:{} {}\n", port.noc.value(), port.router.value(), port.endpoint.value(),
                        controller == last ? "same" : controller);
    last = controller;
    if (const auto& bus = port.host_bus)
      text += fmt::format("  host bus {} {} {}+{}\n", bus->rate_gb_s, bus->latency_ns, bus->packet_bytes,
                          bus->overhead_bytes);
  }
  if (host)
    text += fmt::format("host {} {} {} {}\n", host->memory_gb_s, host->memory_latency_ns, host->inputs,
                        host->outputs);
  for (const EthernetPortSpec& port : ethernet_ports)
    text += fmt::format("ethernet {}:{}:{} {}/{}\n", port.noc.value(), port.router.value(),
                        port.endpoint.value(), port.buffers.pause_bytes, port.buffers.resume_bytes);
  for (const EthernetSwitchSpec& node : ethernet_switches)
    text += fmt::format("switch {} {} {}/{}\n", static_cast<int>(node.forwarding), node.latency_ns,
                        node.buffers.pause_bytes, node.buffers.resume_bytes);
  for (const EthernetLinkSpec& link : ethernet_links)
    text +=
        fmt::format("link {}-{} {} {} {} {}\n", link.port_a,
                    link.to_switch ? fmt::format("switch {}", *link.to_switch) : std::to_string(link.port_b),
                    link.rate_gbps, link.delay_ns, link.mtu_bytes, link.frame_overhead_bytes);
  for (const auto& [event, picojoules] : energy.picojoules)
    text += fmt::format("energy {}={}\n", event, picojoules);
  return text;  // name and prices move no measurement
}

}  // namespace dfsim
