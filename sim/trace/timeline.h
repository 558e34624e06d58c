// sim/trace/timeline.h: which recorded intervals are shown, on which track, and which belong together.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "sim/api/program.h"
#include "sim/trace/recorder.h"

namespace dfsim {

/// Of one PE, top to bottom.
enum class Track : std::uint8_t { matrix, vector, dma, tx, rx, stalls };
std::string to_string(Track track);

/// An interval and where it is drawn. Slices of one PE, track and lane never overlap.
struct Slice {
  TraceRecord record;
  const MicroOp* op = nullptr;  ///< none of a stall
  std::uint64_t flow = 0;       ///< of a send or receive: one number per transfer and instance
  std::uint32_t lane = 0;
  Track track = Track::matrix;
  bool paired = false;  ///< the other end of the transfer is shown too
  /// Events that the slice takes: itself, and its end of an arrow.
  std::uint64_t events() const { return paired ? 2 : 1; }
};

struct Timeline {
  std::vector<Slice> slices;       ///< by PE, track, lane, start
  std::uint64_t left_out = 0;      ///< events beyond the budget
  std::uint64_t cut_at_cycle = 0;  ///< where the first of them starts, if there are any
};

/// What meets `window`; beyond `budget` events the latest starts are left out. Throws std::invalid_argument
/// if the records cannot be those of `program`.
Timeline make_timeline(const Program& program, const std::vector<TraceRecord>& records, CycleWindow window,
                       std::uint64_t budget);

/// Gives each interval the lowest lane that is free when it starts. Intervals come in order of their starts;
/// one of no length occupies one cycle.
class LaneAllocator {
 public:
  std::uint32_t place(std::uint64_t start, std::uint64_t end);
  std::uint32_t lanes() const { return static_cast<std::uint32_t>(free_from_.size()); }

 private:
  std::vector<std::uint64_t> free_from_;  ///< by lane
};

}  // namespace dfsim
