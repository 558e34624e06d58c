// The section `ethernet`: ports on routers of NoCs, switches, and the links that join them; written out one
// by one, or a topology over all chips.
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

EthernetBufferSpec read_buffers(const YamlValue& value, const EthernetBufferSpec& base) {
  EthernetBufferSpec buffers = base;
  buffers.pause_bytes =
      static_cast<std::uint32_t>(value["pause_bytes"].integer(1, 1 << 30, base.pause_bytes));
  buffers.resume_bytes = static_cast<std::uint32_t>(
      value["resume_bytes"].integer(1, 1 << 30, std::min(base.resume_bytes, buffers.pause_bytes)));
  if (buffers.resume_bytes > buffers.pause_bytes)
    value["resume_bytes"].error(fmt::format("{}: resume_bytes {} lies above pause_bytes {}", value.path(),
                                            buffers.resume_bytes, buffers.pause_bytes));
  return buffers;
}

EthernetSwitchSpec read_switch(const YamlValue& value, const EthernetBufferSpec& buffers) {
  EthernetSwitchSpec node;
  node.forwarding = value["forwarding"].choice<SwitchForwarding>(
      {{"store_and_forward", SwitchForwarding::store_and_forward},
       {"cut_through", SwitchForwarding::cut_through}},
      node.forwarding);
  node.latency_ns = static_cast<std::uint64_t>(
      value["latency_ns"].integer(0, 1'000'000'000, static_cast<std::int64_t>(node.latency_ns)));
  node.buffers = read_buffers(value, buffers);
  return node;
}

// ---------------------------------------------------------------- written out

void read_ports(const YamlValue& ports, const EthernetBufferSpec& buffers, HardwareSpec& spec) {
  for (const YamlValue& port : ports.items()) {
    EthernetPortSpec result;
    result.buffers = buffers;
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

/// Reads the ends of links; a port has one link.
class LinkEnds {
 public:
  explicit LinkEnds(const HardwareSpec& spec) : spec_(spec) {}

  std::uint32_t port(const YamlValue& value) {
    const auto number = static_cast<std::uint32_t>(value.integer(0, 1'000'000));
    if (number >= spec_.ethernet_ports.size())
      value.error(fmt::format("{}: there is no Ethernet port {}", value.path(), number),
                  fmt::format("{} port(s) are listed in ethernet.ports, counted from 0",
                              spec_.ethernet_ports.size()));
    else if (!used_.insert(number).second)
      value.error(fmt::format("{}: Ethernet port {} has a link already", value.path(), number),
                  "bundle several links over several ports");
    return number;
  }

  std::uint32_t node(const YamlValue& value) const {
    const auto number = static_cast<std::uint32_t>(value.integer(0, 1'000'000));
    if (number >= spec_.ethernet_switches.size())
      value.error(fmt::format("{}: there is no Ethernet switch {}", value.path(), number),
                  fmt::format("{} switch(es) are listed in ethernet.switches, counted from 0",
                              spec_.ethernet_switches.size()));
    return number;
  }

 private:
  const HardwareSpec& spec_;
  std::set<std::uint32_t> used_;
};

void read_links(const YamlValue& links, const EthernetLinkSpec& base, HardwareSpec& spec) {
  LinkEnds ends(spec);
  for (const YamlValue& value : links.items()) {
    EthernetLinkSpec link = read_settings(value.quiet(), base);
    if (const YamlValue node = value["switch"]) {
      link.port_a = link.port_b = ends.port(value.require("port"));
      link.to_switch = ends.node(node);
    } else {
      const YamlValue two = value.require("ports");
      const std::vector<YamlValue> ports = two.items();
      if (two.is_list() && ports.size() != 2)
        two.error(fmt::format("{}: a link joins two ports, found {}", two.path(), ports.size()),
                  "or one port and a switch: {port: 0, switch: 0}");
      std::uint32_t numbers[2] = {0, 0};
      for (std::size_t i = 0; i < ports.size() && i < 2; ++i) numbers[i] = ends.port(ports[i]);
      link.port_a = numbers[0];
      link.port_b = numbers[1];
    }
    spec.ethernet_links.push_back(link);
  }
}

// ---------------------------------------------------------------- a topology over all chips

/// Adds ports and links chip by chip. A chip's ports take the routers of `at` in turn.
class Topology {
 public:
  Topology(const YamlValue& at, const EthernetBufferSpec& buffers, const EthernetLinkSpec& link,
           std::uint32_t bundle, HardwareSpec& spec)
      : at_(at.items()),
        buffers_(buffers),
        link_(link),
        bundle_(bundle),
        spec_(spec),
        used_(spec.nocs.size(), 0) {
    for (const NocSpec& noc : spec.nocs) {
      routers_.emplace_back();
      for (const YamlValue& place : at_)
        routers_.back().push_back(read_place(place.quiet(), noc.graph).value_or(RouterId(0)));
    }
  }

  void join(std::uint32_t a, std::uint32_t b) {
    for (std::uint32_t i = 0; i < bundle_; ++i) {
      EthernetLinkSpec link = link_;
      link.port_a = add_port(a);
      link.port_b = add_port(b);
      spec_.ethernet_links.push_back(link);
    }
  }
  void join_switch(std::uint32_t chip, std::uint32_t node) {
    for (std::uint32_t i = 0; i < bundle_; ++i) {
      EthernetLinkSpec link = link_;
      link.port_a = link.port_b = add_port(chip);
      link.to_switch = node;
      spec_.ethernet_links.push_back(link);
    }
  }

 private:
  std::uint32_t add_port(std::uint32_t chip) {
    const std::vector<RouterId>& routers = routers_[chip];
    EthernetPortSpec port;
    port.noc = NocId(chip);
    port.router = routers.empty() ? RouterId(0) : routers[used_[chip]++ % routers.size()];
    port.buffers = buffers_;
    spec_.ethernet_ports.push_back(port);
    return static_cast<std::uint32_t>(spec_.ethernet_ports.size() - 1);
  }

  std::vector<YamlValue> at_;
  EthernetBufferSpec buffers_;
  EthernetLinkSpec link_;
  std::uint32_t bundle_;
  HardwareSpec& spec_;
  std::vector<std::vector<RouterId>> routers_;  ///< by chip
  std::vector<std::size_t> used_;
};

void build_topology(const YamlValue& ethernet, const std::string& name, const EthernetBufferSpec& buffers,
                    const EthernetLinkSpec& base, HardwareSpec& spec) {
  for (const char* key : {"ports", "links", "switches"})
    if (const YamlValue value = ethernet[key]) {
      value.error(fmt::format("ethernet: '{}' beside a topology", key),
                  "either of the two describes the links");
      value.accept_all();
    }
  const auto chips = static_cast<std::uint32_t>(spec.nocs.size());
  if (chips < 2)
    ethernet["topology"].error("ethernet: a topology joins two or more chips", "'chips: N' or a list 'nocs'");
  const auto bundle = static_cast<std::uint32_t>(ethernet["bundle"].integer(1, 64, 1));
  Topology topology(ethernet.require("at"), buffers, base, bundle, spec);
  if (name == "switch") {
    spec.ethernet_switches.push_back(read_switch(ethernet["switch"], buffers));
    for (std::uint32_t chip = 0; chip < chips; ++chip) topology.join_switch(chip, 0);
  } else if (name == "ring") {
    for (std::uint32_t chip = 0; chip + 1 < chips; ++chip) topology.join(chip, chip + 1);
    if (chips > 2) topology.join(chips - 1, 0);
  } else {
    for (std::uint32_t a = 0; a < chips; ++a)
      for (std::uint32_t b = a + 1; b < chips; ++b) topology.join(a, b);
  }
}

/// Parts of packets wait in a receive buffer for their rest: one of each flow that may end there. If they
/// alone kept it above `resume_bytes`, the rest would never come.
void check_buffers(const YamlValue& ethernet, const HardwareSpec& spec) {
  std::uint32_t packet = 0;
  for (const NocSpec& noc : spec.nocs) packet = std::max(packet, noc.max_packet_flits * noc.link_width_bytes);
  std::vector<std::uint32_t> senders(spec.ethernet_ports.size(), 2);  // own and forwarded packets
  for (std::uint32_t node = 0; node < spec.ethernet_switches.size(); ++node) {
    std::vector<std::uint32_t> members;
    for (const EthernetLinkSpec& link : spec.ethernet_links)
      if (link.to_switch == node && link.port_a < senders.size()) members.push_back(link.port_a);
    for (const std::uint32_t port : members)
      senders[port] = std::max(2u, static_cast<std::uint32_t>(members.size()) - 1);
  }
  for (std::size_t port = 0; port < senders.size(); ++port) {
    const std::uint64_t least = std::uint64_t{senders[port]} * packet;
    if (spec.ethernet_ports[port].buffers.resume_bytes > least) continue;
    ethernet.error(
        fmt::format("ethernet: resume_bytes {} of port {} is too small: parts of {} packets of {} bytes may "
                    "wait in its buffer",
                    spec.ethernet_ports[port].buffers.resume_bytes, port, senders[port], packet),
        fmt::format("resume_bytes: more than {}", least));
    return;
  }
}

}  // namespace

void read_ethernet(const YamlValue& ethernet, HardwareSpec& spec) {
  if (!ethernet) return;
  const EthernetLinkSpec base = read_settings(ethernet, {});
  const EthernetBufferSpec buffers = read_buffers(ethernet, {});
  if (const YamlValue topology = ethernet["topology"]) {
    build_topology(ethernet, topology.one_of({"ring", "full_mesh", "switch"}, "ring"), buffers, base, spec);
  } else {
    read_ports(ethernet["ports"], buffers, spec);
    for (const YamlValue& node : ethernet["switches"].items())
      spec.ethernet_switches.push_back(read_switch(node, buffers));
    read_links(ethernet["links"], base, spec);
  }
  check_buffers(ethernet, spec);
}

}  // namespace dfsim
