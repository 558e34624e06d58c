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
  if (free_bytes_ > 0) holes_.push_back({0, static_cast<std::uint32_t>(free_bytes_), 0});
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

ScratchpadMap::Holes::const_iterator ScratchpadMap::behind(const Holes& holes, std::uint32_t address) {
  return std::partition_point(holes.begin(), holes.end(),
                              [address](const Hole& hole) { return hole.end <= address; });
}

/// The lowest address from `from` on with `bytes` free bytes.
std::optional<std::uint32_t> ScratchpadMap::lowest(const Holes& holes, std::uint32_t bytes,
                                                   std::uint32_t from) {
  std::uint32_t begin = 0, end = 0;  // of adjoining holes
  for (auto hole = behind(holes, from); hole != holes.end(); ++hole) {
    if (hole->begin != end || end == 0) begin = std::max(hole->begin, from);
    end = hole->end;
    if (end - begin >= bytes) return begin;
  }
  return std::nullopt;
}

std::optional<std::uint32_t> ScratchpadMap::highest(const Holes& holes, std::uint32_t bytes) {
  for (auto hole = holes.rbegin(); hole != holes.rend(); ++hole)
    if (hole->end - hole->begin >= bytes) return hole->end - bytes;
  return std::nullopt;
}

/// The window of `bytes` free bytes whose youngest part has been free longest; of equals the lowest. Only
/// windows that begin or end where a hole does can be best.
std::optional<std::uint32_t> ScratchpadMap::oldest(const Holes& holes, std::uint32_t bytes) {
  std::optional<std::uint32_t> best;
  std::uint64_t best_since = std::numeric_limits<std::uint64_t>::max();
  for (auto first = holes.begin(); first != holes.end(); ++first) {
    std::uint64_t since = 0;
    std::uint32_t end = first->begin;
    for (auto last = first; last != holes.end() && last->begin == end && since < best_since; ++last) {
      since = std::max(since, last->since);
      end = last->end;
      if (end - first->begin < bytes) continue;
      if (since < best_since) best = first->begin, best_since = since;
      break;
    }
    since = 0;
    std::uint32_t begin = first->end;
    for (auto last = std::make_reverse_iterator(std::next(first));
         last != holes.rend() && last->end == begin && since < best_since; ++last) {
      since = std::max(since, last->since);
      begin = last->begin;
      if (first->end - begin < bytes) continue;
      if (since < best_since) best = first->end - bytes, best_since = since;
      break;
    }
  }
  return best;
}

/// The hole that became free last, but not only just.
std::optional<std::uint32_t> ScratchpadMap::youngest(const Holes& holes, std::uint32_t bytes) const {
  std::optional<std::uint32_t> best;
  std::uint64_t best_since = 0;
  for (const Hole& hole : holes) {
    if (hole.end - hole.begin < bytes || hole.since <= best_since || hole.since + kJustReleased > releases_)
      continue;
    best = hole.begin;
    best_since = hole.since;
  }
  return best;
}

void ScratchpadMap::release(std::uint32_t address, std::uint32_t bytes) {
  const std::uint64_t event = events_++;
  bytes = aligned(bytes);
  if (bytes == 0) return;
  holes_.insert(behind(holes_, address), {address, address + bytes, ++releases_});
  if (const auto use = alive_.find(address); use != alive_.end()) {
    uses_[use->second].died = event;
    alive_.erase(use);
  }
  free_bytes_ += bytes;
}

std::uint64_t ScratchpadMap::largest_free() const {
  std::uint64_t largest = 0;
  std::uint32_t begin = 0, end = 0;
  for (const Hole& hole : holes_) {
    if (hole.begin != end) begin = hole.begin;
    end = hole.end;
    largest = std::max<std::uint64_t>(largest, end - begin);
  }
  return largest;
}

/// Takes [begin, end) out of the holes that meet it.
void ScratchpadMap::take(Holes& holes, std::uint32_t begin, std::uint32_t end) {
  const auto first = behind(holes, begin);
  auto last = first;
  Holes rest;
  for (; last != holes.end() && last->begin < end; ++last) {
    if (last->begin < begin) rest.push_back({last->begin, begin, last->since});
    if (last->end > end) rest.push_back({end, last->end, last->since});
  }
  const auto at = holes.erase(first, last);
  holes.insert(at, rest.begin(), rest.end());
}

}  // namespace dfsim
