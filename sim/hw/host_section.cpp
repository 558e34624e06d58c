// The section `host`: the memory of the host and the bus to each card.
#include <fmt/format.h>

#include "sim/hw/sections.h"

namespace dfsim {
namespace {

std::uint64_t nanoseconds(const YamlValue& value, std::uint64_t fallback) {
  return static_cast<std::uint64_t>(value.integer(0, 1'000'000'000, static_cast<std::int64_t>(fallback)));
}

HostBusSpec read_bus(const YamlValue& host) {
  HostBusSpec bus;
  bus.rate_gb_s = host["rate_gb_s"].number(0.001, 100'000, bus.rate_gb_s);
  bus.latency_ns = nanoseconds(host["latency_ns"], bus.latency_ns);
  bus.packet_bytes = static_cast<std::uint32_t>(host["packet_bytes"].integer(1, 65'536, bus.packet_bytes));
  bus.overhead_bytes =
      static_cast<std::uint32_t>(host["overhead_bytes"].integer(0, 4096, bus.overhead_bytes));
  return bus;
}

}  // namespace

void read_host(const YamlValue& host, HardwareSpec& spec) {
  if (!host) return;
  HostSpec result;
  result.memory_gb_s = host["memory_gb_s"].number(0.001, 1'000'000, result.memory_gb_s);
  result.memory_latency_ns = nanoseconds(host["memory_latency_ns"], result.memory_latency_ns);
  result.inputs = host["inputs"].boolean(result.inputs);
  result.outputs = host["outputs"].boolean(result.outputs);
  const HostBusSpec bus = read_bus(host);
  const YamlValue at = host.require("bridge");
  for (std::uint32_t n = 0; n < spec.nocs.size(); ++n) {
    const NocSpec& noc = spec.nocs[n];
    MemoryPortSpec port;
    port.noc = NocId(n);
    if (at) port.router = read_place(n == 0 ? at : at.quiet(), noc.graph).value_or(RouterId(0));
    port.host_bus = bus;
    port.controller.device.name = "host";
    port.controller.device.ideal = true;
    port.controller.device.clock_period_ps = spec.clock_period_ps;
    port.controller.device.ideal_bytes_per_cycle =
        bus.rate_gb_s * static_cast<double>(spec.clock_period_ps) / 1000;
    port.controller.answer_packet_bytes =
        std::min(port.controller.answer_packet_bytes, noc.max_packet_flits * noc.link_width_bytes);
    spec.memory.push_back(port);
  }
  spec.host = result;
}

}  // namespace dfsim
