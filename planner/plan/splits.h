// planner/plan/splits.h: every way to cut an iteration space into at most so many parts.
#pragma once

#include <cstdint>
#include <functional>
#include <vector>

namespace dfsim {

/// Calls `visit` with the parts per axis of every split whose parts multiply to at most `most_parts` and do
/// not exceed the axis' extent, in lexicographic order (the split into one part first). An axis that must
/// stay whole is given with extent 1.
void for_each_split(const std::vector<std::uint32_t>& extents, std::uint32_t most_parts,
                    const std::function<void(const std::vector<std::uint32_t>&)>& visit);

/// The splits of for_each_split to which no axis can be given more parts: no other split has at least as many
/// parts on every axis. Work that never grows with more parts has its minimum among these.
std::vector<std::vector<std::uint32_t>> maximal_splits(const std::vector<std::uint32_t>& extents,
                                                       std::uint32_t most_parts);

/// All of for_each_split.
std::vector<std::vector<std::uint32_t>> all_splits(const std::vector<std::uint32_t>& extents,
                                                   std::uint32_t most_parts);

}  // namespace dfsim
