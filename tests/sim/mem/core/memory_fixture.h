// Devices with small round numbers, so that every clock of a test can be counted by hand, and drivers for
// them.
#pragma once

#include <vector>

#include "sim/mem/core/controller.h"
#include "sim/mem/core/dram_controller.h"

namespace dfsim::test {

inline DramDeviceSpec small_device() {
  DramDeviceSpec device;
  device.name = "small";
  device.clock_period_ps = 1000;
  device.burst_bytes = 32;
  device.page_bytes = 256;
  device.bank_groups = 2;
  device.banks_per_group = 2;
  device.rows = 64;
  device.timing = {{"CL", 5},    {"CWL", 3},   {"BL", 2},    {"RCD", 4},   {"RP", 6},
                   {"RAS", 9},   {"CCD_S", 2}, {"CCD_L", 3}, {"RRD_S", 2}, {"RRD_L", 4},
                   {"WTR_S", 3}, {"WTR_L", 5}, {"RTP", 3},   {"WR", 7}};
  return device;
}

/// One pseudo channel of HBM2 at 1 GHz: 16 GB/s, four bank groups, CCD_L twice CCD_S.
inline DramDeviceSpec hbm2_device() {
  DramDeviceSpec device;
  device.name = "hbm2";
  device.clock_period_ps = 1000;
  device.burst_bytes = 32;
  device.page_bytes = 1024;
  device.bank_groups = 4;
  device.banks_per_group = 4;
  device.rows = 32768;
  device.timing = {{"CL", 14},   {"CWL", 5},     {"BL", 2},    {"RCD_RD", 14},      {"RCD_WR", 12},
                   {"RP", 14},   {"RAS", 34},    {"CCD_S", 2}, {"CCD_L", 4},        {"RRD_S", 4},
                   {"RRD_L", 4}, {"FAW", 15},    {"WTR_S", 6}, {"WTR_L", 8},        {"RTP", 5},
                   {"WR", 16},   {"REFI", 3900}, {"RFC", 350}, {"COMMAND_BUSES", 2}};
  return device;
}

inline MemoryControllerSpec controller_for(DramDeviceSpec device) {
  MemoryControllerSpec spec;
  spec.device = std::move(device);
  return spec;
}

/// Byte address of a burst under bank_group_low.
inline std::uint64_t address_of(const DramDeviceSpec& d, std::uint32_t group, std::uint32_t bank,
                                std::uint64_t row, std::uint32_t column, std::uint32_t rank = 0) {
  const std::uint32_t columns = d.page_bytes / d.burst_bytes;
  return ((((row * d.ranks + rank) * d.banks_per_group + bank) * columns + column) * d.bank_groups + group) *
         d.burst_bytes;
}

/// Follows next_event() until nothing is under way.
inline std::vector<MemoryPiece> drain(MemoryController& controller) {
  std::vector<MemoryPiece> pieces;
  for (std::uint64_t t = controller.next_event(); t != MemoryController::kNever; t = controller.next_event())
    controller.advance_to(t, pieces);
  return pieces;
}

struct Issued {
  DramCommand command;
  std::uint32_t bank;
  std::uint32_t row;
  std::uint64_t clock;
  bool operator==(const Issued&) const = default;
};

class CommandLog : public DramCommandObserver {
 public:
  void command(DramCommand command, std::uint32_t bank, std::uint32_t row, std::uint64_t clock) override {
    log.push_back({command, bank, row, clock});
  }
  std::vector<Issued> log;
};

}  // namespace dfsim::test
