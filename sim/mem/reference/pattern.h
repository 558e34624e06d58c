// sim/mem/reference/pattern.h: the request streams of `dfsim dram`.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

namespace dfsim {

struct PatternSpace {
  std::uint64_t bursts = 0;  ///< of the whole memory
  std::uint32_t burst_bytes = 64;
  std::uint64_t page_bytes = 8192;   ///< of all devices of a channel
  std::uint64_t same_bank_step = 0;  ///< bytes from a row to the next row of the same bank
};

/// The i-th request of a pattern.
struct PatternRequest {
  std::uint64_t burst = 0;
  bool write = false;
};

/// Called with i = 0, 1, 2 ...; deterministic (xorshift64 with shifts 13, 7, 17 from seed 88172645463325252).
class Pattern {
 public:
  virtual ~Pattern() = default;
  virtual PatternRequest next(std::uint64_t i) = 0;
};

std::vector<std::string> pattern_names();  ///< without the idle ones
/// Throws SimulationError for an unknown name.
std::unique_ptr<Pattern> make_pattern(const std::string& name, const PatternSpace& space);

}  // namespace dfsim
