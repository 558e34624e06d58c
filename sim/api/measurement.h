// sim/api/measurement.h: what the simulator saw. Plain data; every number is counted where it arises.
#pragma once

#include <array>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "sim/base/units.h"

namespace dfsim {

/// Why a PE's matrix and vector unit both stood still, in order of priority when several hold at once.
enum class StallCause : std::uint8_t {
  bank_conflict,
  dma_dram,
  noc_no_credit,
  no_grant,
  dependence,
  no_work
};
inline constexpr std::size_t kStallCauses = 6;
std::string to_string(StallCause cause);

/// `busy` (matrix or vector unit computing) plus all stalls equals Measurement::cycles.
struct PeMeasurement {
  PeId pe;
  std::uint64_t busy_cycles = 0;
  std::array<std::uint64_t, kStallCauses> stall_cycles{};
  std::uint64_t matrix_busy_cycles = 0;
  std::uint64_t vector_busy_cycles = 0;
  std::uint64_t macs = 0;
  std::uint64_t bytes_sent = 0, bytes_received = 0;  ///< PE to PE
  std::uint64_t bytes_loaded = 0, bytes_stored = 0;  ///< DRAM
  std::uint64_t peak_scratchpad_bytes = 0;
  bool operator==(const PeMeasurement&) const = default;
};

struct LinkMeasurement {
  NocId noc;
  std::uint32_t link = 0;  ///< index in LinkGraph::links
  std::uint64_t flits = 0;
  bool operator==(const LinkMeasurement&) const = default;
};

struct PortMeasurement {
  PortId port;
  std::uint64_t read_bytes = 0, write_bytes = 0, busy_cycles = 0, row_hits = 0, row_misses = 0, refreshes = 0;
  bool operator==(const PortMeasurement&) const = default;
};

/// How much of a DRAM tensor was read at least once.
struct DramCoverage {
  TensorId tensor;
  std::uint64_t bytes = 0;       ///< of its pieces
  std::uint64_t read_bytes = 0;  ///< of those, read at least once
  bool operator==(const DramCoverage&) const = default;
};

struct Measurement {
  std::uint64_t cycles = 0;                                          ///< of the NoC clock, whole run
  std::vector<std::uint64_t> period_done_cycles;                     ///< per period: end of its last micro-op
  std::vector<std::vector<std::uint64_t>> stage_period_done_cycles;  ///< [stage][period]
  std::vector<std::vector<std::uint64_t>>
      stage_period_start_cycles;  ///< [stage][period]: its first compute micro-op starts
  std::uint64_t busiest_unit_cycles =
      0;                     ///< most cycles that one unit, link or port was busy with all periods' work
  std::string busiest_unit;  ///< its name

  std::uint64_t macs = 0;
  std::uint64_t dram_read_bytes = 0, dram_write_bytes = 0;
  std::uint64_t host_read_bytes = 0, host_write_bytes = 0;  ///< over the host buses; not in those of DRAM
  std::uint64_t flits_injected = 0, flits_forked = 0, flits_ejected = 0, flit_hops = 0;
  std::uint64_t noc_payload_bytes = 0;  ///< delivered, per leaf of a multicast
  std::uint64_t ethernet_frames = 0, ethernet_bytes = 0;

  std::vector<PeMeasurement> pes;      ///< all PEs of the hardware
  std::vector<LinkMeasurement> links;  ///< all links of all NoCs
  std::vector<PortMeasurement> ports;
  std::vector<DramCoverage> dram_coverage;
  std::vector<std::uint64_t> primitive_bytes;   ///< delivered, by Program::primitives
  std::map<std::string, std::uint64_t> events;  ///< by energy event class
  std::map<std::string, double> energy_pj;  ///< by event class, filled by sim/energy; "total" is their sum
  std::map<std::string, double> energy_blocks_pj;  ///< the same by block of the machine (sim/energy)
  bool operator==(const Measurement&) const = default;
};

enum class RunStatus : std::uint8_t { finished, limit_reached, deadlock, invalid_program };
std::string to_string(RunStatus status);

/// How a run ended. The measurement is complete if `finished`; else it holds what was counted until `cycles`.
struct RunOutcome {
  RunStatus status = RunStatus::finished;
  std::string reason;  ///< of a deadlock or an invalid program: PEs, micro-ops, cycle
  Measurement measurement;
};

/// How far a run goes (0 means no limit), and what is checked before cycle 0.
struct RunLimit {
  std::uint64_t cycles = 0;               ///< in all
  std::uint64_t first_period_cycles = 0;  ///< the first period must have ended by then
  std::uint64_t last_period_cycles = 0;   ///< most cycles between the ends of the last two periods
  /// Refuse programs in which two conflicting micro-ops are not ordered by dependences. For programs that
  /// come from a file; those that the planner lowers derive their dependences from the accesses.
  bool check_order = false;
};

}  // namespace dfsim
