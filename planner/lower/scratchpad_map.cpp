#include "planner/lower/scratchpad_map.h"

#include <algorithm>

namespace dfsim {

ScratchpadMap::ScratchpadMap(std::uint64_t capacity_bytes)
    : free_bytes_(capacity_bytes / kAlignment * kAlignment) {
  if (free_bytes_ > 0) free_.emplace(0, static_cast<std::uint32_t>(free_bytes_));
}

std::optional<std::uint32_t> ScratchpadMap::allocate_lowest(std::uint32_t bytes) {
  bytes = aligned(bytes);
  for (auto hole = free_.begin(); hole != free_.end(); ++hole)
    if (hole->second - hole->first >= bytes) return take(hole, hole->first, bytes);
  return std::nullopt;
}

std::optional<std::uint32_t> ScratchpadMap::allocate_stream(std::uint32_t bytes) {
  bytes = aligned(bytes);
  auto hole = free_.upper_bound(next_);
  if (hole != free_.begin()) {
    // The hole in which the last stream ended, if there is one, is used from that point on.
    const auto before = std::prev(hole);
    const std::uint32_t from = std::max(before->first, next_);
    if (before->second > from && before->second - from >= bytes)
      return next_ = take(before, from, bytes) + bytes, next_ - bytes;
  }
  for (; hole != free_.end(); ++hole)
    if (hole->second - hole->first >= bytes)
      return next_ = take(hole, hole->first, bytes) + bytes, next_ - bytes;
  const std::optional<std::uint32_t> address = allocate_lowest(bytes);
  if (address) next_ = *address + bytes;
  return address;
}

void ScratchpadMap::release(std::uint32_t address, std::uint32_t bytes) {
  bytes = aligned(bytes);
  std::uint32_t end = address + bytes;
  auto after = free_.lower_bound(address);
  if (after != free_.end() && after->first == end) {
    end = after->second;
    after = free_.erase(after);
  }
  if (after != free_.begin()) {
    const auto before = std::prev(after);
    if (before->second == address) {
      before->second = end;
      free_bytes_ += bytes;
      return;
    }
  }
  free_.emplace(address, end);
  free_bytes_ += bytes;
}

std::uint64_t ScratchpadMap::largest_free() const {
  std::uint64_t largest = 0;
  for (const auto& [begin, end] : free_) largest = std::max<std::uint64_t>(largest, end - begin);
  return largest;
}

std::uint32_t ScratchpadMap::take(FreeList::iterator hole, std::uint32_t at, std::uint32_t bytes) {
  const auto [begin, end] = *hole;
  free_.erase(hole);
  if (begin < at) free_.emplace(begin, at);
  if (at + bytes < end) free_.emplace(at + bytes, end);
  free_bytes_ -= bytes;
  return at;
}

}  // namespace dfsim
