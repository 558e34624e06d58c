// sim/api/hardware.h: the hardware, fully resolved. Plain data, seen by planner and simulator alike; built by
// sim/hw.
#pragma once

#include <array>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "sim/base/units.h"

namespace dfsim {

enum class DataType : std::uint8_t { int8, fp16, bf16, fp32, int32 };
Bytes bytes_of(DataType type);
std::string to_string(DataType type);
/// All types, by name.
const std::vector<std::pair<std::string, DataType>>& data_types();

// ---------------------------------------------------------------- network on chip

enum class SwitchArbitration : std::uint8_t { islip, packet_hold };
enum class RouterPreset : std::uint8_t { base, lookahead, spec, shallow };
enum class RouterModel : std::uint8_t { fast, textbook };

/// A directed channel between two routers. `port_out` is the output port of `from`, `port_in` the input port
/// of `to`. Ports: 0 = +x, 1 = -x, 2 = +y, 3 = -y, 4 = +z, 5 = -z as far as the topology has them (two per
/// dimension); the input port has the number of the side its flits come from. Endpoint ports follow after 2 *
/// dimensions.
struct Link {
  RouterId from;
  RouterId to;
  std::uint8_t port_out = 0;
  std::uint8_t port_in = 0;
  bool wrap = false;  ///< closes a ring of a torus
  bool operator==(const Link&) const = default;
};

/// Routers and channels of one NoC, produced by a topology of sim/hw/topology. `extent` is X, Y, Z (1 where
/// unused).
struct LinkGraph {
  std::string topology;  ///< mesh, torus, ring
  std::uint32_t dimensions = 2;
  std::array<std::uint32_t, 3> extent{1, 1, 1};
  std::vector<Link> links;  ///< ordered by (from, port_out)

