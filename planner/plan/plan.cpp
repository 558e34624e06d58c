#include "planner/plan/plan.h"

#include <fmt/format.h>

#include <algorithm>
#include <set>
#include <tuple>

namespace dfsim {

namespace {

bool ranges_overlap(std::uint32_t a, std::uint32_t a_extent, std::uint32_t b, std::uint32_t b_extent) {
  return a < b + b_extent && b < a + a_extent;
}

bool inside(const Submesh& submesh, const PePlace& place) {
  return place.noc == submesh.noc && ranges_overlap(submesh.x, submesh.width, place.x, 1) &&
         ranges_overlap(submesh.y, submesh.height, place.y, 1) &&
         ranges_overlap(submesh.z, submesh.depth, place.z, 1);
}

/// "b8 n2" of the axes with more than one part; "1" if there is none.
std::string parts_text(const std::vector<std::uint32_t>& parts, const std::vector<std::string>& names) {
  std::string text;
  for (std::size_t axis = 0; axis < parts.size(); ++axis)
    if (parts[axis] > 1)
      text += fmt::format("{}{}{}", text.empty() ? "" : " ",
                          axis < names.size() ? names[axis] : fmt::format("axis{}_", axis), parts[axis]);
  return text.empty() ? "1" : text;
}

/// Kibibytes where that is shorter to read; the exact number otherwise.
std::string amount_text(std::uint64_t amount, const std::string& unit) {
  if (unit != "bytes" || amount < 1024) return fmt::format("{} {}", amount, unit);
  return amount % 1024 == 0 ? fmt::format("{} KiB", amount / 1024)
                            : fmt::format("{:.1f} KiB", static_cast<double>(amount) / 1024);
}

}  // namespace

bool Submesh::overlaps(const Submesh& other) const {
  return noc == other.noc && ranges_overlap(x, width, other.x, other.width) &&
         ranges_overlap(y, height, other.y, other.height) && ranges_overlap(z, depth, other.z, other.depth);
}

std::string Submesh::to_string() const {
  std::string text = fmt::format("chip{}[{}:{},{}:{}", noc.value(), x, x + width, y, y + height);
  if (z != 0 || depth != 1) text += fmt::format(",{}:{}", z, z + depth);
  return text + "]";
}

std::uint32_t PeGroup::size() const {
  std::uint32_t total = 0;
  for (const Submesh& submesh : submeshes) total += submesh.size();
  return total;
}

bool PeGroup::overlaps(const PeGroup& other) const {
  return std::any_of(submeshes.begin(), submeshes.end(), [&](const Submesh& mine) {
    return std::any_of(other.submeshes.begin(), other.submeshes.end(),
                       [&](const Submesh& theirs) { return mine.overlaps(theirs); });
  });
}

std::string PeGroup::to_string() const {
  std::string text;
  for (const Submesh& submesh : submeshes) text += (text.empty() ? "" : "+") + submesh.to_string();
  return text;
}

std::vector<PeId> PeGroup::pes(const HardwareSpec& hardware) const {
  std::vector<PeId> result;
  for (const Submesh& submesh : submeshes) {
    const auto first = static_cast<std::ptrdiff_t>(result.size());
    for (std::uint32_t id = 0; id < hardware.pes.size(); ++id)
      if (inside(submesh, hardware.pes[id])) result.emplace_back(id);
    std::stable_sort(result.begin() + first, result.end(), [&](PeId a, PeId b) {
      const PePlace &left = hardware.pes[a.value()], &right = hardware.pes[b.value()];
      return std::tie(left.z, left.y, left.x) < std::tie(right.z, right.y, right.x);
    });
  }
  return result;
}

std::string to_string(PeOrder order) {
  switch (order) {
    case PeOrder::row_major:
      return "row_major";
    case PeOrder::column_major:
      return "column_major";
    case PeOrder::snake:
      return "snake";
  }
  return "unknown";
}

std::string to_string(OuterLoop loop) {
  switch (loop) {
    case OuterLoop::features:
      return "features";
    case OuterLoop::reduction:
      return "reduction";
    case OuterLoop::rows:
      return "rows";
  }
  return "unknown";
}

std::uint32_t OperatorCandidate::spatial_parts() const {
  std::uint32_t product = 1;
  for (const std::uint32_t parts : spatial) product *= parts;
  return product;
}

std::string OperatorCandidate::to_string(const std::vector<std::string>& axis_names) const {
  std::string nested;
  for (const std::uint32_t axis : nesting)
    if (axis < spatial.size() && spatial[axis] > 1)
      nested += (nested.empty() ? "" : ",") +
                (axis < axis_names.size() ? axis_names[axis] : fmt::format("axis{}", axis));
  return fmt::format(
      "{} | {} | {}{}{}{}", parts_text(spatial, axis_names), parts_text(temporal, axis_names), nested,
      nested.empty() ? "" : " ", dfsim::to_string(order),
      outer == OuterLoop::features ? "" : fmt::format(", {} outermost", dfsim::to_string(outer)));
}

std::uint32_t Plan::distinct_groups() const {
  std::set<PeGroup> groups;
  for (const Stage& stage : stages) groups.insert(stage.group);
  return static_cast<std::uint32_t>(groups.size());
}

std::string Infeasible::to_string() const {
  std::string text =
      fmt::format("{}: needs {}, {} available", what, amount_text(demand, unit), amount_text(limit, unit));
  return lever.empty() ? text : text + "; " + lever;
}

}  // namespace dfsim
