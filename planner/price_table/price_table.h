// planner/price_table/price_table.h: stage times that a user has measured, in place of the simulator.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <tuple>
#include <vector>

#include "planner/inter_stage/plan_space.h"

namespace dfsim {

/// Layers in a row, a number of PEs or a mesh, and the time of each stage on each group. The unit of time is
/// the user's.
struct PriceTable {
  std::uint32_t layers = 0;
  Extent area{1, 1, 1};
  bool mesh = false;  ///< groups are rectangles; otherwise only their number of PEs counts
  PlanAim aim;
  /// (first layer, one past the last, width, height) -> time. Without a mesh: (PEs, 1).
  std::map<std::tuple<std::uint32_t, std::uint32_t, std::uint32_t, std::uint32_t>, double> times;

  KnownPrice price(std::uint32_t from, std::uint32_t to, const Extent& shape) const;
  PlanSpace space() const;
};

/// Reads a table (docs/planning.md, "Prices from a table"). Throws ModelError with every mistake, located.
PriceTable read_price_table(const std::string& path);
PriceTable read_price_table_text(const std::string& text, const std::string& file);

}  // namespace dfsim
