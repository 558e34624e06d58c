#include "planner/lower/scratchpad_map.h"

#include <algorithm>

namespace dfsim {

namespace {

/// Who had a place so many releases ago may still be at work, in particular sending.
constexpr std::uint64_t kJustReleased = 24;
/// A scratchpad in which everything fits.
constexpr std::uint64_t kEndless = std::uint64_t{1} << 31;

}  // namespace

ScratchpadMap::ScratchpadMap(std::uint64_t capacity_bytes, PlacePolicy policy, ScratchpadUses foreseen)
    : policy_(policy),
      foreseen_(std::move(foreseen)),
      free_bytes_((policy == PlacePolicy::measure ? kEndless : capacity_bytes) / kAlignment * kAlignment) {
  if (free_bytes_ > 0) holes_.emplace(0, Hole{static_cast<std::uint32_t>(free_bytes_), 0});
}

std::optional<std::uint32_t> ScratchpadMap::allocate_lowest(std::uint32_t bytes) {
  bytes = aligned(bytes);
  if (policy_ != PlacePolicy::foreseen) return place(lowest(holes_, bytes, 0), bytes, true);
  const ScratchpadUse* use = next_use(bytes, true);
  const bool fits = use && lowest(holes_, bytes, use->address) == use->address;
  return place(fits ? std::optional(use->address) : std::nullopt, bytes, true);
}

std::optional<std::uint32_t> ScratchpadMap::allocate_stream(std::uint32_t bytes) {
  bytes = aligned(bytes);
  std::optional<std::uint32_t> address;
  switch (policy_) {
    case PlacePolicy::measure:
      address = highest(holes_, bytes);
      break;
    case PlacePolicy::foreseen:
      if (const ScratchpadUse* use = next_use(bytes, false)) address = oldest(open_to(*use), bytes);
      break;
    case PlacePolicy::packed:
      address = lowest(holes_, bytes, next_);
      if (!address) address = lowest(holes_, bytes, 0);
      if (address) next_ = *address + bytes;
  }
  return place(address, bytes, false);
}

std::optional<std::uint32_t> ScratchpadMap::allocate_sum(std::uint32_t bytes) {
  if (policy_ != PlacePolicy::foreseen) return allocate_stream(bytes);
  const ScratchpadUse* use = next_use(aligned(bytes), false);
  if (!use) return place(std::nullopt, aligned(bytes), false);
  const Holes open = open_to(*use);
  auto address = youngest(open, aligned(bytes));
  if (!address) address = oldest(open, aligned(bytes));
  return place(address, aligned(bytes), false);
}

const ScratchpadUse* ScratchpadMap::next_use(std::uint32_t bytes, bool long_lived) const {
  if (uses_.size() >= foreseen_.size()) return nullptr;
  const ScratchpadUse& use = foreseen_[uses_.size()];
  return use.bytes == bytes && use.long_lived == long_lived && use.born == events_ ? &use : nullptr;
}

/// Free places in which no long-lived data will come before `stream`, the next allocation, dies.
ScratchpadMap::Holes ScratchpadMap::open_to(const ScratchpadUse& stream) const {
  Holes open = holes_;
  for (std::size_t later = uses_.size() + 1; later < foreseen_.size(); ++later) {
    const ScratchpadUse& use = foreseen_[later];
    if (use.born >= stream.died) break;
    if (use.long_lived) take(open, use.address, use.address + use.bytes);
  }
  return open;
}

/// Books an allocation, also one that found no place.
std::optional<std::uint32_t> ScratchpadMap::place(std::optional<std::uint32_t> address, std::uint32_t bytes,
                                                  bool long_lived) {
  uses_.push_back({address.value_or(0), bytes, long_lived, events_++});
  if (!address) return std::nullopt;
  if (bytes > 0) {
    take(holes_, *address, *address + bytes);
    alive_[*address] = uses_.size() - 1;
    free_bytes_ -= bytes;
  }
  return address;
}

/// The lowest address from `from` on with `bytes` free bytes.
std::optional<std::uint32_t> ScratchpadMap::lowest(const Holes& holes, std::uint32_t bytes,
                                                   std::uint32_t from) {
  auto hole = holes.upper_bound(from);
  if (hole != holes.begin()) --hole;
  std::uint32_t begin = 0, end = 0;  // of adjoining holes
  for (; hole != holes.end(); ++hole) {
    if (hole->second.end <= from) continue;
    if (hole->first != end || end == 0) begin = std::max(hole->first, from);
    end = hole->second.end;
    if (end - begin >= bytes) return begin;
  }
  return std::nullopt;
}

std::optional<std::uint32_t> ScratchpadMap::highest(const Holes& holes, std::uint32_t bytes) {
  for (auto hole = holes.rbegin(); hole != holes.rend(); ++hole)
    if (hole->second.end - hole->first >= bytes) return hole->second.end - bytes;
  return std::nullopt;
}

/// The window of `bytes` free bytes whose youngest part has been free longest; of equals the lowest. Only
/// windows that begin or end where a hole does can be best.
std::optional<std::uint32_t> ScratchpadMap::oldest(const Holes& holes, std::uint32_t bytes) {
  std::optional<std::uint32_t> best;
  std::uint64_t best_since = std::numeric_limits<std::uint64_t>::max();
  for (auto first = holes.begin(); first != holes.end(); ++first) {
    std::uint64_t since = 0;
    std::uint32_t end = first->first;
    for (auto last = first; last != holes.end() && last->first == end && since < best_since; ++last) {
      since = std::max(since, last->second.since);
      end = last->second.end;
      if (end - first->first < bytes) continue;
      if (since < best_since) best = first->first, best_since = since;
      break;
    }
    since = 0;
    std::uint32_t begin = first->second.end;
    for (auto last = std::make_reverse_iterator(std::next(first));
         last != holes.rend() && last->second.end == begin && since < best_since; ++last) {
      since = std::max(since, last->second.since);
      begin = last->first;
      if (first->second.end - begin < bytes) continue;
      if (since < best_since) best = first->second.end - bytes, best_since = since;
      break;
    }
  }
  return best;
}

/// The hole that became free last, but not only just.
std::optional<std::uint32_t> ScratchpadMap::youngest(const Holes& holes, std::uint32_t bytes) const {
  std::optional<std::uint32_t> best;
  std::uint64_t best_since = 0;
  for (const auto& [begin, hole] : holes) {
    if (hole.end - begin < bytes || hole.since <= best_since || hole.since + kJustReleased > releases_)
      continue;
    best = begin;
    best_since = hole.since;
  }
  return best;
}

void ScratchpadMap::release(std::uint32_t address, std::uint32_t bytes) {
  const std::uint64_t event = events_++;
  bytes = aligned(bytes);
  if (bytes == 0) return;
  holes_.emplace(address, Hole{address + bytes, ++releases_});
  if (const auto use = alive_.find(address); use != alive_.end()) {
    uses_[use->second].died = event;
    alive_.erase(use);
  }
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

/// Takes [begin, end) out of the holes that meet it.
void ScratchpadMap::take(Holes& holes, std::uint32_t begin, std::uint32_t end) {
  auto hole = holes.upper_bound(begin);
  if (hole != holes.begin()) --hole;
  while (hole != holes.end() && hole->first < end) {
    if (hole->second.end <= begin) {
      ++hole;
      continue;
    }
    const std::uint32_t old_begin = hole->first;
    const Hole old = hole->second;
    hole = holes.erase(hole);
    if (old_begin < begin) holes.emplace(old_begin, Hole{begin, old.since});
    if (old.end > end) hole = holes.emplace(end, Hole{old.end, old.since}).first;
  }
}

}  // namespace dfsim
