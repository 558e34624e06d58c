#include "sim/base/coverage.h"

#include <algorithm>
#include <iterator>

namespace dfsim {

void Coverage::add(std::uint64_t begin, std::uint64_t end) {
  if (begin >= end) return;
  if (begin >= open_.begin && begin <= open_.end && open_.begin < open_.end) {
    open_.end = std::max(open_.end, end);
    return;
  }
  flush();
  open_ = {begin, end};
}

void Coverage::flush() const {
  if (open_.begin == open_.end) return;
  auto [begin, end] = open_;
  open_ = {};
  auto it = ranges_.upper_bound(begin);
  if (it != ranges_.begin() && std::prev(it)->second >= begin) --it;
  while (it != ranges_.end() && it->first <= end) {
    begin = std::min(begin, it->first);
    end = std::max(end, it->second);
    it = ranges_.erase(it);
  }
  ranges_.emplace_hint(it, begin, end);
}

std::vector<AddressRange> Coverage::ranges() const {
  flush();
  std::vector<AddressRange> result;
  for (const auto& [begin, end] : ranges_) result.push_back({begin, end});
  return result;
}

std::uint64_t Coverage::bytes() const {
  flush();
  std::uint64_t sum = 0;
  for (const auto& [begin, end] : ranges_) sum += end - begin;
  return sum;
}

void Coverage::clear() {
  open_ = {};
  ranges_.clear();
}

}  // namespace dfsim
