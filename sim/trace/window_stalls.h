// sim/trace/window_stalls.h: what PEs did in a part of a run.
#pragma once

#include <algorithm>
#include <array>
#include <cstdint>
#include <vector>

#include "sim/api/observer.h"

namespace dfsim {

/// Stalls of every PE by cause within the cycles [from, until); the other cycles of the window are busy ones.
class WindowStalls : public Observer {
 public:
  using Stalls = std::array<std::uint64_t, kStallCauses>;

  WindowStalls(std::size_t pes, std::uint64_t from, std::uint64_t until)
      : from_(from), until_(until), stalls_(pes) {}
  void micro_op(PeId, std::uint32_t, std::uint32_t, std::uint64_t, std::uint64_t) override {}
  void transfer(TransferId, std::uint32_t, std::uint64_t, std::uint64_t) override {}
  void stall(PeId pe, StallCause cause, std::uint64_t start, std::uint64_t end) override {
    const std::uint64_t first = std::max(start, from_), last = std::min(end, until_);
    if (first < last) stalls_[pe.value()][static_cast<std::size_t>(cause)] += last - first;
  }

  const std::vector<Stalls>& stalls() const { return stalls_; }  ///< by PeId
  std::uint64_t from() const { return from_; }
  std::uint64_t until() const { return until_; }

 private:
  std::uint64_t from_, until_;
  std::vector<Stalls> stalls_;
};

}  // namespace dfsim
