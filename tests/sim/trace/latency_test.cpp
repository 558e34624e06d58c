#include "sim/trace/latency.h"

#include <gtest/gtest.h>

#include <nlohmann/json.hpp>
#include <numeric>

namespace dfsim {
namespace {

TEST(LatencyHistogram, BucketsFollowOneAnother) {
  std::size_t last = 0;
  for (std::uint64_t cycles = 0; cycles < 100'000; ++cycles) {
    const std::size_t bucket = LatencyHistogram::bucket_of(cycles);
    EXPECT_TRUE(bucket == last || bucket == last + 1) << cycles;
    EXPECT_LE(LatencyHistogram::least_of(bucket), cycles);
    EXPECT_GT(LatencyHistogram::least_of(bucket + 1), cycles);
    last = bucket;
  }
  EXPECT_EQ(LatencyHistogram::least_of(LatencyHistogram::bucket_of(12)), 12u);
  EXPECT_EQ(LatencyHistogram::least_of(LatencyHistogram::bucket_of(13)), 12u);
  EXPECT_EQ(LatencyHistogram::least_of(LatencyHistogram::bucket_of(~std::uint64_t{0})),
            std::uint64_t{7} << 61);
}

TEST(LatencyHistogram, CountsDataPacketsTwice) {
  LatencyHistogram histogram;
  ObservedPacket packet;
  packet.data = true;
  packet.created = 100;
  packet.entered = 105;
  packet.arrived = 120;
  histogram.packet(packet);
  packet.data = false;
  histogram.packet(packet);
  const auto sum = [](const std::vector<std::uint64_t>& list) {
    return std::accumulate(list.begin(), list.end(), std::uint64_t{0});
  };
  EXPECT_EQ(sum(histogram.packets()), 1u);
  EXPECT_EQ(sum(histogram.in_network()), 1u);
  EXPECT_EQ(histogram.packets()[LatencyHistogram::bucket_of(20)], 1u);
  EXPECT_EQ(histogram.in_network()[LatencyHistogram::bucket_of(15)], 1u);
  const auto json = nlohmann::json::parse(latency_json(histogram));
  EXPECT_EQ(json["from_cycles"].size(), json["packets"].size());
  EXPECT_EQ(json["in_network"].size(), json["packets"].size());
}

}  // namespace
}  // namespace dfsim
