// sim/noc/core/masks.h: choosing from sets of ports or virtual channels given as bits.
#pragma once

#include <bit>
#include <cstdint>

namespace dfsim {

inline std::uint32_t lowest(std::uint32_t mask) { return static_cast<std::uint32_t>(std::countr_zero(mask)); }

/// Mostly asked about one bit or none.
inline std::uint32_t count_bits(std::uint32_t mask) {
  std::uint32_t result = 0;
  for (; mask; mask &= mask - 1) ++result;
  return result;
}

/// The bits of `mask` from `first` (at most 32) on.
inline std::uint32_t bits_from(std::uint32_t mask, std::uint32_t first) {
  return static_cast<std::uint32_t>(mask & (~std::uint64_t{0} << first));
}

/// The first set bit at or after `first`, cyclically. `mask` is not 0.
inline std::uint32_t round_robin(std::uint32_t mask, std::uint32_t first) {
  const std::uint32_t high = bits_from(mask, first);
  return lowest(high ? high : mask);
}

}  // namespace dfsim
