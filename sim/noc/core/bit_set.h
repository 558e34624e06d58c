// sim/noc/core/bit_set.h: sets of small numbers as words of bits.
#pragma once

#include <bit>
#include <cstdint>
#include <vector>

namespace dfsim {

inline void set_bit(std::vector<std::uint64_t>& bits, std::uint32_t index) {
  bits[index / 64] |= std::uint64_t{1} << (index % 64);
}

/// Calls `action` with each number of the set, in ascending order.
template <class Action>
void for_each_bit(const std::vector<std::uint64_t>& bits, Action action) {
  for (std::size_t word = 0; word < bits.size(); ++word)
    for (std::uint64_t rest = bits[word]; rest; rest &= rest - 1)
      action(static_cast<std::uint32_t>(word * 64) + static_cast<std::uint32_t>(std::countr_zero(rest)));
}

}  // namespace dfsim
