// What explains a measurement adds up to it.
#include "sim/noc/experiment.h"

#include <gtest/gtest.h>

#include <numeric>

#include "sim/hw/topology/topology.h"

namespace dfsim::test {
namespace {

NocExperiment on_mesh(const std::vector<std::uint32_t>& extent) {
  NocExperiment experiment;
  experiment.spec.graph = build_link_graph("mesh", extent);
  experiment.spec.arbitration = SwitchArbitration::islip;
  attach_one_endpoint_per_router(experiment.spec);
  return experiment;
}

double buffered(const NocExperimentResult& result) {
  double sum = 0;
  for (const VcOccupancy& vc : result.occupancy) sum += vc.mean_flits;
  return sum * static_cast<double>(result.buffer_samples);
}

TEST(LatencyCounts, PercentilesAreTheNearestRank) {
  LatencyCounts counts;
  EXPECT_EQ(counts.percentile(0.5), std::nullopt);
  EXPECT_TRUE(counts.histogram(20).empty());
  for (std::uint64_t cycles = 1; cycles <= 100; ++cycles) counts.add(cycles);
  EXPECT_EQ(counts.percentile(0.50), 50u);
  EXPECT_EQ(counts.percentile(0.95), 95u);
  EXPECT_EQ(counts.percentile(0.99), 99u);
  EXPECT_EQ(counts.percentile(1), 100u);
  counts.add(1'000'000);  // beyond the table
  EXPECT_EQ(counts.percentile(1), 1'000'000u);
}

TEST(LatencyCounts, BucketsHoldEveryPacketOnce) {
  LatencyCounts counts;
  for (std::uint64_t i = 0; i < 1000; ++i) counts.add(17 + i % 90);
  counts.add(70'000);
  const std::vector<LatencyBucket> buckets = counts.histogram(20);
  EXPECT_LE(buckets.size(), 21u);
  std::uint64_t packets = 0;
  for (std::size_t i = 0; i < buckets.size(); ++i) {
    packets += buckets[i].packets;
    if (i > 0) {
      EXPECT_EQ(buckets[i].from, buckets[i - 1].to);
    }
  }
  EXPECT_EQ(packets, 1001u);
  EXPECT_EQ(buckets.front().from, 15u);  // width 5
  EXPECT_EQ(buckets.back(), (LatencyBucket{110, 70'001, 1}));
}

// A head that is written in cycle c leaves in c + 2: it is seen before c + 1 and before c + 2.
TEST(Experiment, ALoneFlitIsSeenTwiceInEachBuffer) {
  NocExperiment lone = on_mesh({8});
  lone.mode = NocExperiment::Mode::single;
  lone.packet_flits = 1;
  lone.source = 1;
  lone.destination = 6;
  lone.sample_cycles = 1;
  const NocExperimentResult result = run_noc_experiment(lone);
  EXPECT_DOUBLE_EQ(buffered(result), 2 * 6);
  for (const VcOccupancy& vc : result.occupancy) EXPECT_LE(vc.max_flits, 1u);
}

// Waiting for the switch or for credits keeps flits in buffers: with both counted, residence is exact.
TEST(Experiment, FlitsInBuffersAreMovesAndStalls) {
  NocExperiment batch = on_mesh({4, 4});
  batch.mode = NocExperiment::Mode::batch;
  batch.traffic = "transpose";
  batch.packets_per_node = 6;
  batch.packet_flits = 1;
  batch.sample_cycles = 1;
  const NocExperimentResult result = run_noc_experiment(batch);
  // A flit that never waits is seen twice; fronts that wait behind others in the same buffer only add to
  // that.
  EXPECT_GE(buffered(result), 2.0 * static_cast<double>(result.flit_hops) +
                                  static_cast<double>(result.stalls.no_credit +
                                                      result.stalls.lost_arbitration + result.stalls.no_vc));
  EXPECT_GT(result.stalls.lost_arbitration + result.stalls.no_vc, 0u);
}

TEST(Experiment, LinksAndSinksCarryEveryFlitHop) {
  NocExperiment batch = on_mesh({4, 4});
  batch.mode = NocExperiment::Mode::batch;
  batch.traffic = "bitcomp";
  batch.packets_per_node = 10;
  const NocExperimentResult result = run_noc_experiment(batch);
  const double on_links = std::accumulate(result.link_load.begin(), result.link_load.end(), 0.0) *
                          static_cast<double>(result.completion_cycles);
  EXPECT_NEAR(on_links + 16 * 10 * 5, static_cast<double>(result.flit_hops), 1e-6 * on_links);
}

TEST(Experiment, TheHistogramHoldsTheMeasuredPackets) {
  NocExperiment loaded = on_mesh({4, 4});
  loaded.rate = 0.2;
  const NocExperimentResult result = run_noc_experiment(loaded);
  std::uint64_t packets = 0;
  for (const LatencyBucket& bucket : result.latency_histogram) packets += bucket.packets;
  EXPECT_EQ(packets, result.packets);
  EXPECT_LE(*result.latency_p50, *result.latency_p95);
  EXPECT_LE(*result.latency_p95, *result.latency_p99);
  EXPECT_EQ(result.buffer_samples, (4000u + 63) / 64);
}

TEST(Experiment, LookingAtBuffersChangesNothing) {
  for (const auto mode : {NocExperiment::Mode::open_loop, NocExperiment::Mode::saturate}) {
    NocExperiment loaded = on_mesh({4, 4});
    loaded.mode = mode;
    loaded.rate = 0.3;
    loaded.sample_cycles = 0;
    const NocExperimentResult unseen = run_noc_experiment(loaded);
    EXPECT_TRUE(unseen.occupancy.empty());
    for (const std::uint64_t every : {1u, 64u}) {
      loaded.sample_cycles = every;
      const NocExperimentResult seen = run_noc_experiment(loaded);
      EXPECT_EQ(seen.avg_packet_latency, unseen.avg_packet_latency);
      EXPECT_EQ(seen.accepted_flits_per_node_cycle, unseen.accepted_flits_per_node_cycle);
      EXPECT_EQ(seen.flit_hops, unseen.flit_hops);
      EXPECT_EQ(seen.stalls, unseen.stalls);
      EXPECT_GT(seen.buffer_samples, 0u);
    }
  }
}

// Both adaptive routings use ways that dimension order leaves idle; a dead link is not fatal to them.
TEST(Experiment, AdaptiveRoutingTakesMoreTransposeTrafficThanDimensionOrder) {
  NocExperiment backlogged = on_mesh({8, 8});
  backlogged.mode = NocExperiment::Mode::saturate;
  backlogged.traffic = "transpose";
  const auto accepted = [&backlogged](const char* routing) {
    backlogged.spec.routing = routing;
    return run_noc_experiment(backlogged).accepted_flits_per_node_cycle;
  };
  const double xy = accepted("xy");
  EXPECT_GT(accepted("odd_even"), 1.1 * xy);
  EXPECT_GT(accepted("o1turn"), 1.1 * xy);
  ASSERT_TRUE(remove_links(backlogged.spec.graph, RouterId(35), RouterId(43)));
  EXPECT_GT(accepted("odd_even"), xy);
}

}  // namespace
}  // namespace dfsim::test
