// A memory of one rate and one latency, for comparison with tools that assume one.
#include <algorithm>
#include <cmath>

#include "sim/base/errors.h"
#include "sim/mem/core/controller.h"
#include "sim/mem/core/request_feed.h"

namespace dfsim {
namespace {

/// Pieces pass one after another at `ideal_bytes_per_cycle` (of the NoC clock), requesters in turn; each is
/// complete `ideal_latency_cycles` after its last byte. A piece of b bytes begun at s completes at ceil(s + b
/// / rate) + latency.
class IdealController : public MemoryController {
 public:
  IdealController(const MemoryControllerSpec& spec, std::uint64_t)
      : rate_(spec.device.ideal_bytes_per_cycle),
        latency_(spec.device.ideal_latency_cycles),
        feed_(spec.answer_packet_bytes, 1) {}

  void enqueue(const MemoryRequest& request, std::uint64_t now) override {
    if (request.bytes == 0) throw SimulationError("memory request of 0 bytes");
    start_until(now);
    if (feed_.empty()) free_ = std::max(free_, static_cast<double>(now));
    // The feed keeps reads and writes of one requester in one queue, so the tag carries the direction.
    writes_.resize(std::max<std::size_t>(writes_.size(), std::size_t{request.tag} + 1));
    writes_[request.tag] = request.write;
    feed_.push(request);
  }

  std::uint64_t next_event() const override {
    if (!passing_.empty()) return passing_.front().cycle;
    return feed_.empty() ? kNever : done(free_ + feed_.next_piece_bytes() / rate_);
  }

  void advance_to(std::uint64_t cycle, std::vector<MemoryPiece>& completed) override {
    start_until(cycle);
    while (!passing_.empty() && passing_.front().cycle <= cycle) {
      const MemoryPiece& piece = passing_.front();
      (piece.write ? counters_.bytes_written : counters_.bytes_read) += piece.bytes;
      completed.push_back(piece);
      passing_.pop();
    }
  }

  void settle(std::uint64_t cycle) override { start_until(cycle); }

  MemoryCounters counters() const override { return counters_; }

  void reset() override {
    feed_.clear();
    passing_.clear();
    free_ = busy_ = 0;
    counters_ = {};
  }

 private:
  std::uint64_t done(double end) const { return static_cast<std::uint64_t>(std::ceil(end)) + latency_; }

  // Takes the pieces whose first byte passes up to `cycle`.
  void start_until(std::uint64_t cycle) {
    while (!feed_.empty() && free_ <= static_cast<double>(cycle)) {
      const FedPiece fed = feed_.pop();
      free_ += fed.bytes / rate_;
      counters_.busy_clocks = static_cast<std::uint64_t>(std::llround(busy_ += fed.bytes / rate_));
      passing_.push({fed.tag, fed.bytes, fed.address, writes_[fed.tag] != 0, fed.last, done(free_)});
    }
  }

  double rate_;
  std::uint64_t latency_;
  RequestFeed feed_;
  RingQueue<MemoryPiece> passing_;
  std::vector<std::uint8_t> writes_;  ///< by tag
  double free_ = 0;                   ///< end of the last byte begun
  double busy_ = 0;
  MemoryCounters counters_;
};

const Registration<MemoryController, IdealController, const MemoryControllerSpec&, std::uint64_t> kIdeal{
    "ideal", "a rate and a latency"};

}  // namespace
}  // namespace dfsim
