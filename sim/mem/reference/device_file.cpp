#include "sim/mem/reference/device_file.h"

#include "sim/base/files.h"
#include "sim/base/yaml.h"
#include "sim/mem/core/timing.h"

namespace dfsim {
namespace {

std::uint32_t extent(const YamlValue& device, const char* key) {
  return static_cast<std::uint32_t>(device.require(key).integer(1, 1 << 24, 1));
}

DramDeviceSpec read_device(const std::string& path) {
  Diagnostics problems;
  YamlDocument document = load_yaml(path, {}, problems);
  problems.throw_if_any<ConfigError>();
  const YamlValue root = document.root();
  DramDeviceSpec device;
  device.name = root.require("name").string();
  device.clock_period_ps = extent(root, "clock_period_ps");
  device.burst_bytes = extent(root, "burst_bytes");
  device.page_bytes = extent(root, "page_bytes");
  device.ranks = extent(root, "ranks");
  device.bank_groups = extent(root, "bank_groups");
  device.banks_per_group = extent(root, "banks_per_group");
  device.rows = extent(root, "rows");
  const YamlValue timing = root.require("timing");
  for (const YamlNamedValue& entry : timing.entries())
    device.timing[entry.key] = static_cast<std::uint32_t>(entry.value.integer(0, 10'000'000));
  for (const std::string& problem : check_dram_device(device)) timing.error(problem);
  document.finish();
  problems.throw_if_any<ConfigError>();
  return device;
}

}  // namespace

NamedDevice load_reference_device(const std::string& name) {
  constexpr std::pair<const char*, DramSource> kFolders[] = {
      {"configs/memory/dramsim3", DramSource::dramsim3},
      {"configs/memory/ramulator2", DramSource::ramulator2}};
  for (const auto& [folder, source] : kFolders)
    if (const auto path = find_input_file(name, folder)) return {read_device(*path), source};
  Diagnostics problems;
  problems.error({"--device", 0, 0}, "no DRAM device file '" + name + "'",
                 "devices are the files in configs/memory/dramsim3 and configs/memory/ramulator2");
  problems.throw_if_any<ConfigError>();
  return {};
}

}  // namespace dfsim
