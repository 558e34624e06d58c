// planner/lower/scratchpad_map.h: gives micro-tensors their addresses in one PE's scratchpad, in program
// order.
#pragma once

#include <cstdint>
#include <limits>
#include <map>
#include <optional>
#include <vector>

namespace dfsim {

/// How a place is chosen.
enum class PlacePolicy : std::uint8_t {
  /// Long-lived data at the lowest address that fits, streams at the highest: shows where the former lies
  /// when nothing else is in its way, and how long everything lives.
  measure,
  /// Long-lived data where it was measured to lie; streams wherever none of it will come while they live, at
  /// the place that has been free longest: what had it before ended long ago, so that transfers run far
  /// ahead of the computation.
  foreseen,
  /// Nothing is known of what comes: long-lived data at the lowest address that fits, streams at the next
  /// free place after the last one, round and round.
  packed
};

/// One allocation. Events are allocations and releases, counted together from 0.
struct ScratchpadUse {
  std::uint32_t address = 0, bytes = 0;
  bool long_lived = false;
  std::uint64_t born = 0;                                          ///< event
  std::uint64_t died = std::numeric_limits<std::uint64_t>::max();  ///< event
};
/// Of one scratchpad, in the order of the allocations.
using ScratchpadUses = std::vector<ScratchpadUse>;

/// Free space of one scratchpad. Addresses and sizes are multiples of kAlignment.
class ScratchpadMap {
 public:
  static constexpr std::uint32_t kAlignment = 32;

  /// `foreseen`: for that policy, uses() of a map that measured when it was asked for the same in the same
  /// order. Measuring knows no full scratchpad.
  explicit ScratchpadMap(std::uint64_t capacity_bytes, PlacePolicy policy = PlacePolicy::packed,
                         ScratchpadUses foreseen = {});

  /// For what lives long: activations.
  std::optional<std::uint32_t> allocate_lowest(std::uint32_t bytes);
  /// For what comes ahead of its use and is used up soon: weight tiles, pieces from other PEs.
  std::optional<std::uint32_t> allocate_stream(std::uint32_t bytes);
  /// For what is made and used up here: partial sums. Their places change little, so that those free for long
  /// are left to streams.
  std::optional<std::uint32_t> allocate_sum(std::uint32_t bytes);
  void release(std::uint32_t address, std::uint32_t bytes);

  const ScratchpadUses& uses() const { return uses_; }
  std::uint64_t free_bytes() const { return free_bytes_; }
  std::uint64_t largest_free() const;
  static std::uint32_t aligned(std::uint32_t bytes) {
    return (bytes + kAlignment - 1) / kAlignment * kAlignment;
  }

 private:
  /// A free piece; neighbours that became free at different times stay apart.
  struct Hole {
    std::uint32_t begin, end;
    std::uint64_t since;  // number of releases before; 0: never used
  };
  using Holes = std::vector<Hole>;  // ascending; copied for every stream, so in one piece

  static std::optional<std::uint32_t> lowest(const Holes& holes, std::uint32_t bytes, std::uint32_t from);
  static std::optional<std::uint32_t> highest(const Holes& holes, std::uint32_t bytes);
  static std::optional<std::uint32_t> oldest(const Holes& holes, std::uint32_t bytes);
  std::optional<std::uint32_t> youngest(const Holes& holes, std::uint32_t bytes) const;
  /// The first hole that ends behind `address`.
  static Holes::const_iterator behind(const Holes& holes, std::uint32_t address);
  static void take(Holes& holes, std::uint32_t begin, std::uint32_t end);
  /// What the next allocation was when it was measured; null if it was another one.
  const ScratchpadUse* next_use(std::uint32_t bytes, bool long_lived) const;
  Holes open_to(const ScratchpadUse& stream) const;
  std::optional<std::uint32_t> place(std::optional<std::uint32_t> address, std::uint32_t bytes,
                                     bool long_lived);

  PlacePolicy policy_;
  ScratchpadUses foreseen_, uses_;
  std::map<std::uint32_t, std::size_t> alive_;  // by address: in uses_
  Holes holes_;
  std::uint64_t free_bytes_;
  std::uint64_t events_ = 0, releases_ = 0;
  std::uint32_t next_ = 0;  // where the last stream allocation ended
};

}  // namespace dfsim
