#include "sim/pe/scratchpad.h"

#include <algorithm>

namespace dfsim {

namespace {

/// `left` is bytes per cycle times 65536.
std::uint64_t rate_within(std::uint64_t left, std::uint64_t bytes, std::uint64_t cycles) {
  if (bytes == 0) return kFullRate;
  const auto rate = static_cast<unsigned __int128>(left) * cycles / bytes;
  return rate >= kFullRate ? kFullRate : static_cast<std::uint64_t>(rate);
}

/// What work at `rate` takes, in bytes per cycle times 65536, rounded up.
std::uint64_t taken(std::uint64_t rate, std::uint64_t bytes, std::uint64_t cycles) {
  return static_cast<std::uint64_t>((static_cast<unsigned __int128>(rate) * bytes + cycles - 1) / cycles);
}

}  // namespace

Rates share_bandwidth(const ScratchpadSpec& spec, const Demand& matrix, const Demand& vector) {
  const std::uint64_t banks = std::max(1u, spec.banks - std::min(spec.banks, 1u));
  const std::uint64_t all = banks * spec.bank_width_bytes * kFullRate;
  std::uint64_t reads = all, writes = all;
  Rates rates;
  if (matrix.active()) {
    rates.matrix = std::min(rate_within(reads, matrix.read_bytes, matrix.cycles),
                            rate_within(writes, matrix.write_bytes, matrix.cycles));
    reads -= std::min(reads, taken(rates.matrix, matrix.read_bytes, matrix.cycles));
    writes -= std::min(writes, taken(rates.matrix, matrix.write_bytes, matrix.cycles));
  }
  if (vector.active())
    rates.vector = std::min(rate_within(reads, vector.read_bytes, vector.cycles),
                            rate_within(writes, vector.write_bytes, vector.cycles));
  return rates;
}

Scratchpad::Scratchpad(sc_core::sc_module_name name, const ScratchpadSpec& spec)
    : sc_module(name), spec_(spec) {}

}  // namespace dfsim
