// sim/mem/reference/channel.h: controllers that follow the queueing of public DRAM simulators, for `dfsim
// dram`.
#pragma once

#include <cstdint>
#include <limits>
#include <memory>
#include <vector>

#include "sim/mem/core/address_map.h"
#include "sim/mem/core/dram_state.h"

namespace dfsim {

/// One request: one burst.
struct ReferenceRequest {
  bool write = false;
  std::uint32_t bank = 0;  ///< as DramState numbers them
  std::uint32_t row = 0;
  std::uint32_t column = 0;
  std::uint64_t accepted = 0;
};

struct ReferenceCompletion {
  bool write = false;
  std::uint64_t accepted = 0;
  std::uint64_t completed = 0;
};

/// One channel. In each clock the generator first offers requests, then tick() is called. Both sources keep
/// the order of their own code here, since their results depend on it.
class ReferenceChannel {
 public:
  static constexpr std::uint64_t kNever = std::numeric_limits<std::uint64_t>::max();
  virtual ~ReferenceChannel() = default;
  virtual bool accepts(bool write) const = 0;
  virtual void accept(const ReferenceRequest& request, std::uint64_t clock) = 0;
  /// Returns the next clock in which it can do anything without a new request; until then it need not be
  /// called.
  virtual std::uint64_t tick(std::uint64_t clock) = 0;
  /// Completions since the last call, their clocks perhaps in the future; to be cleared by the caller.
  std::vector<ReferenceCompletion>& completed() { return completed_; }

 protected:
  std::vector<ReferenceCompletion> completed_;
};

/// What a source's controller is like. The number of command buses and the clocks of an activate (its last
/// one counts) come from the device's timing table.
struct ReferenceSettings {
  std::uint32_t read_queue = 32;
  std::uint32_t write_queue = 32;
  std::uint32_t command_queue = 8;  ///< per bank (staged only)
  std::uint32_t row_hit_limit = 4;  ///< hits before a waiting conflict may close the row (staged only)
  double write_high = 0.8, write_low = 0.2;  ///< (active list only)
  bool keep_older_hits = false;              ///< scheduler RowHit (active list only)
  bool data_clock_stops = false;             ///< LPDDR5: a CAS command restarts it
};

/// umd-memsys/DRAMsim3: a transaction queue feeds one command queue per bank, visited round robin.
std::unique_ptr<ReferenceChannel> make_staged_channel(const DramDeviceSpec& device,
                                                      const ReferenceSettings& settings);

/// CMU-SAFARI/ramulator2: one buffer per direction; a request whose row was opened for it moves to a list
/// that goes first.
std::unique_ptr<ReferenceChannel> make_active_list_channel(const DramDeviceSpec& device,
                                                           const ReferenceSettings& settings);

}  // namespace dfsim
