// sim/base/slot_list.h: numbered places for things under way, used again so that steady traffic allocates
// nothing.
#pragma once

#include <cstdint>
#include <vector>

namespace dfsim {

template <class T>
class SlotList {
 public:
  /// The number of a free place; what its last user left there stays.
  std::uint32_t take() {
    if (free_.empty()) {
      items_.emplace_back();
      return static_cast<std::uint32_t>(items_.size() - 1);
    }
    const std::uint32_t number = free_.back();
    free_.pop_back();
    return number;
  }
  std::uint32_t add(const T& item) {
    const std::uint32_t number = take();
    items_[number] = item;
    return number;
  }
  void give_back(std::uint32_t number) { free_.push_back(number); }
  T& operator[](std::uint32_t number) { return items_[number]; }
  const T& operator[](std::uint32_t number) const { return items_[number]; }
  void clear() {
    items_.clear();
    free_.clear();
  }

 private:
  std::vector<T> items_;
  std::vector<std::uint32_t> free_;
};

}  // namespace dfsim
