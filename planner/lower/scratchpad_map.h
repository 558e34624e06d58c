// planner/lower/scratchpad_map.h: gives micro-tensors their addresses in one PE's scratchpad, in program
// order.
#pragma once

#include <cstdint>
#include <map>
#include <optional>

namespace dfsim {

/// Free space of one scratchpad. Addresses and sizes are multiples of kAlignment.
///
/// Two policies share the space. Long-lived data (activations) goes to the lowest address that fits. Streams
/// (weight tiles) take the next free place after the last one, round and round, so that an address is used
/// again as late as possible: the distance between two uses is what a transfer can run ahead of the
/// computation.
class ScratchpadMap {
 public:
  static constexpr std::uint32_t kAlignment = 32;

  explicit ScratchpadMap(std::uint64_t capacity_bytes);

  std::optional<std::uint32_t> allocate_lowest(std::uint32_t bytes);
  std::optional<std::uint32_t> allocate_stream(std::uint32_t bytes);
  void release(std::uint32_t address, std::uint32_t bytes);

  std::uint64_t free_bytes() const { return free_bytes_; }
  std::uint64_t largest_free() const;
  static std::uint32_t aligned(std::uint32_t bytes) {
    return (bytes + kAlignment - 1) / kAlignment * kAlignment;
  }

 private:
  using FreeList = std::map<std::uint32_t, std::uint32_t>;  // begin -> end
  std::uint32_t take(FreeList::iterator hole, std::uint32_t at, std::uint32_t bytes);

  FreeList free_;
  std::uint64_t free_bytes_;
  std::uint32_t next_ = 0;  // where the last stream allocation ended
};

}  // namespace dfsim
