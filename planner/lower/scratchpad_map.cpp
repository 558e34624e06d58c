#include "planner/lower/scratchpad_map.h"

#include <algorithm>
#include <limits>

namespace dfsim {

ScratchpadMap::ScratchpadMap(std::uint64_t capacity_bytes, PlacePolicy policy, std::uint32_t boundary)
    : policy_(policy), boundary_(boundary), free_bytes_(capacity_bytes / kAlignment * kAlignment) {
  const auto end = static_cast<std::uint32_t>(free_bytes_);
  boundary_ = std::min(boundary_, end);
  if (boundary_ > 0) holes_.emplace(0, Hole{boundary_, 0});
  if (end > boundary_) holes_.emplace(boundary_, Hole{end, 0});
}

std::optional<std::uint32_t> ScratchpadMap::allocate_lowest(std::uint32_t bytes) {
  bytes = aligned(bytes);
  const auto address = lowest(bytes, 0);
  if (!address || (policy_ == PlacePolicy::apart && *address + bytes > boundary_)) return std::nullopt;
  long_lived_end_ = std::max(long_lived_end_, *address + bytes);
  return take(*address, bytes);
}

std::optional<std::uint32_t> ScratchpadMap::allocate_stream(std::uint32_t bytes) {
  bytes = aligned(bytes);
  std::optional<std::uint32_t> address;
  switch (policy_) {
    case PlacePolicy::measure:
      address = highest(bytes);
      break;
    case PlacePolicy::apart:
      address = oldest(bytes);
      break;
    case PlacePolicy::packed:
      address = lowest(bytes, next_);
      if (!address) address = lowest(bytes, 0);
  }
  if (!address) return std::nullopt;
  next_ = *address + bytes;
  return take(*address, bytes);
}

/// The lowest address from `from` on with `bytes` free bytes.
std::optional<std::uint32_t> ScratchpadMap::lowest(std::uint32_t bytes, std::uint32_t from) const {
  auto hole = holes_.upper_bound(from);
  if (hole != holes_.begin()) --hole;
  std::uint32_t begin = 0, end = 0;  // of adjoining holes
  for (; hole != holes_.end(); ++hole) {
    if (hole->second.end <= from) continue;
    if (hole->first != end || end == 0) begin = std::max(hole->first, from);
    end = hole->second.end;
    if (end - begin >= bytes) return begin;
  }
  return std::nullopt;
}

std::optional<std::uint32_t> ScratchpadMap::highest(std::uint32_t bytes) const {
  for (auto hole = holes_.rbegin(); hole != holes_.rend(); ++hole)
    if (hole->second.end - hole->first >= bytes) return hole->second.end - bytes;
  return std::nullopt;
}

/// The window above the boundary of `bytes` free bytes whose youngest part has been free longest; of equals
/// the lowest. Only windows that begin or end where a hole does can be best.
std::optional<std::uint32_t> ScratchpadMap::oldest(std::uint32_t bytes) const {
  std::optional<std::uint32_t> best;
  std::uint64_t best_since = std::numeric_limits<std::uint64_t>::max();
  for (auto first = holes_.lower_bound(boundary_); first != holes_.end(); ++first) {
    std::uint64_t since = 0;
    std::uint32_t end = first->first;
    for (auto last = first; last != holes_.end() && last->first == end && since < best_since; ++last) {
      since = std::max(since, last->second.since);
      end = last->second.end;
      if (end - first->first < bytes) continue;
      if (since < best_since) best = first->first, best_since = since;
      break;
    }
    since = 0;
    std::uint32_t begin = first->second.end;
    for (auto last = std::make_reverse_iterator(std::next(first));
         last != holes_.rend() && last->first >= boundary_ && last->second.end == begin && since < best_since;
         ++last) {
      since = std::max(since, last->second.since);
      begin = last->first;
      if (first->second.end - begin < bytes) continue;
      if (since < best_since) best = first->second.end - bytes, best_since = since;
      break;
    }
  }
  return best;
}

void ScratchpadMap::release(std::uint32_t address, std::uint32_t bytes) {
  bytes = aligned(bytes);
  if (bytes == 0) return;
  holes_.emplace(address, Hole{address + bytes, ++releases_});
  free_bytes_ += bytes;
}

std::uint64_t ScratchpadMap::largest_free() const {
  std::uint64_t largest = 0;
  std::uint32_t begin = 0, end = 0;
  for (const auto& [at, hole] : holes_) {
    if (at != end) begin = at;
    end = hole.end;
    largest = std::max<std::uint64_t>(largest, end - begin);
  }
  return largest;
}

/// Takes [at, at + bytes) out of the holes that cover it.
std::uint32_t ScratchpadMap::take(std::uint32_t at, std::uint32_t bytes) {
  const std::uint32_t end = at + bytes;
  auto hole = std::prev(holes_.upper_bound(at));
  while (hole != holes_.end() && hole->first < end) {
    const std::uint32_t begin = hole->first;
    const Hole old = hole->second;
    hole = holes_.erase(hole);
    if (begin < at) holes_.emplace(begin, Hole{at, old.since});
    if (old.end > end) hole = holes_.emplace(end, Hole{old.end, old.since}).first;
  }
  free_bytes_ -= bytes;
  return at;
}

}  // namespace dfsim
