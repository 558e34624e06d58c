#include "sim/trace/timeline.h"

#include <fmt/format.h>

#include <algorithm>
#include <stdexcept>
#include <tuple>
#include <utility>

namespace dfsim {
namespace {

Track track_of(MicroOpKind kind) {
  switch (kind) {
    case MicroOpKind::matmul:
      return Track::matrix;
    case MicroOpKind::vector:
      return Track::vector;
    case MicroOpKind::load:
      return Track::dma;
    case MicroOpKind::store:
      return Track::dma;
    case MicroOpKind::send:
      return Track::tx;
    case MicroOpKind::receive:
      return Track::rx;
  }
  return Track::stalls;
}

bool is_message(const Slice& slice) { return slice.track == Track::tx || slice.track == Track::rx; }

/// The lists of micro-ops by PE number.
class MicroOpIndex {
 public:
  explicit MicroOpIndex(const Program& program) : program_(program) {
    for (const PeProgram& pe : program.pes) {
      if (pe.pe.value() >= by_pe_.size()) by_pe_.resize(pe.pe.value() + std::size_t{1});
      by_pe_[pe.pe.value()] = &pe;
    }
  }
  Slice slice_of(const TraceRecord& record) const {
    Slice slice;
    slice.record = record;
    slice.track = Track::stalls;
    if (record.kind == TraceRecord::Kind::stall) return slice;
    const PeProgram* pe = record.pe < by_pe_.size() ? by_pe_[record.pe] : nullptr;
    if (!pe || record.op >= pe->ops.size())
      throw std::invalid_argument(
          fmt::format("trace: program '{}' has no micro-op {} on PE {}; the recording is that of another one",
                      program_.name, record.op, record.pe));
    slice.op = &pe->ops[record.op];
    slice.track = track_of(slice.op->kind);
    slice.flow = std::uint64_t{slice.op->transfer.value()} * std::max(program_.periods, 1u) + record.instance;
    return slice;
  }

 private:
  const Program& program_;
  std::vector<const PeProgram*> by_pe_;
};

bool starts_before(const Slice& a, const Slice& b) {
  const auto key = [](const Slice& s) {
    return std::tie(s.record.start, s.record.pe, s.track, s.record.end, s.record.instance, s.record.op);
  };
  return key(a) < key(b);
}

bool drawn_before(const Slice& a, const Slice& b) {
  const auto key = [](const Slice& s) {
    return std::tie(s.record.pe, s.track, s.lane, s.record.start, s.record.end);
  };
  return key(a) < key(b);
}

/// Sets `paired` where both the send and the receive of a flow are among the slices.
void pair_messages(std::vector<Slice>& slices) {
  std::vector<std::tuple<std::uint64_t, Track, Slice*>> ends;
  for (Slice& slice : slices) {
    slice.paired = false;
    if (is_message(slice)) ends.emplace_back(slice.flow, slice.track, &slice);
  }
  std::sort(ends.begin(), ends.end(), [](const auto& a, const auto& b) {
    return std::tie(std::get<0>(a), std::get<1>(a)) < std::tie(std::get<0>(b), std::get<1>(b));
  });
  for (std::size_t i = 0; i + 1 < ends.size(); ++i) {
    const auto& [flow, track, slice] = ends[i];
    const auto& [next_flow, next_track, next_slice] = ends[i + 1];
    if (flow == next_flow && track != next_track) slice->paired = next_slice->paired = true;
  }
}

std::uint64_t events(const std::vector<Slice>& slices) {
  std::uint64_t count = 0;
  for (const Slice& slice : slices) count += slice.events();
  return count;
}

/// Keeps the first slices that fit into `budget`; an arrow goes with the first of its ends that goes.
void cut(Timeline& timeline, std::uint64_t budget) {
  std::vector<Slice>& slices = timeline.slices;
  const std::uint64_t wanted = events(slices);
  if (wanted <= budget) return;
  std::size_t kept = 0;
  for (std::uint64_t used = 0; used + slices[kept].events() <= budget; ++kept) used += slices[kept].events();
  timeline.cut_at_cycle = slices[kept].record.start;
  slices.resize(kept);
  pair_messages(slices);
  timeline.left_out = wanted - events(slices);
}

/// `slices` in order of their starts.
void place_in_lanes(std::vector<Slice>& slices) {
  std::stable_sort(slices.begin(), slices.end(), [](const Slice& a, const Slice& b) {
    return std::tie(a.record.pe, a.track) < std::tie(b.record.pe, b.track);
  });
  for (std::size_t i = 0; i < slices.size();) {
    LaneAllocator lanes;
    const auto track = std::pair(slices[i].record.pe, slices[i].track);
    for (; i < slices.size() && std::pair(slices[i].record.pe, slices[i].track) == track; ++i)
      slices[i].lane = lanes.place(slices[i].record.start, slices[i].record.end);
  }
  std::stable_sort(slices.begin(), slices.end(), drawn_before);
}

}  // namespace

std::string to_string(Track track) {
  switch (track) {
    case Track::matrix:
      return "matrix";
    case Track::vector:
      return "vector";
    case Track::dma:
      return "dma";
    case Track::tx:
      return "tx";
    case Track::rx:
      return "rx";
    case Track::stalls:
      return "stalls";
  }
  return "?";
}

std::uint32_t LaneAllocator::place(std::uint64_t start, std::uint64_t end) {
  std::size_t lane = 0;
  while (lane < free_from_.size() && free_from_[lane] > start) ++lane;
  if (lane == free_from_.size()) free_from_.push_back(0);
  free_from_[lane] = std::max(end, start + 1);
  return static_cast<std::uint32_t>(lane);
}

Timeline make_timeline(const Program& program, const std::vector<TraceRecord>& records, CycleWindow window,
                       std::uint64_t budget) {
  const MicroOpIndex index(program);
  Timeline timeline;
  for (const TraceRecord& record : records)
    if (window.meets(record.start, record.end)) timeline.slices.push_back(index.slice_of(record));
  std::stable_sort(timeline.slices.begin(), timeline.slices.end(), starts_before);
  pair_messages(timeline.slices);
  cut(timeline, budget);
  place_in_lanes(timeline.slices);
  return timeline;
}

}  // namespace dfsim
