// The section `memory`: where the ports are, and the device and controller behind each.
#include <fmt/format.h>

#include <algorithm>

#include "sim/hw/sections.h"

namespace dfsim {
namespace {

struct TimingName {
  const char* name;
  bool required;
};

/// JEDEC names without the leading "t", in clocks of the device. BL is the time of a burst on the data bus.
/// The optional ones have the defaults that sim/mem gives them.
constexpr TimingName kTimingNames[] = {
    {"CL", true},          {"CWL", true},     {"BL", true},      {"RP", true},
    {"RAS", true},         {"RCD", false},    {"RCD_RD", false}, {"RCD_WR", false},
    {"RC", false},         {"CCD_S", false},  {"CCD_L", false},  {"CCD_L_WR", false},
    {"RRD_S", false},      {"RRD_L", false},  {"FAW", false},    {"WTR_S", false},
    {"WTR_L", false},      {"RTP", false},    {"WR", false},     {"RTW_GAP", false},
    {"RTRS", false},       {"PPD", false},    {"REFI", false},   {"RFC", false},
    {"RFCPB", false},      {"REFIPB", false}, {"RREFD", false},  {"COMMAND_BUSES", false},
    {"ACT_CLOCKS", false},
};

std::uint32_t read_u32(const YamlValue& value, std::int64_t min, std::int64_t max, std::uint32_t fallback) {
  return static_cast<std::uint32_t>(value.integer(min, max, fallback));
}

void read_timing(const YamlValue& timing, DramDeviceSpec& device) {
  for (const TimingName& entry : kTimingNames) {
    const YamlValue value = timing[entry.name];
    if (value)
      device.timing[entry.name] = read_u32(value, entry.name == std::string("BL") ? 1 : 0, 10'000'000, 1);
    else if (entry.required && !device.timing.contains(entry.name))
      timing.error(fmt::format("{}: timing parameter '{}' is missing", timing.path(), entry.name),
                   "clocks of the device; only an ideal device needs no timing table");
  }
  const auto has = [&](const char* name) { return device.timing.contains(name); };
  const auto clocks = [&](const char* name) { return has(name) ? std::uint64_t{device.timing.at(name)} : 0; };
  if (!has("RCD") && !(has("RCD_RD") && has("RCD_WR")))
    timing.error(fmt::format("{}: timing parameter 'RCD' is missing", timing.path()),
                 "or both RCD_RD and RCD_WR");
  if (clocks("REFI") > 0 && clocks("RFC") + clocks("RAS") + clocks("RP") >= clocks("REFI"))
    timing.error(
        fmt::format("{}: a refresh (RFC) takes longer than the refresh interval (REFI)", timing.path()));
}

void read_geometry(const YamlValue& value, DramDeviceSpec& device) {
  device.burst_bytes = read_u32(value["burst_bytes"], 1, 4096, device.burst_bytes);
  device.page_bytes = read_u32(value["page_bytes"], 1, 1 << 20, device.page_bytes);
  device.ranks = read_u32(value["ranks"], 1, 16, device.ranks);
  device.bank_groups = read_u32(value["bank_groups"], 1, 64, device.bank_groups);
  device.banks_per_group = read_u32(value["banks_per_group"], 1, 64, device.banks_per_group);
  device.rows = read_u32(value["rows"], 1, 1 << 24, device.rows);
  if (device.page_bytes % device.burst_bytes != 0)
    value.error(fmt::format("{}: a page of {} bytes is not a whole number of bursts of {} bytes",
                            value.path(), device.page_bytes, device.burst_bytes));
  if (std::uint64_t{device.ranks} * device.bank_groups * device.banks_per_group > 1024)
    value.error(fmt::format("{}: more than 1024 banks behind one port", value.path()));
}

DramDeviceSpec read_device(const YamlValue& value, const DramDeviceSpec& base, std::uint64_t noc_clock_ps) {
  DramDeviceSpec device = base;
  if (value.is_scalar()) {
    value.error(fmt::format("{}: expected a device file such as memory/hbm2.yaml or a mapping, found '{}'",
                            value.path(), value.node()->scalar));
    return device;
  }
  device.name = value["name"].string(base.name.empty() ? "unnamed" : base.name);
  device.ideal = value["ideal"].boolean(base.ideal);
  const std::uint64_t clock = base.name.empty() && device.ideal ? noc_clock_ps : base.clock_period_ps;
  device.clock_period_ps = static_cast<std::uint64_t>(
      value["clock_period_ps"].integer(1, 1'000'000, static_cast<std::int64_t>(clock)));
  if (device.ideal) {
    if (base.ideal_bytes_per_cycle == 0) value.require("ideal_bytes_per_cycle");
    device.ideal_bytes_per_cycle =
        value["ideal_bytes_per_cycle"].number(1.0 / 1024, 1e6, std::max(base.ideal_bytes_per_cycle, 1.0));
    device.ideal_latency_cycles =
        read_u32(value["ideal_latency_cycles"], 0, 1'000'000, base.ideal_latency_cycles);
    return device;
  }
  read_geometry(value, device);
  const YamlValue timing = value["timing"];
  if (timing || device.timing.empty()) read_timing(timing ? timing : value.require("timing"), device);
  return device;
}

void check_name(const YamlValue& value, const std::string& name, const std::vector<std::string>& known) {
  if (known.empty() || std::find(known.begin(), known.end(), name) != known.end()) return;
  const std::string nearest = nearest_name(name, known);
  const std::string list = fmt::format("known: {}", fmt::join(known, ", "));
  value.error(fmt::format("{}: unknown value '{}'", value.path(), name),
              nearest.empty() ? list : fmt::format("did you mean '{}'? {}", nearest, list));
}

void read_channels(const YamlValue& memory, MemoryControllerSpec& controller) {
  controller.channels = read_u32(memory["channels"], 1, 64, controller.channels);
  const YamlValue granule = memory["channel_interleave_bytes"];
  controller.channel_interleave_bytes = read_u32(granule, 1, 1 << 20, controller.channel_interleave_bytes);
  if (controller.channels > 1 && controller.channel_interleave_bytes % controller.device.burst_bytes != 0)
    (granule ? granule : memory["channels"])
        .error(fmt::format(
                   "memory: blocks of {} bytes in each channel are not a whole number of bursts of {} bytes",
                   controller.channel_interleave_bytes, controller.device.burst_bytes),
               "channel_interleave_bytes: a multiple of the device's burst_bytes");
}

}  // namespace

MemorySection read_memory(const YamlValue& memory, const MemorySection& base, std::uint64_t noc_clock_ps,
                          const KnownParts& known) {
  MemorySection section = base;
  if (!memory) return section;
  if (const YamlValue ports = memory["ports"]) section.ports = ports;
  MemoryControllerSpec& controller = section.controller;
  if (const YamlValue device = memory["device"])
    controller.device = read_device(device, base.controller.device, noc_clock_ps);
  else if (section.ports && controller.device.name.empty())
    memory.require("device");
  controller.address_map = memory["address_map"].string(controller.address_map);
  check_name(memory["address_map"], controller.address_map, known.address_maps);
  controller.scheduler = memory["scheduler"].string(controller.scheduler);
  check_name(memory["scheduler"], controller.scheduler, known.schedulers);
  controller.page_policy = memory["page_policy"].string(controller.page_policy);
  check_name(memory["page_policy"], controller.page_policy, known.page_policies);
  controller.refresh = memory["refresh"].one_of({"all_bank", "per_bank"}, controller.refresh);
  if (controller.refresh == "per_bank" && !controller.device.ideal &&
      !controller.device.timing.contains("RFCPB"))
    memory["refresh"].error(
        fmt::format("memory: per-bank refresh, but '{}' has no timing parameter 'RFCPB'",
                    controller.device.name),
        "RFCPB: clocks of a per-bank refresh; REFIPB (default REFI / banks) is their interval");
  read_channels(memory, controller);
  controller.read_queue = read_u32(memory["read_queue"], 1, 65'536, controller.read_queue);
  controller.write_queue = read_u32(memory["write_queue"], 1, 65'536, controller.write_queue);
  controller.write_high_watermark =
      memory["write_high_watermark"].number(0, 1, controller.write_high_watermark);
  controller.write_low_watermark = memory["write_low_watermark"].number(0, 1, controller.write_low_watermark);
  if (controller.write_low_watermark > controller.write_high_watermark)
    memory["write_low_watermark"].error(
        fmt::format("memory: write_low_watermark {} lies above write_high_watermark {}",
                    controller.write_low_watermark, controller.write_high_watermark));
  controller.row_hit_cap = read_u32(memory["row_hit_cap"], 0, 1'000'000, controller.row_hit_cap);
  if (const YamlValue answer = memory["answer_packet_bytes"]) {
    section.answer_at = answer;
    controller.answer_packet_bytes = read_u32(answer, 1, 1 << 20, controller.answer_packet_bytes);
  }
  return section;
}

}  // namespace dfsim
