#include "sim/energy/energy.h"

#include <utility>

namespace dfsim {

std::string energy_block(const std::string& event) {
  // The first that fits: names that begin with the left one belong to the right one.
  static const std::pair<const char*, const char*> kBlocks[] = {{"mac_", "matrix_unit"},
                                                                {"vector_", "vector_unit"},
                                                                {"scratchpad_", "scratchpad"},
                                                                {"router_", "noc"},
                                                                {"link_", "noc"},
                                                                {"dram_refresh", "static"},
                                                                {"dram_bank_refresh", "static"},
                                                                {"dram_standby_ns", "static"},
                                                                {"matrix_cell_static_ns", "static"},
                                                                {"dram_", "dram"},
                                                                {"ethernet_", "ethernet"},
                                                                {"host_", "host"}};
  for (const auto& [prefix, block] : kBlocks)
    if (event.starts_with(prefix)) return block;
  return "other";
}

void add_energy(Measurement& measurement, const EnergySpec& table) {
  measurement.energy_pj.clear();
  measurement.energy_blocks_pj.clear();
  for (const auto& [name, picojoules] : table.picojoules) measurement.energy_pj[name] = 0;
  for (const auto& [name, count] : measurement.events) {
    const auto price = table.picojoules.find(name);
    measurement.energy_pj[name] =
        price == table.picojoules.end() ? 0.0 : price->second * static_cast<double>(count);
  }
  double total = 0;
  for (const auto& [name, energy] : measurement.energy_pj) {
    total += energy;
    measurement.energy_blocks_pj[energy_block(name)] += energy;
  }
  measurement.energy_pj["total"] = total;
}

std::vector<std::string> unpriced_events(const Measurement& measurement, const EnergySpec& table) {
  std::vector<std::string> names;
  for (const auto& [name, count] : measurement.events)
    if (count > 0 && !table.picojoules.contains(name)) names.push_back(name);
  return names;
}

}  // namespace dfsim
