// planner/lower/scratchpad_map.h: gives micro-tensors their addresses in one PE's scratchpad, in program
// order.
#pragma once

#include <cstdint>
#include <map>
#include <optional>

namespace dfsim {

/// How a place is chosen.
enum class PlacePolicy : std::uint8_t {
  /// Long-lived data at the lowest address that fits, streams at the highest: shows how much room the former
  /// takes when nothing else is in its way.
  measure,
  /// Long-lived data below a boundary; above it streams, each at the place that has been free longest: what
  /// had it before ended long ago, so that transfers run far ahead of the computation.
  apart,
  /// Both share everything: long-lived data at the lowest address that fits, streams at the next free place
  /// after the last one, round and round.
  packed
};

/// Free space of one scratchpad. Addresses and sizes are multiples of kAlignment.
class ScratchpadMap {
 public:
  static constexpr std::uint32_t kAlignment = 32;

  /// `boundary`: for `apart`.
  explicit ScratchpadMap(std::uint64_t capacity_bytes, PlacePolicy policy = PlacePolicy::packed,
                         std::uint32_t boundary = 0);

  /// For what lives long: activations.
  std::optional<std::uint32_t> allocate_lowest(std::uint32_t bytes);
  /// For what is used up soon: weight tiles, partial sums, pieces from other PEs.
  std::optional<std::uint32_t> allocate_stream(std::uint32_t bytes);
  void release(std::uint32_t address, std::uint32_t bytes);

  /// End of the highest place that was ever given to long-lived data.
  std::uint32_t long_lived_end() const { return long_lived_end_; }
  std::uint64_t free_bytes() const { return free_bytes_; }
  std::uint64_t largest_free() const;
  static std::uint32_t aligned(std::uint32_t bytes) {
    return (bytes + kAlignment - 1) / kAlignment * kAlignment;
  }

 private:
  /// A free piece; neighbours that became free at different times stay apart.
  struct Hole {
    std::uint32_t end;
    std::uint64_t since;  // number of releases before; 0: never used
  };
  using Holes = std::map<std::uint32_t, Hole>;  // by begin

  std::optional<std::uint32_t> lowest(std::uint32_t bytes, std::uint32_t from) const;
  std::optional<std::uint32_t> highest(std::uint32_t bytes) const;
  std::optional<std::uint32_t> oldest(std::uint32_t bytes) const;
  std::uint32_t take(std::uint32_t at, std::uint32_t bytes);

  PlacePolicy policy_;
  std::uint32_t boundary_;
  std::uint32_t long_lived_end_ = 0;
  Holes holes_;
  std::uint64_t free_bytes_;
  std::uint64_t releases_ = 0;
  std::uint32_t next_ = 0;  // where the last stream allocation ended
};

}  // namespace dfsim
