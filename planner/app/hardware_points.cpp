#include "planner/app/hardware_points.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <map>

#include "planner/inter_stage/shapes.h"
#include "planner/report/bounds.h"
#include "sim/base/errors.h"

namespace dfsim {

namespace {

/// 1, 2, 3, 4, 6, 8, 12 ... and the side itself.
std::vector<std::uint32_t> sides_up_to(std::uint32_t most) {
  std::vector<std::uint32_t> sides;
  for (std::uint32_t power = 1; power <= most; power *= 2)
    for (const std::uint32_t side : {power, power + power / 2})
      if (side <= most && (sides.empty() || side > sides.back())) sides.push_back(side);
  if (sides.back() != most) sides.push_back(most);
  return sides;
}

HardwareAmount amount_of(const HardwareSpec& hardware) {
  HardwareAmount amount;
  amount.pes = hardware.pes.size();
  amount.sram_bytes = amount.pes * hardware.pe.scratchpad.bytes.count();
  for (const NocSpec& noc : hardware.nocs) amount.links += noc.graph.links.size();
  return amount;
}

double spread(const Extent& extent) {
  const auto [low, high] = std::minmax_element(extent.begin(), extent.end());
  return static_cast<double>(*high) / *low;
}

/// By number of PEs the extent nearest to a cube; of equals the one with fewest columns.
std::map<std::uint64_t, Extent> extents_within(const Extent& most) {
  std::map<std::uint64_t, Extent> best;
  for (const std::uint32_t z : sides_up_to(most[2]))
    for (const std::uint32_t y : sides_up_to(most[1]))
      for (const std::uint32_t x : sides_up_to(most[0])) {
        const Extent extent{x, y, z};
        const auto [it, first] = best.emplace(std::uint64_t{x} * y * z, extent);
        const Extent shape{x, y, most[2] > 1 ? z : std::max(x, y)}, other = it->second;
        const Extent known{other[0], other[1], most[2] > 1 ? other[2] : std::max(other[0], other[1])};
        if (!first && (spread(shape) < spread(known) || (spread(shape) == spread(known) && x < other[0])))
          it->second = extent;
      }
  best[std::uint64_t{most[0]} * most[1] * most[2]] = most;
  return best;
}

std::string text_of(const Extent& extent, std::size_t dimensions) {
  return fmt::format(
      "{}", fmt::join(extent.begin(), extent.begin() + static_cast<std::ptrdiff_t>(dimensions), "x"));
}

}  // namespace

std::vector<HardwareVariant> hardware_variants(const Inputs& inputs,
                                               const std::vector<std::string>& overrides, Minimise minimise,
                                               const Goal& goal) {
  const HardwareSpec& whole = inputs.config.spec;
  const LinkGraph& links = whole.nocs.front().graph;
  const Extent most{links.extent[0], links.extent[1], links.extent[2]};
  const std::size_t dimensions = most[2] > 1 ? 3 : most[1] > 1 ? 2 : 1;
  const std::uint64_t scratchpad = whole.pe.scratchpad.bytes.count();
  std::vector<HardwareVariant> variants;
  for (const auto& [pes, extent] : extents_within(most))
    for (const std::uint64_t part : {1u, 2u, 4u, 8u}) {
      if (part > 1 && (minimise != Minimise::sram || scratchpad % part != 0)) continue;
      HardwareVariant variant;
      variant.point.name = text_of(extent, dimensions);
      if (extent != most) variant.overrides.push_back("noc.dims=" + variant.point.name);
      if (part > 1) {
        variant.overrides.push_back(fmt::format("pe.scratchpad_bytes={}", scratchpad / part));
        variant.point.name += fmt::format("-{}KiB", scratchpad / part / 1024);
      }
      std::vector<std::string> all = overrides;
      all.insert(all.end(), variant.overrides.begin(), variant.overrides.end());
      try {
        const HardwareSpec hardware = load_config(inputs.config_path, all).spec;
        variant.point.amount = amount_of(hardware);
        variant.point.bound_cycles =
            (goal.objective == Objective::latency ? cold_bound(inputs.model.graph, hardware, goal.samples)
                                                  : period_bound(inputs.model.graph, hardware, goal.samples))
                .cycles();
      } catch (const InputError&) {
        continue;  // the description needs a larger machine
      }
      variants.push_back(std::move(variant));
    }
  return variants;
}

}  // namespace dfsim
