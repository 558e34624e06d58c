// tests/sim/eth/topology_bench.h: Ethernet modules of a HardwareSpec between fake networks.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "sim/eth/core/routes.h"
#include "sim/eth/ethernet_link.h"
#include "sim/eth/ethernet_switch.h"
#include "tests/sim/eth/fake_network.h"

namespace dfsim::test {

/// `chips` NoCs without routers; Ethernet ports are added by the functions below.
inline HardwareSpec chips_without_links(std::uint32_t chips) {
  HardwareSpec hardware;
  hardware.nocs.resize(chips);
  return hardware;
}

inline std::uint32_t add_port(HardwareSpec& hardware, std::uint32_t chip, EthernetBufferSpec buffers = {}) {
  const auto number = static_cast<std::uint32_t>(hardware.ethernet_ports.size());
  hardware.ethernet_ports.push_back({NocId(chip), RouterId(0), EndpointId(100 + number), buffers});
  return number;
}

inline void add_link(HardwareSpec& hardware, std::uint32_t a, std::uint32_t b,
                     EthernetBufferSpec buffers = {}) {
  EthernetLinkSpec link;
  link.port_a = add_port(hardware, a, buffers);
  link.port_b = add_port(hardware, b, buffers);
  hardware.ethernet_links.push_back(link);
}

inline HardwareSpec ring_of(std::uint32_t chips, EthernetBufferSpec buffers = {}) {
  HardwareSpec hardware = chips_without_links(chips);
  for (std::uint32_t chip = 0; chip < chips; ++chip) add_link(hardware, chip, (chip + 1) % chips, buffers);
  return hardware;
}

inline HardwareSpec star_of(std::uint32_t chips, SwitchForwarding forwarding) {
  HardwareSpec hardware = chips_without_links(chips);
  EthernetSwitchSpec node;
  node.forwarding = forwarding;
  hardware.ethernet_switches = {node};
  for (std::uint32_t chip = 0; chip < chips; ++chip) {
    EthernetLinkSpec link;
    link.port_a = link.port_b = add_port(hardware, chip);
    link.to_switch = 0;
    hardware.ethernet_links.push_back(link);
  }
  return hardware;
}

/// To be built before the kernel first runs.
class TopologyBench {
 public:
  TopologyBench(const std::string& name, const HardwareSpec& spec) : hardware(spec), routes(hardware) {
    const auto named = [&](const char* what, std::size_t i) { return name + "_" + what + std::to_string(i); };
    for (std::size_t n = 0; n < hardware.nocs.size(); ++n)
      networks.push_back(std::make_unique<FakeNetwork>(named("noc", n).c_str()));
    for (std::uint32_t p = 0; p < hardware.ethernet_ports.size(); ++p) {
      const EthernetPortSpec& port = hardware.ethernet_ports[p];
      ports.push_back(
          std::make_unique<EthernetPort>(named("port", p).c_str(), p, port, noc_spec(), kPeriodPs, routes));
      FakeNetwork& network = *networks[port.noc.value()];
      ports.back()->noc(network);
      network.ports[port.endpoint.value()] = ports.back().get();
    }
    for (std::uint32_t a = 0; a < ports.size(); ++a)
      for (std::uint32_t b = 0; b < ports.size(); ++b)
        if (a != b && hardware.ethernet_ports[a].noc == hardware.ethernet_ports[b].noc)
          ports[a]->bind_sibling(b, *ports[b]);
    for (std::uint32_t s = 0; s < hardware.ethernet_switches.size(); ++s) {
      std::vector<std::uint32_t> members;
      for (const EthernetLinkSpec& link : hardware.ethernet_links)
        if (link.to_switch == s) members.push_back(link.port_a);
      switches.push_back(std::make_unique<EthernetSwitch>(named("switch", s).c_str(),
                                                          hardware.ethernet_switches[s], members));
    }
    join_links(named);
  }

  /// Plans a packet of transfer `transfer` from one chip to another.
  void send(std::uint64_t cycle, std::uint32_t from, std::uint32_t to, std::uint32_t bytes,
            std::uint32_t transfer) {
    const auto endpoint = routes.port_towards(NocId(from), NocId(to), TransferId(transfer));
    ASSERT_TRUE(endpoint);
    networks[from]->send_at(cycle, bytes, to, transfer, endpoint->value());
  }
  void clear() {
    for (auto& network : networks) network->clear();
  }
  void restart() {
    for (auto& port : ports) port->reset();
    for (auto& link : links) link->reset();
    for (auto& node : switches) node->reset();
    for (auto& network : networks) network->start();
  }
  void run() {
    restart();
    sc_core::sc_start();
  }
  /// Runs for a while, then lets what is left return without doing anything.
  void run_and_abort(std::uint64_t nanoseconds) {
    restart();
    sc_core::sc_start(sc_core::sc_time::from_value(nanoseconds * 1000));
    for (auto& port : ports) port->set_draining(true);
    for (auto& link : links) link->set_draining(true);
    for (auto& node : switches) node->set_draining(true);
    sc_core::sc_start(sc_core::SC_ZERO_TIME);
  }
  bool idle() const {
    for (const auto& port : ports)
      if (!port->idle()) return false;
    for (const auto& node : switches)
      if (!node->idle()) return false;
    return true;
  }

  HardwareSpec hardware;
  EthernetRoutes routes;
  std::vector<std::unique_ptr<FakeNetwork>> networks;
  std::vector<std::unique_ptr<EthernetPort>> ports;
  std::vector<std::unique_ptr<EthernetLink>> links;
  std::vector<std::unique_ptr<EthernetSwitch>> switches;

 private:
  static const NocSpec& noc_spec() {
    static const NocSpec spec;
    return spec;
  }
  template <class Named>
  void join_links(const Named& named) {
    std::vector<std::size_t> used(switches.size(), 0);
    for (std::size_t i = 0; i < hardware.ethernet_links.size(); ++i) {
      const EthernetLinkSpec& spec = hardware.ethernet_links[i];
      links.push_back(std::make_unique<EthernetLink>(named("link", i).c_str(), spec));
      EthernetLink& link = *links.back();
      ports[spec.port_a]->line(link.a_to_b);
      link.b_to_a.receiver(*ports[spec.port_a]);
      if (spec.to_switch) {
        EthernetSwitch& node = *switches[*spec.to_switch];
        const std::size_t line = used[*spec.to_switch]++;
        node.lines[line](link.b_to_a);
        link.a_to_b.receiver(node.input(line));
      } else {
        ports[spec.port_b]->line(link.b_to_a);
        link.a_to_b.receiver(*ports[spec.port_b]);
      }
    }
  }
};

}  // namespace dfsim::test
