// sim/comm/tours.h: orders of the PEs of a box in which neighbours are near.
#pragma once

#include <cstdint>
#include <vector>

namespace dfsim {

/// A closed tour through all PEs of a mesh of columns x rows, as ranks, with the fewest hops in all: as many
/// as PEs if both sides are at least 2 and one is even; one more if both are odd (a mesh is two-coloured, so
/// a tour of odd length cannot use single hops only); 2(n - 1) on a line, where no hop is longer than two and
/// no directed link is used twice.
std::vector<std::uint32_t> closed_tour(std::uint32_t columns, std::uint32_t rows);

/// A path through all PEs with single hops: row by row, back and forth.
std::vector<std::uint32_t> open_tour(std::uint32_t columns, std::uint32_t rows);

}  // namespace dfsim
