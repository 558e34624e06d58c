#include "planner/inter_stage/packing.h"

#include <algorithm>
#include <functional>

namespace dfsim {

namespace {

std::uint64_t volume(const Extent& box) { return std::uint64_t{box[0]} * box[1] * box[2]; }

/// Both would have to share a cell, wherever they lie.
bool exclude_each_other(const Extent& area, const Extent& a, const Extent& b) {
  for (std::size_t axis = 0; axis < 3; ++axis)
    if (a[axis] + b[axis] <= area[axis]) return false;
  return true;
}

bool impossible(const Extent& area, const std::vector<Extent>& boxes) {
  std::uint64_t cells = 0;
  for (const Extent& box : boxes) {
    for (std::size_t axis = 0; axis < 3; ++axis)
      if (box[axis] == 0 || box[axis] > area[axis]) return true;
    cells += volume(box);
  }
  if (cells > volume(area)) return true;
  for (std::size_t i = 0; i < boxes.size(); ++i)
    for (std::size_t k = i + 1; k < boxes.size(); ++k)
      if (exclude_each_other(area, boxes[i], boxes[k])) return true;
  return false;
}

class Packer {
 public:
  Packer(const Extent& area, const std::vector<Extent>& boxes) : area_(area), taken_(volume(area), false) {
    idle_ = volume(area);
    for (const Extent& box : boxes) {
      ++left_[box];
      idle_ -= volume(box);
    }
    boxes_left_ = boxes.size();
  }

  bool run() { return from(0); }
  /// Corners by shape, in the order of placing.
  std::map<Extent, std::vector<Extent>, std::greater<>>& corners() { return corners_; }

 private:
  Extent corner(std::uint64_t cell) const {
    return {static_cast<std::uint32_t>(cell % area_[0]),
            static_cast<std::uint32_t>(cell / area_[0] % area_[1]),
            static_cast<std::uint32_t>(cell / (std::uint64_t{area_[0]} * area_[1]))};
  }
  template <class Visit>
  bool cells(const Extent& at, const Extent& box, Visit visit) {
    for (std::uint32_t z = at[2]; z < at[2] + box[2]; ++z)
      for (std::uint32_t y = at[1]; y < at[1] + box[1]; ++y)
        for (std::uint32_t x = at[0]; x < at[0] + box[0]; ++x)
          if (!visit(x + std::uint64_t{area_[0]} * (y + std::uint64_t{area_[1]} * z))) return false;
    return true;
  }
  bool free_at(const Extent& at, const Extent& box) {
    for (std::size_t axis = 0; axis < 3; ++axis)
      if (at[axis] + box[axis] > area_[axis]) return false;
    return cells(at, box, [this](std::uint64_t cell) { return !taken_[cell]; });
  }
  void mark(const Extent& at, const Extent& box, bool taken) {
    cells(at, box, [&](std::uint64_t cell) {
      taken_[cell] = taken;
      return true;
    });
  }

  bool from(std::uint64_t cell) {
    if (boxes_left_ == 0) return true;
    if (++steps_ > kMostPackingSteps) return false;
    while (cell < taken_.size() && taken_[cell]) ++cell;
    if (cell == taken_.size()) return false;
    const Extent at = corner(cell);
    for (auto& [box, count] : left_)
      if (count > 0 && free_at(at, box) && with(at, box, count, cell)) return true;
    if (idle_ == 0) return false;
    --idle_;
    const bool found = from(cell + 1);
    ++idle_;
    return found;
  }

  bool with(const Extent& at, const Extent& box, std::uint32_t& count, std::uint64_t cell) {
    mark(at, box, true);
    --count;
    --boxes_left_;
    corners_[box].push_back(at);
    if (from(cell + 1)) return true;
    corners_[box].pop_back();
    ++boxes_left_;
    ++count;
    mark(at, box, false);
    return false;
  }

  Extent area_;
  std::vector<bool> taken_;
  std::map<Extent, std::uint32_t, std::greater<>> left_;  ///< by shape, wide ones first
  std::map<Extent, std::vector<Extent>, std::greater<>> corners_;
  std::size_t boxes_left_ = 0;
  std::uint64_t idle_ = 0;  ///< cells that may still stay free
  std::uint64_t steps_ = 0;
};

}  // namespace

std::optional<std::vector<Extent>> pack(const Extent& area, const std::vector<Extent>& boxes) {
  if (impossible(area, boxes)) return std::nullopt;
  Packer packer(area, boxes);
  if (!packer.run()) return std::nullopt;
  std::map<Extent, std::size_t> used;
  std::vector<Extent> places;
  for (const Extent& box : boxes) places.push_back(packer.corners().at(box)[used[box]++]);
  return places;
}

bool PackingStore::fits(std::vector<Extent> boxes) {
  std::sort(boxes.begin(), boxes.end());
  const auto found = known_.find(boxes);
  if (found != known_.end()) return found->second;
  const bool fits = pack(area_, boxes).has_value();
  known_.emplace(std::move(boxes), fits);
  return fits;
}

}  // namespace dfsim
