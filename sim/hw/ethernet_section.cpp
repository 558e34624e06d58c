// The section `ethernet`: ports on routers of NoCs, and the links that join them.
#include <fmt/format.h>

#include <set>

#include "sim/hw/sections.h"

namespace dfsim {
namespace {

EthernetLinkSpec read_settings(const YamlValue& value, const EthernetLinkSpec& base) {
  EthernetLinkSpec link = base;
  link.rate_gbps = value["rate_gbps"].number(0.001, 100'000, base.rate_gbps);
  link.delay_ns = static_cast<std::uint64_t>(
      value["delay_ns"].integer(0, 1'000'000'000, static_cast<std::int64_t>(base.delay_ns)));
  link.mtu_bytes = static_cast<std::uint32_t>(value["mtu_bytes"].integer(46, 65'535, base.mtu_bytes));
  link.frame_overhead_bytes =
      static_cast<std::uint32_t>(value["frame_overhead_bytes"].integer(0, 1024, base.frame_overhead_bytes));
  return link;
}

void read_ports(const YamlValue& ports, HardwareSpec& spec) {
  for (const YamlValue& port : ports.items()) {
    EthernetPortSpec result;
    const YamlValue noc = port.require("noc");
    const YamlValue at = port.require("at");
    result.noc = NocId(static_cast<std::uint32_t>(noc.integer(0, 1'000'000)));
    if (result.noc.value() >= spec.nocs.size()) {
      noc.error(fmt::format("{}: there is no NoC {}", noc.path(), result.noc.value()),
                fmt::format("NoCs 0 to {}; 'chips: N' or a list 'nocs' makes more", spec.nocs.size() - 1));
      at.accept_all();
      result.noc = NocId(0);
    } else if (at) {
      result.router = read_place(at, spec.nocs[result.noc.value()].graph).value_or(RouterId(0));
    }
    spec.ethernet_ports.push_back(result);  // also a bad one, so that the numbers of the others stay right
  }
}

}  // namespace

void read_ethernet(const YamlValue& ethernet, HardwareSpec& spec) {
  if (!ethernet) return;
  read_ports(ethernet["ports"], spec);
  const EthernetLinkSpec base = read_settings(ethernet, {});
  std::set<std::uint32_t> used;
  for (const YamlValue& value : ethernet["links"].items()) {
    EthernetLinkSpec link = read_settings(value.quiet(), base);
    const YamlValue ends = value.require("ports");
    const std::vector<YamlValue> ports = ends.items();
    if (ends.is_list() && ports.size() != 2)
      ends.error(fmt::format("{}: a link joins two ports, found {}", ends.path(), ports.size()));
    std::uint32_t numbers[2] = {0, 0};
    for (std::size_t i = 0; i < ports.size() && i < 2; ++i) {
      numbers[i] = static_cast<std::uint32_t>(ports[i].integer(0, 1'000'000));
      if (numbers[i] >= spec.ethernet_ports.size())
        ports[i].error(fmt::format("{}: there is no Ethernet port {}", ports[i].path(), numbers[i]),
                       fmt::format("{} port(s) are listed in ethernet.ports, counted from 0",
                                   spec.ethernet_ports.size()));
      else if (!used.insert(numbers[i]).second)
        ports[i].error(fmt::format("{}: Ethernet port {} has a link already", ports[i].path(), numbers[i]),
                       "bundle several links over several ports");
    }
    link.port_a = numbers[0];
    link.port_b = numbers[1];
    spec.ethernet_links.push_back(link);
  }
}

}  // namespace dfsim
