// planner/inter_stage/shapes.h: the boxes of PEs that straight (guillotine) cuts make of one NoC.
#pragma once

#include <array>
#include <cstdint>
#include <limits>
#include <vector>

#include "sim/api/hardware.h"

namespace dfsim {

using Extent = std::array<std::uint32_t, 3>;  ///< width, height, depth

/// One straight cut of a box: at `position` along `axis`. A part too small to be a PE group has no shape; it
/// stays idle.
struct BoxCut {
  static constexpr std::uint32_t kIdle = std::numeric_limits<std::uint32_t>::max();
  std::uint32_t axis = 0, position = 0;
  std::uint32_t first = kIdle, second = kIdle;  ///< indices of shapes
};

/// All boxes that the searches consider, and the cuts between them. Shape 0 is the whole NoC.
///
/// Small cases are cut everywhere. Others only where it is useful, so that few different (stage, shape)
/// prices have to be measured: across the longest side (equal sides: rows first, which leaves the memory
/// ports of both ends of a row to each part), at its half, its thirds and its quarters. Eighths and so on
/// come from cutting the parts again.
class ShapeTable {
 public:
  ShapeTable(const Extent& extent, bool everywhere);
  /// Every box with at least `least` PEs.
  static ShapeTable all(const Extent& extent, std::uint32_t least = 1);

  /// Cases so small that every cut is tried.
  static bool small(std::uint32_t pes, std::uint32_t segments) { return pes <= 16 && segments <= 7; }
  /// Of a group: an eighth of the PEs; if not cut everywhere also at least 16 or, if that is less, a quarter.
  static std::uint32_t least_pes(std::uint32_t pes, bool everywhere);

  std::uint32_t count() const { return static_cast<std::uint32_t>(shapes_.size()); }
  const Extent& shape(std::uint32_t index) const { return shapes_[index]; }
  std::uint32_t pes(std::uint32_t index) const;
  const std::vector<BoxCut>& cuts(std::uint32_t index) const { return cuts_[index]; }
  /// Shape indices, every part before the boxes it is cut from.
  const std::vector<std::uint32_t>& small_to_large() const { return order_; }

 private:
  ShapeTable(const Extent& extent, bool everywhere, std::uint32_t least);
  std::uint32_t index_of(const Extent& extent);
  std::vector<BoxCut> cuts_of(const Extent& extent);

  bool everywhere_ = false;
  std::uint32_t least_ = 1;
  std::vector<Extent> shapes_;
  std::vector<std::vector<BoxCut>> cuts_;
  std::vector<std::uint32_t> order_;
};

}  // namespace dfsim
