// sim/host/fabric.h: the links between processors and host memory, and the root complex where they meet.
#pragma once

#include <cstdint>
#include <memory>
#include <systemc>
#include <vector>

#include "sim/api/server.h"
#include "sim/host/ports.h"

namespace dfsim {

/// One full-duplex link of a processor: its two directions are two capacities. Counts what passed.
class HostLink : public sc_core::sc_module {
 public:
  HostLink(sc_core::sc_module_name name, const HostLinkSpec& spec) : sc_module(name), spec_(spec) {}
  const HostLinkSpec& spec() const { return spec_; }
  LinkUse to_host, from_host;  ///< since reset()
  void reset() { to_host = from_host = {}; }

 private:
  HostLinkSpec spec_;
};

/// Copies between processors and host memory. A copy takes its DMA set-up, the latencies of its way, and then
/// flows at its max-min fair share of what it crosses: the source's link towards the host, the root complex,
/// the destination's link from the host. So alone it takes
///   set-up + latency + bytes / least bandwidth,
/// and the longer the more others cross the same link in the same direction, or the root complex. Processors
/// without a link work in host memory: between them a copy takes no time. Not modelled: single packets and
/// their buffers, the number of DMA engines, the memory bandwidth that copies take from a processor.
class HostFabric : public sc_core::sc_module, public CopySink {
 public:
  sc_core::sc_port<CopyListener> listener;

  HostFabric(sc_core::sc_module_name name, const ServerSpec& spec);
  void copy(const Copy& copy) override;
  void reset();
  LinkUse to_host(std::uint32_t processor) const;  ///< nothing without a link
  LinkUse from_host(std::uint32_t processor) const;

 private:
  SC_HAS_PROCESS(HostFabric);
  struct Flow {
    Copy copy;
    std::vector<std::size_t> crosses;  ///< capacities
    std::uint64_t begins_ps = 0;       ///< of its bytes
    double left_bytes = 0;
    double bytes_per_ps = 0;
    bool flowing = false;
  };
  void woken();
  void progress();
  void share_out();
  void schedule();
  const HostLink* link_of(const std::optional<std::uint32_t>& processor) const;
  std::uint64_t now_ps() const { return (sc_core::sc_time_stamp() - start_).value(); }

  std::vector<std::unique_ptr<HostLink>> links_;  ///< by processor; null without
  RootComplexSpec root_;
  std::vector<double> capacities_;  ///< bytes per ps: root, then to and from the host by processor
  std::vector<Flow> flows_;
  sc_core::sc_event wake_;
  sc_core::sc_time start_;
  std::uint64_t updated_ps_ = 0;
};

}  // namespace dfsim
