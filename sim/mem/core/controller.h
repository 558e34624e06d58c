// sim/mem/core/controller.h: a memory controller as its port sees it. Plain C++, driven by events, no kernel.
#pragma once

#include <cstdint>
#include <limits>
#include <memory>
#include <string>
#include <vector>

#include "sim/api/hardware.h"
#include "sim/base/registry.h"

namespace dfsim {

/// A contiguous range of bytes to be read or written; one object whatever its length.
struct MemoryRequest {
  std::uint64_t address = 0;
  std::uint32_t bytes = 0;
  bool write = false;
  std::uint32_t requester =
      0;                  ///< requests of one requester are begun in order of arrival, requesters in turn
  std::uint32_t tag = 0;  ///< returned with each piece
};

/// The part of a request that one answer packet carries, complete.
struct MemoryPiece {
  std::uint32_t tag = 0;
  std::uint32_t bytes = 0;
  std::uint64_t address = 0;
  bool write = false;
  bool last = false;        ///< of its request
  std::uint64_t cycle = 0;  ///< NoC cycle in which the data of its last burst is there, or has been written
  bool operator==(const MemoryPiece&) const = default;
};

/// Since the last reset. Clocks are those of the memory.
struct MemoryCounters {
  std::uint64_t bytes_read = 0;  ///< asked for; bursts x burst_bytes is what the device moved
  std::uint64_t bytes_written = 0;
  std::uint64_t read_bursts = 0;
  std::uint64_t write_bursts = 0;
  std::uint64_t activates = 0;
  std::uint64_t precharges = 0;
  std::uint64_t refreshes = 0;       ///< of all banks of a rank
  std::uint64_t bank_refreshes = 0;  ///< of one bank
  std::uint64_t row_hits = 0;        ///< bursts that found their row open
  std::uint64_t row_misses = 0;      ///< bursts for which a row was opened
  std::uint64_t busy_clocks = 0;     ///< clocks with data on the bus
  bool operator==(const MemoryCounters&) const = default;
};

/// Time is the NoC cycle of the run and never goes backwards: all calls carry a cycle no smaller than the
/// last one. A request enqueued at cycle t competes from the memory clock after t on.
class MemoryController {
 public:
  static constexpr std::uint64_t kNever = std::numeric_limits<std::uint64_t>::max();
  virtual ~MemoryController() = default;

  /// Throws SimulationError if the range is empty or ends beyond the capacity.
  virtual void enqueue(const MemoryRequest& request, std::uint64_t now) = 0;
  /// A cycle before which no piece completes, if nothing is enqueued; kNever if nothing is under way. At that
  /// cycle call advance_to: it completes pieces, or the next bound is later.
  virtual std::uint64_t next_event() const = 0;
  /// Appends the pieces that complete up to and including `cycle`, in order of completion; pieces of one
  /// request in order of address.
  virtual void advance_to(std::uint64_t cycle, std::vector<MemoryPiece>& completed) = 0;
  /// Works up to `cycle` without taking what completes, so that counters() is of that cycle.
  virtual void settle(std::uint64_t cycle) = 0;
  virtual MemoryCounters counters() const = 0;
  /// Cold and idle, at cycle 0.
  virtual void reset() = 0;
};

/// Schedulers by the name used in `memory.scheduler`, and `ideal`, which an ideal device chooses.
using SchedulerRegistry = Registry<MemoryController, const MemoryControllerSpec&, std::uint64_t>;

/// The controller that `spec` describes; pieces carry at most `spec.answer_packet_bytes`. Throws
/// SimulationError for names that are not registered and for devices that check_dram_device() objects to.
std::unique_ptr<MemoryController> make_memory_controller(const MemoryControllerSpec& spec,
                                                         std::uint64_t noc_clock_period_ps);

/// What is wrong with `spec`; empty if make_memory_controller() takes it.
std::vector<std::string> check_memory_controller(const MemoryControllerSpec& spec);

}  // namespace dfsim
