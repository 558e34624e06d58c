// sim/base/rng.h: random numbers that depend on (seed, stream, counter) alone, never on the order of the
// calls.
#pragma once

#include <cstdint>

namespace dfsim {

/// Counter-based generator: the n-th number of a stream is a bijective mix of seed, stream and n (the
/// finaliser of SplitMix64; Steele, Lea, Flood: Fast splittable pseudorandom number generators, OOPSLA 2014).
/// Copies are independent.
class Rng {
 public:
  explicit Rng(std::uint64_t seed, std::uint64_t stream = 0) : key_(mix(mix(seed) ^ (stream * kGolden))) {}

  std::uint64_t next() { return mix(key_ + kGolden * ++counter_); }
  /// Uniform in [0, bound); bound > 0. Multiply-shift, bias below 2^-32 for bounds below 2^32.
  std::uint64_t below(std::uint64_t bound) {
    return static_cast<std::uint64_t>((static_cast<unsigned __int128>(next()) * bound) >> 64);
  }
  /// Uniform in [0, 1).
  double uniform() { return static_cast<double>(next() >> 11) * 0x1.0p-53; }

 private:
  static constexpr std::uint64_t kGolden = 0x9E3779B97F4A7C15ull;
  static constexpr std::uint64_t mix(std::uint64_t z) {
    z = (z ^ (z >> 30)) * 0xBF58476D1CE4E5B9ull;
    z = (z ^ (z >> 27)) * 0x94D049BB133111EBull;
    return z ^ (z >> 31);
  }
  std::uint64_t key_;
  std::uint64_t counter_ = 0;
};

}  // namespace dfsim
