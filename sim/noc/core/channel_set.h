// sim/noc/core/channel_set.h: sets of the virtual channels of one router, one bit each, number = port * V +
// vc.
#pragma once

#include <array>
#include <bit>
#include <cstddef>
#include <cstdint>

namespace dfsim {

/// Up to 64 * `W` channels. With W = 1 every operation is one on a machine word.
template <unsigned W>
class ChannelSet {
 public:
  constexpr ChannelSet() = default;
  /// `bits` in the low places from `first` on.
  static ChannelSet from_bits(std::uint32_t bits, std::uint32_t first) {
    ChannelSet result;
    const std::uint32_t word = first / 64, shift = first % 64;
    result.words_[index(word)] = std::uint64_t{bits} << shift;
    if constexpr (W > 1) {
      if (shift > 32 && word + 1 < W) result.words_[word + 1] = std::uint64_t{bits} >> (64 - shift);
    }
    return result;
  }
  static ChannelSet single(std::uint32_t channel) {
    ChannelSet result;
    result.insert(channel);
    return result;
  }

  bool contains(std::uint32_t channel) const { return words_[index(channel / 64)] >> (channel % 64) & 1; }
  void insert(std::uint32_t channel) { words_[index(channel / 64)] |= std::uint64_t{1} << (channel % 64); }
  void erase(std::uint32_t channel) { words_[index(channel / 64)] &= ~(std::uint64_t{1} << (channel % 64)); }
  void assign(std::uint32_t channel, bool value) { value ? insert(channel) : erase(channel); }
  /// The channels from `first` on, as far as `mask` has bits for them, as low bits.
  std::uint32_t bits(std::uint32_t first, std::uint32_t mask) const {
    const std::uint32_t word = first / 64, shift = first % 64;
    std::uint64_t result = words_[index(word)] >> shift;
    if constexpr (W > 1) {
      if (shift > 32 && word + 1 < W) result |= words_[word + 1] << (64 - shift);
    }
    return static_cast<std::uint32_t>(result) & mask;
  }

  bool any() const {
    std::uint64_t all = 0;
    for (const std::uint64_t word : words_) all |= word;
    return all != 0;
  }
  bool empty() const { return !any(); }
  /// More than one channel.
  bool several() const {
    if constexpr (W == 1) return (words_[0] & (words_[0] - 1)) != 0;
    std::uint64_t seen = 0;
    for (const std::uint64_t word : words_) {
      if (word & (word - 1)) return true;
      if (word && seen) return true;
      seen |= word;
    }
    return false;
  }
  bool single() const { return any() && !several(); }
  /// Of a set that is not empty.
  std::uint32_t first() const { return *begin(); }
  /// Mostly asked about few channels.
  std::uint32_t count() const {
    std::uint32_t result = 0;
    for (std::uint64_t word : words_)
      for (; word; word &= word - 1) ++result;
    return result;
  }
  /// The first channel at or after `from`, cyclically; `from` is at most the largest channel + 1. The set is
  /// not empty.
  std::uint32_t next_from(std::uint32_t from) const {
    if constexpr (W == 1) {
      // Beyond the last channel of a full word comes the first again.
      const std::uint64_t high = words_[0] & (~std::uint64_t{0} << (from % 64));
      return static_cast<std::uint32_t>(std::countr_zero(high ? high : words_[0]));
    }
    for (std::uint32_t word = from / 64; word < W; ++word) {
      const std::uint64_t high =
          word == from / 64 ? words_[word] & (~std::uint64_t{0} << (from % 64)) : words_[word];
      if (high) return word * 64 + static_cast<std::uint32_t>(std::countr_zero(high));
    }
    return first();
  }
  /// Visits the channels in ascending order; the set may change meanwhile if W is 1.
  class Iterator {
   public:
    explicit Iterator(const ChannelSet& set) : set_(set), rest_(set.words_[0]) { skip(); }
    std::uint32_t operator*() const {
      return word_ * 64 + static_cast<std::uint32_t>(std::countr_zero(rest_));
    }
    Iterator& operator++() {
      rest_ &= rest_ - 1;
      skip();
      return *this;
    }
    bool operator!=(std::nullptr_t) const { return rest_ != 0; }

   private:
    void skip() {
      if constexpr (W > 1)
        while (rest_ == 0 && word_ + 1 < W) rest_ = set_.words_[++word_];
    }
    const ChannelSet& set_;
    std::uint64_t rest_;
    std::uint32_t word_ = 0;
  };
  Iterator begin() const { return Iterator(*this); }
  std::nullptr_t end() const { return nullptr; }

  ChannelSet& operator|=(const ChannelSet& other) {
    for (unsigned i = 0; i < W; ++i) words_[i] |= other.words_[i];
    return *this;
  }
  ChannelSet& operator&=(const ChannelSet& other) {
    for (unsigned i = 0; i < W; ++i) words_[i] &= other.words_[i];
    return *this;
  }
  ChannelSet operator~() const {
    ChannelSet result;
    for (unsigned i = 0; i < W; ++i) result.words_[i] = ~words_[i];
    return result;
  }
  friend ChannelSet operator|(ChannelSet a, const ChannelSet& b) { return a |= b; }
  friend ChannelSet operator&(ChannelSet a, const ChannelSet& b) { return a &= b; }
  bool operator==(const ChannelSet&) const = default;

 private:
  static constexpr std::uint32_t index(std::uint32_t word) { return W == 1 ? 0 : word; }
  std::array<std::uint64_t, W> words_{};
};

}  // namespace dfsim
