// sim/mem/core/timing.h: timing of a DRAM device as data: which command may follow which, and after how long.
#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <vector>

#include "sim/api/hardware.h"

namespace dfsim {

/// `refresh` is of all banks of a rank, `refresh_bank` of one.
enum class DramCommand : std::uint8_t { activate, precharge, read, write, refresh, refresh_bank };
inline constexpr std::size_t kDramCommands = 6;
std::string to_string(DramCommand command);

/// Which pairs of commands a constraint binds: those to the same bank, the same bank group, the same rank, or
/// to different ranks of the channel.
enum class DramScope : std::uint8_t { bank, bank_group, rank, other_rank };
inline constexpr std::size_t kDramScopes = 4;

/// `after` may come no earlier than `clocks` after `before`.
struct DramConstraint {
  DramScope scope = DramScope::bank;
  DramCommand before = DramCommand::activate;
  DramCommand after = DramCommand::activate;
  std::uint32_t clocks = 0;
  std::string reason;  ///< the JEDEC parameters it comes from, for example "CWL + BL + WTR_L"
};

/// A device's timing parameters in memory clocks, every name resolved. Names and meanings are those of the
/// JEDEC standards without the leading "t".
struct DramTiming {
  std::uint32_t CL = 0, CWL = 0;  ///< column command to first data
  std::uint32_t BL = 0;           ///< clocks of the data bus per burst (burst length / transfers per clock)
  std::uint32_t RCD_RD = 0, RCD_WR = 0;   ///< default of both: RCD
  std::uint32_t RP = 0, RAS = 0, RC = 0;  ///< default of RC: RAS + RP
  std::uint32_t CCD_S = 0, CCD_L = 0;     ///< never below BL; default of CCD_L: CCD_S; of CCD_S: BL
  std::uint32_t CCD_L_WR = 0;             ///< write to write of one bank group; default CCD_L
  std::uint32_t RRD_S = 0, RRD_L = 0;     ///< default of RRD_L: RRD_S
  std::uint32_t FAW = 0;               ///< four activates per rank in any window of this length; 0: no limit
  std::uint32_t WTR_S = 0, WTR_L = 0;  ///< end of write data to read; default of WTR_L: WTR_S
  std::uint32_t RTP = 0, WR = 0;       ///< read to precharge; end of write data to precharge
  std::uint32_t RTW_GAP = 0;           ///< idle clocks of the data bus between read and write data; default 2
  std::uint32_t RTRS = 0;              ///< idle clocks of the data bus between two ranks; default 1
  std::uint32_t PPD = 0;               ///< precharge to precharge of one rank; default 0
  std::uint32_t REFI = 0, RFC = 0;     ///< refresh interval per rank (0: no refresh) and duration
  std::uint32_t RFCPB = 0;             ///< duration of a per-bank refresh; 0: the device has none
  std::uint32_t REFIPB = 0;  ///< interval of per-bank refreshes of a rank; default REFI / banks of a rank
  std::uint32_t RREFD = 0;   ///< per-bank refresh to refresh or activate of another bank; default RRD_L
  std::uint32_t COMMAND_BUSES = 0;  ///< 2: row and column commands have a bus each (HBM); default 1
  std::uint32_t ACT_CLOCKS = 0;     ///< clocks that an activate holds its command bus; default 1

  std::vector<DramConstraint> constraints() const;  ///< all but FAW, refresh interval and command buses
};

/// What is wrong with the timing table and organisation of `device`: missing or unknown names, zero extents.
/// Empty if it can be simulated.
std::vector<std::string> check_dram_device(const DramDeviceSpec& device);

/// Throws SimulationError if check_dram_device() finds anything.
DramTiming resolve_timing(const DramDeviceSpec& device);

/// Delays by [scope][before][after], the greatest of the constraints; 0 where there is none.
using DramDelayTable =
    std::array<std::array<std::array<std::uint32_t, kDramCommands>, kDramCommands>, kDramScopes>;
DramDelayTable delay_table(const DramTiming& timing);

}  // namespace dfsim
