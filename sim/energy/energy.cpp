#include "sim/energy/energy.h"

namespace dfsim {

void add_energy(Measurement& measurement, const EnergySpec& table) {
  measurement.energy_pj.clear();
  for (const auto& [name, picojoules] : table.picojoules) measurement.energy_pj[name] = 0;
  for (const auto& [name, count] : measurement.events) {
    const auto price = table.picojoules.find(name);
    measurement.energy_pj[name] =
        price == table.picojoules.end() ? 0.0 : price->second * static_cast<double>(count);
  }
  double total = 0;
  for (const auto& [name, energy] : measurement.energy_pj) total += energy;
  measurement.energy_pj["total"] = total;
}

std::vector<std::string> unpriced_events(const Measurement& measurement, const EnergySpec& table) {
  std::vector<std::string> names;
  for (const auto& [name, count] : measurement.events)
    if (count > 0 && !table.picojoules.contains(name)) names.push_back(name);
  return names;
}

}  // namespace dfsim
