#include "sim/mem/core/channel_group.h"

#include <fmt/format.h>
#include <algorithm>

#include "sim/base/errors.h"
#include "sim/base/ring_queue.h"
#include "sim/base/slot_list.h"

namespace dfsim {
namespace {

/// Where the bytes of a port lie.
struct Interleave {
  std::uint64_t granule;
  std::uint32_t channels;

  /// Bytes of channel `c` among the port's bytes [0, address): also where the next of them lies in it.
  std::uint64_t bytes_below(std::uint64_t address, std::uint32_t c) const {
    const std::uint64_t round = granule * channels, whole = address / round, rest = address % round;
    const std::uint64_t begin = std::uint64_t{c} * granule;
    return whole * granule + (rest <= begin ? 0 : std::min(rest - begin, granule));
  }
};

class ChannelGroup : public MemoryController {
 public:
  ChannelGroup(const MemoryControllerSpec& spec, std::uint64_t noc_clock_period_ps)
      : spec_(spec), map_{spec.channel_interleave_bytes, spec.channels} {
    MemoryControllerSpec one = spec;
    one.channels = 1;
    // A channel reports as soon as its share of a piece is there.
    const std::uint32_t burst = spec.device.burst_bytes;
    one.answer_packet_bytes = std::max(spec.answer_packet_bytes / spec.channels / burst * burst, burst);
    for (std::uint32_t c = 0; c < spec.channels; ++c)
      channels_.push_back(make_memory_controller(one, noc_clock_period_ps));
  }

  void enqueue(const MemoryRequest& request, std::uint64_t now) override {
    if (request.bytes == 0) throw SimulationError("memory request of 0 bytes");
    if (!spec_.device.ideal && request.address + request.bytes > spec_.capacity().count())
      throw SimulationError(fmt::format("memory request for bytes {} to {} exceeds the capacity of {} bytes",
                                        request.address, request.address + request.bytes,
                                        spec_.capacity().count()));
    collect(now);
    const std::uint32_t number = add(request);
    for (std::uint32_t c = 0; c < map_.channels; ++c) {
      const std::uint64_t begin = map_.bytes_below(request.address, c);
      const std::uint64_t bytes = map_.bytes_below(request.address + request.bytes, c) - begin;
      under_way_[number].reached[c] = begin;
      if (bytes != 0)
        channels_[c]->enqueue(
            {begin, static_cast<std::uint32_t>(bytes), request.write, request.requester, number}, now);
    }
  }

  std::uint64_t next_event() const override {
    if (!finished_.empty()) return finished_.front().cycle;
    std::uint64_t next = kNever;
    for (const auto& channel : channels_) next = std::min(next, channel->next_event());
    return next;
  }

  void advance_to(std::uint64_t cycle, std::vector<MemoryPiece>& completed) override {
    collect(cycle);
    for (; !finished_.empty() && finished_.front().cycle <= cycle; finished_.pop()) {
      const MemoryPiece& piece = finished_.front();
      (piece.write ? bytes_written_ : bytes_read_) += piece.bytes;
      completed.push_back(piece);
    }
  }

  void settle(std::uint64_t cycle) override { collect(cycle); }

  MemoryCounters counters() const override {
    MemoryCounters sum;
    for (const auto& channel : channels_) {
      const MemoryCounters one = channel->counters();
      sum.read_bursts += one.read_bursts;
      sum.write_bursts += one.write_bursts;
      sum.activates += one.activates;
      sum.precharges += one.precharges;
      sum.refreshes += one.refreshes;
      sum.bank_refreshes += one.bank_refreshes;
      sum.row_hits += one.row_hits;
      sum.row_misses += one.row_misses;
      sum.busy_clocks = std::max(sum.busy_clocks, one.busy_clocks);
    }
    sum.bytes_read = bytes_read_;
    sum.bytes_written = bytes_written_;
    return sum;
  }

  void reset() override {
    for (auto& channel : channels_) channel->reset();
    under_way_.clear();
    finished_.clear();
    bytes_read_ = bytes_written_ = 0;
  }

 private:
  /// A request, and how far each channel is with its part.
  struct UnderWay {
    std::uint32_t tag = 0;
    bool write = false;
    std::uint64_t next = 0, end = 0;     ///< bytes of the port that are not yet in a piece
    std::vector<std::uint64_t> reached;  ///< by channel: its bytes below this are there
  };

  std::uint32_t add(const MemoryRequest& request) {
    const std::uint32_t number = under_way_.take();
    UnderWay& u = under_way_[number];
    u.reached.resize(map_.channels);
    u.tag = request.tag;
    u.write = request.write;
    u.next = request.address;
    u.end = request.address + request.bytes;
    return number;
  }

  /// Takes what the channels complete up to `cycle`, in order of cycle; equal cycles in order of channel.
  void collect(std::uint64_t cycle) {
    arrived_.clear();
    for (std::uint32_t c = 0; c < map_.channels; ++c) {
      pieces_.clear();
      channels_[c]->advance_to(cycle, pieces_);
      for (const MemoryPiece& piece : pieces_) arrived_.push_back({piece, c});
    }
    std::stable_sort(arrived_.begin(), arrived_.end(),
                     [](const Arrived& a, const Arrived& b) { return a.piece.cycle < b.piece.cycle; });
    for (const Arrived& a : arrived_) {
      UnderWay& u = under_way_[a.piece.tag];
      u.reached[a.channel] = a.piece.address + a.piece.bytes;
      finish_pieces(a.piece.tag, u, a.piece.cycle);
    }
  }

  void finish_pieces(std::uint32_t number, UnderWay& u, std::uint64_t cycle) {
    while (u.next < u.end) {
      const std::uint64_t into_burst = u.next % spec_.device.burst_bytes;
      const std::uint64_t most = spec_.answer_packet_bytes > into_burst
                                     ? spec_.answer_packet_bytes - into_burst
                                     : spec_.answer_packet_bytes;
      const std::uint64_t end = std::min(u.end, u.next + most);
      for (std::uint32_t c = 0; c < map_.channels; ++c)
        if (u.reached[c] < map_.bytes_below(end, c)) return;
      finished_.push({u.tag, static_cast<std::uint32_t>(end - u.next), u.next, u.write, end == u.end, cycle});
      u.next = end;
    }
    under_way_.give_back(number);
  }

  struct Arrived {
    MemoryPiece piece;
    std::uint32_t channel;
  };
  MemoryControllerSpec spec_;
  Interleave map_;
  std::vector<std::unique_ptr<MemoryController>> channels_;
  SlotList<UnderWay> under_way_;  ///< by the tag that the channels see
  RingQueue<MemoryPiece> finished_;
  std::vector<Arrived> arrived_;     ///< reused by collect()
  std::vector<MemoryPiece> pieces_;  ///< likewise
  std::uint64_t bytes_read_ = 0, bytes_written_ = 0;
};

}  // namespace

std::unique_ptr<MemoryController> make_channel_group(const MemoryControllerSpec& spec,
                                                     std::uint64_t noc_clock_period_ps) {
  return std::make_unique<ChannelGroup>(spec, noc_clock_period_ps);
}

}  // namespace dfsim
