#include "planner/inter_stage/shapes.h"

#include <algorithm>
#include <numeric>

namespace dfsim {

namespace {

constexpr std::array<std::uint32_t, 3> kAxisOrder{1, 0, 2};  // rows first

std::uint32_t volume(const Extent& extent) { return extent[0] * extent[1] * extent[2]; }

/// Finer positions would balance some pipelines better, but each further shape costs the measurement of every
/// operator on it.
std::vector<std::uint32_t> useful_positions(std::uint32_t length) {
  std::vector<std::uint32_t> positions;
  for (const std::uint32_t parts : {2u, 3u, 4u})
    if (length % parts == 0)
      for (std::uint32_t part = 1; part < parts; ++part) positions.push_back(length / parts * part);
  if (length >= 2) positions.push_back(length / 2);
  std::sort(positions.begin(), positions.end());
  positions.erase(std::unique(positions.begin(), positions.end()), positions.end());
  return positions;
}

}  // namespace

std::uint32_t ShapeTable::least_pes(std::uint32_t pes, bool everywhere) {
  const std::uint32_t eighth = std::max(std::uint32_t{1}, pes / 8);
  return everywhere ? eighth : std::max(eighth, std::min(std::uint32_t{16}, pes / 4));
}

ShapeTable::ShapeTable(const Extent& extent, bool everywhere)
    : ShapeTable(extent, everywhere, least_pes(volume(extent), everywhere)) {}

ShapeTable ShapeTable::all(const Extent& extent, std::uint32_t least) { return {extent, true, least}; }

ShapeTable::ShapeTable(const Extent& extent, bool everywhere, std::uint32_t least)
    : everywhere_(everywhere), least_(least) {
  shapes_.push_back(extent);
  for (std::uint32_t i = 0; i < shapes_.size(); ++i) {
    const Extent shape = shapes_[i];  // a copy: the vector grows
    cuts_.push_back(cuts_of(shape));
  }
  order_.resize(shapes_.size());
  std::iota(order_.begin(), order_.end(), 0u);
  std::stable_sort(order_.begin(), order_.end(), [&](auto a, auto b) { return pes(a) < pes(b); });
}

std::uint32_t ShapeTable::pes(std::uint32_t index) const { return volume(shapes_[index]); }

std::uint32_t ShapeTable::index_of(const Extent& extent) {
  if (volume(extent) < least_) return BoxCut::kIdle;
  const auto found = std::find(shapes_.begin(), shapes_.end(), extent);
  if (found == shapes_.end()) shapes_.push_back(extent);
  return static_cast<std::uint32_t>(std::find(shapes_.begin(), shapes_.end(), extent) - shapes_.begin());
}

std::vector<BoxCut> ShapeTable::cuts_of(const Extent& extent) {
  const std::uint32_t longest = *std::max_element(extent.begin(), extent.end());
  std::vector<BoxCut> cuts;
  for (const std::uint32_t axis : kAxisOrder) {
    if (!everywhere_ && extent[axis] != longest) continue;
    std::vector<std::uint32_t> positions = useful_positions(extent[axis]);
    if (everywhere_) {
      positions.resize(extent[axis] - 1);
      std::iota(positions.begin(), positions.end(), 1u);
    }
    for (const std::uint32_t position : positions) {
      BoxCut cut{.axis = axis, .position = position};
      Extent part = extent;
      part[axis] = position;
      cut.first = index_of(part);
      part[axis] = extent[axis] - position;
      cut.second = index_of(part);
      if (cut.first != BoxCut::kIdle || cut.second != BoxCut::kIdle) cuts.push_back(cut);
    }
    if (!everywhere_) break;
  }
  return cuts;
}

}  // namespace dfsim
