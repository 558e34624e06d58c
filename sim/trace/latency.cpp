#include "sim/trace/latency.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <bit>

namespace dfsim {

namespace {

constexpr std::size_t kPerDoubling = 4;
constexpr int kFirstBits = 2;  ///< up to 2^2 every latency has a bucket of its own

void count(std::vector<std::uint64_t>& list, std::size_t bucket) {
  if (list.size() <= bucket) list.resize(bucket + 1, 0);
  ++list[bucket];
}

}  // namespace

std::size_t LatencyHistogram::bucket_of(std::uint64_t cycles) {
  const int doubling = std::bit_width(cycles) - 1;
  if (doubling < kFirstBits) return cycles;
  const std::uint64_t quarter = (cycles >> (doubling - kFirstBits)) - kPerDoubling;
  return kPerDoubling * static_cast<std::size_t>(doubling - kFirstBits + 1) + quarter;
}

std::uint64_t LatencyHistogram::least_of(std::size_t bucket) {
  if (bucket < kPerDoubling) return bucket;
  const std::size_t doubling = bucket / kPerDoubling - 1;
  return (kPerDoubling + bucket % kPerDoubling) << doubling;
}

void LatencyHistogram::packet(const ObservedPacket& packet) {
  if (!packet.data) return;
  count(whole_, bucket_of(packet.arrived - packet.created));
  count(network_, bucket_of(packet.arrived - packet.entered));
  const std::size_t buckets = std::max(whole_.size(), network_.size());
  whole_.resize(buckets, 0);
  network_.resize(buckets, 0);
}

std::string latency_json(const LatencyHistogram& histogram) {
  std::vector<std::uint64_t> from;
  for (std::size_t b = 0; b < histogram.packets().size(); ++b) from.push_back(LatencyHistogram::least_of(b));
  return fmt::format("{{\"from_cycles\":[{}],\n\"packets\":[{}],\n\"in_network\":[{}]}}",
                     fmt::join(from, ","), fmt::join(histogram.packets(), ","),
                     fmt::join(histogram.in_network(), ","));
}

}  // namespace dfsim