  std::uint32_t router_count() const { return extent[0] * extent[1] * extent[2]; }
  std::array<std::uint32_t, 3> coordinates(RouterId router) const;
  RouterId router_at(std::uint32_t x, std::uint32_t y, std::uint32_t z = 0) const;
  bool operator==(const LinkGraph&) const = default;
};

enum class EndpointKind : std::uint8_t { pe, memory_port, ethernet_port, host_bridge };

/// Something attached to a router's local port. Its EndpointId is its index in NocSpec::endpoints: first all
/// PEs in router order, then memory ports, then Ethernet ports.
struct EndpointSpec {
  EndpointKind kind = EndpointKind::pe;
  RouterId router;
  std::uint32_t index = 0;  ///< PeId, PortId or Ethernet port number, each counted over all NoCs
  bool operator==(const EndpointSpec&) const = default;
};

/// Pipeline and flow control as defined in docs/noc.md (preset `base`: RC, VA, SA, ST, link).
struct NocSpec {
  LinkGraph graph;
  std::vector<EndpointSpec> endpoints;
  RouterModel router_model = RouterModel::fast;
  RouterPreset preset = RouterPreset::base;
  SwitchArbitration arbitration = SwitchArbitration::packet_hold;
  std::string routing = "xy";
  std::uint32_t virtual_channels = 4;
  std::uint32_t buffer_flits = 8;  ///< per virtual channel
  std::uint32_t link_latency_cycles = 1;
  std::uint32_t credit_latency_cycles = 1;
  std::uint32_t credit_processing_cycles = 1;
  std::uint32_t link_width_bytes = 32;  ///< payload of one flit
  std::uint32_t max_packet_flits = 64;
  bool operator==(const NocSpec&) const = default;
};

// ---------------------------------------------------------------- processing element

enum class Dataflow : std::uint8_t { output_stationary, weight_stationary, input_stationary };
enum class FoldMode : std::uint8_t { serial, pipelined };

struct MatrixUnitSpec {
  std::uint32_t rows = 32;
  std::uint32_t columns = 32;
  Dataflow dataflow = Dataflow::weight_stationary;
  FoldMode folds = FoldMode::pipelined;
  /// Relative rate by element type: cycles of a fold are multiplied by this (1 for 2-byte types).
  std::map<DataType, double> cycles_per_step{
      {DataType::int8, 1.0}, {DataType::fp16, 1.0}, {DataType::bf16, 1.0}, {DataType::fp32, 2.0}};
  bool operator==(const MatrixUnitSpec&) const = default;
};

struct VectorUnitSpec {
  std::uint32_t lanes = 64;
  std::uint32_t startup_cycles = 8;
  /// Cycles per group of `lanes` elements, summed over the passes of the function (softmax: maximum,
  /// exponential and sum, scale). Keys are the names of VectorFunction.
  std::map<std::string, double> cycles_per_group;
  bool operator==(const VectorUnitSpec&) const = default;
};

struct ScratchpadSpec {
  Bytes bytes{1 << 20};
  std::uint32_t banks = 16;
  std::uint32_t bank_width_bytes = 32;  ///< each bank has one read and one write port of this width
  bool operator==(const ScratchpadSpec&) const = default;
};

struct DmaSpec {
  std::uint32_t channels = 4;  ///< each takes its transfers in list order; channels work at the same time
  std::uint32_t outstanding_transfers = 8;  ///< loads and stores of one PE under way at the same time
  bool operator==(const DmaSpec&) const = default;
};

struct PeSpec {
  MatrixUnitSpec matrix;
  VectorUnitSpec vector;
  ScratchpadSpec scratchpad;
  DmaSpec dma;
  bool operator==(const PeSpec&) const = default;
};

/// Where PE `id` sits.
struct PePlace {
  NocId noc;
  RouterId router;
  EndpointId endpoint;
  std::uint32_t x = 0, y = 0, z = 0;
  bool operator==(const PePlace&) const = default;
};

// ---------------------------------------------------------------- memory

/// A DRAM device behind one port: organisation and timing, in clocks of `clock_period_ps`. The names of the
/// timing table are those of the JEDEC standards (tRCD ... as "RCD", "RP", "RAS", "CCD_S", "CCD_L", "RRD_S",
/// "FAW", "REFI", "RFC" ...).
struct DramDeviceSpec {
  std::string name;
  bool ideal = false;  ///< a rate and a latency instead of banks and rows
  double ideal_bytes_per_cycle = 0;
  std::uint32_t ideal_latency_cycles = 0;
  std::uint64_t clock_period_ps = 1000;
  std::uint32_t burst_bytes = 32;
  std::uint32_t page_bytes = 1024;
  std::uint32_t ranks = 1;
  std::uint32_t bank_groups = 4;
  std::uint32_t banks_per_group = 4;
  std::uint32_t rows = 16384;
  std::map<std::string, std::uint32_t> timing;
  bool operator==(const DramDeviceSpec&) const = default;
  Bytes capacity() const {
    return Bytes(std::uint64_t{page_bytes} * ranks * bank_groups * banks_per_group * rows);
  }
};

struct MemoryControllerSpec {
  DramDeviceSpec device;
  std::string address_map = "bank_group_low";  ///< row, bank, column, bank group from high to low bits
  std::string scheduler = "fr_fcfs";
  std::string page_policy = "open";
  std::string refresh = "all_bank";  ///< or "per_bank": a bank after another, the others go on
  std::uint32_t channels = 1;        ///< equal channels behind one port, each with the queues below
  std::uint32_t channel_interleave_bytes =
      256;  ///< neighbouring blocks of this size lie in neighbour channels
  std::uint32_t read_queue = 32;
  std::uint32_t write_queue = 32;
  double write_high_watermark = 0.8;
  double write_low_watermark = 0.2;
  std::uint32_t row_hit_cap = 16;
  std::uint32_t answer_packet_bytes = 2048;
  bool operator==(const MemoryControllerSpec&) const = default;
  Bytes capacity() const { return Bytes(device.capacity().count() * channels); }  ///< of all channels
};

/// The bus between a card and its host: full duplex, packets of up to `packet_bytes` with `overhead_bytes`
/// each (PCIe: a transaction layer packet with its header, sequence number, LCRC and framing).
struct HostBusSpec {
  double rate_gb_s = 31.5;         ///< bytes per nanosecond and direction, headers included
  std::uint64_t latency_ns = 500;  ///< one way, from the last byte sent to the last byte there
  std::uint32_t packet_bytes = 256;
  std::uint32_t overhead_bytes = 24;
  bool operator==(const HostBusSpec&) const = default;
};

/// A port with a controller of its own; or, with `host_bus`, a bridge to the memory of the host, whose
/// controller is that of the host (an ideal device in HostSpec).
struct MemoryPortSpec {
  NocId noc;
  RouterId router;
  EndpointId endpoint;
  MemoryControllerSpec controller;
  std::optional<HostBusSpec> host_bus{};
  bool operator==(const MemoryPortSpec&) const = default;
};

// ---------------------------------------------------------------- Ethernet

/// Receive buffer of a port, for each of its buffer sets: above `pause_bytes` the sender is asked to pause,
/// below `resume_bytes` to go on. What may still arrive meanwhile has room above `pause_bytes`.
struct EthernetBufferSpec {
  std::uint32_t pause_bytes = 65536;
  std::uint32_t resume_bytes = 32768;
  bool operator==(const EthernetBufferSpec&) const = default;
};

struct EthernetPortSpec {
  NocId noc;
  RouterId router;
  EndpointId endpoint;
  EthernetBufferSpec buffers{};
  bool operator==(const EthernetPortSpec&) const = default;
};

enum class SwitchForwarding : std::uint8_t { store_and_forward, cut_through };

struct EthernetSwitchSpec {
  SwitchForwarding forwarding = SwitchForwarding::store_and_forward;
  std::uint64_t latency_ns = 300;  ///< from the whole frame (cut-through: its header) to the first bit out
  EthernetBufferSpec buffers{};    ///< of each input
  bool operator==(const EthernetSwitchSpec&) const = default;
};

/// Joins two ports, or one port and a switch.
struct EthernetLinkSpec {
  std::uint32_t port_a = 0;                  ///< index in HardwareSpec::ethernet_ports
  std::uint32_t port_b = 0;                  ///< likewise; unused if the link ends at a switch
  std::optional<std::uint32_t> to_switch{};  ///< index in HardwareSpec::ethernet_switches
  double rate_gbps = 100;
  std::uint64_t delay_ns = 500;
  std::uint32_t mtu_bytes = 1500;
  std::uint32_t frame_overhead_bytes = 38;  ///< preamble 8, header 14, FCS 4, gap 12 (IEEE 802.3)
  bool operator==(const EthernetLinkSpec&) const = default;
};

// ---------------------------------------------------------------- energy, cost, everything

/// Picojoules per event, by event class name (configs/energy/*.yaml).
struct EnergySpec {
  std::map<std::string, double> picojoules;
  bool operator==(const EnergySpec&) const = default;
};

/// The host that all cards share: memory with one rate and one latency.
struct HostSpec {
  double memory_gb_s = 100;  ///< all cards together, reads and writes
  std::uint64_t memory_latency_ns = 100;
  bool inputs = true, outputs = true;  ///< inputs resp. outputs of the model lie in the host's memory
  bool operator==(const HostSpec&) const = default;
};

struct CostSpec {
  double per_pe_cycle = 1.0;
  double per_cycle = 0.0;
  double per_joule = 0.0;
  bool operator==(const CostSpec&) const = default;
};

struct HardwareSpec {
  std::string name;
  std::uint64_t clock_period_ps = 1000;  ///< of NoC and PEs
  PeSpec pe;
  std::vector<NocSpec> nocs;
  std::vector<PePlace> pes;            ///< by PeId
  std::vector<MemoryPortSpec> memory;  ///< by PortId: ports with DRAM, then bridges to the host
  std::vector<EthernetPortSpec> ethernet_ports;
  std::vector<EthernetSwitchSpec> ethernet_switches;
  std::vector<EthernetLinkSpec> ethernet_links;
  std::optional<HostSpec> host;
  EnergySpec energy;
  CostSpec cost;

  /// Multiply-accumulates per cycle of one PE at 2-byte elements.
  std::uint64_t peak_macs_per_pe() const { return std::uint64_t{pe.matrix.rows} * pe.matrix.columns; }
  /// Peak DRAM bytes per NoC cycle of all ports together; bridges to the host do not count.
  double peak_dram_bytes_per_cycle() const;
  /// Text that changes whenever anything that can move a measurement does; input of cache keys.
  std::string fingerprint() const;
  bool operator==(const HardwareSpec&) const = default;
};

}  // namespace dfsim
