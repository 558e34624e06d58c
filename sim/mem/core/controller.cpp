#include "sim/mem/core/controller.h"

#include <algorithm>

#include <fmt/format.h>

#include "sim/mem/core/address_map.h"
#include "sim/mem/core/channel_group.h"
#include "sim/mem/core/timing.h"

namespace dfsim {

std::vector<std::string> check_memory_controller(const MemoryControllerSpec& spec) {
  std::vector<std::string> problems = check_dram_device(spec.device);
  const auto known = [&](const char* what, const std::string& name, std::vector<std::string> names) {
    std::erase(names, "ideal");
    if (std::find(names.begin(), names.end(), name) == names.end())
      problems.push_back(fmt::format("unknown {} '{}'; known: {}", what, name, fmt::join(names, ", ")));
  };
  if (spec.answer_packet_bytes == 0) problems.push_back("answer packets of 0 bytes");
  if (spec.device.ideal) return problems;
  known("address map", spec.address_map, AddressMapRegistry::instance().names());
  known("scheduler", spec.scheduler, SchedulerRegistry::instance().names());
  known("page policy", spec.page_policy, {"closed", "open"});
  known("refresh", spec.refresh, {"all_bank", "per_bank"});
  if (spec.refresh == "per_bank" && !spec.device.timing.contains("RFCPB"))
    problems.push_back("per-bank refresh needs the timing parameter 'RFCPB'");
  if (spec.channels == 0 || spec.channels > 64) problems.push_back("a port has 1 to 64 channels");
  if (spec.channels > 1 && (spec.channel_interleave_bytes == 0 ||
                            spec.channel_interleave_bytes % std::max(spec.device.burst_bytes, 1u) != 0))
    problems.push_back("channels are interleaved in whole bursts");
  if (spec.read_queue == 0 || spec.write_queue == 0)
    problems.push_back("read and write queue need at least one entry");
  if (!(0 <= spec.write_low_watermark && spec.write_low_watermark <= spec.write_high_watermark &&
        spec.write_high_watermark <= 1))
    problems.push_back("write watermarks must satisfy 0 <= low <= high <= 1");
  return problems;
}

std::unique_ptr<MemoryController> make_memory_controller(const MemoryControllerSpec& spec,
                                                         std::uint64_t noc_clock_period_ps) {
  const std::vector<std::string> problems = check_memory_controller(spec);
  if (!problems.empty())
    throw SimulationError(
        fmt::format("memory controller of device '{}': {}", spec.device.name, fmt::join(problems, "; ")));
  if (spec.channels > 1) return make_channel_group(spec, noc_clock_period_ps);
  return SchedulerRegistry::instance().make(spec.device.ideal ? "ideal" : spec.scheduler, spec,
                                            noc_clock_period_ps);
}

}  // namespace dfsim
