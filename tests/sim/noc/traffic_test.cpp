#include "sim/noc/traffic.h"

#include <gtest/gtest.h>

#include <set>

#include "sim/base/errors.h"
#include "sim/hw/topology/topology.h"
#include "sim/noc/experiment.h"

namespace dfsim::test {
namespace {

std::uint32_t destination(const char* pattern, const LinkGraph& graph, std::uint32_t source) {
  Rng rng(1);
  return TrafficPattern(pattern, graph).destination(source, rng);
}

TEST(Traffic, PatternsFollowTheirDefinitions) {
  const LinkGraph mesh = build_link_graph("mesh", {8, 8});
  EXPECT_EQ(destination("transpose", mesh, 3 + 8 * 5), 5u + 8 * 3);
  EXPECT_EQ(destination("bitcomp", mesh, 10), 53u);
  EXPECT_EQ(destination("tornado", mesh, 6 + 8 * 1), 1u + 8 * 4);
  EXPECT_EQ(destination("neighbor", mesh, 7 + 8 * 7), 0u);
  EXPECT_EQ(destination("bitrev", mesh, 0b000011), 0b110000u);
  EXPECT_EQ(destination("shuffle", mesh, 0b100010), 0b000101u);
  EXPECT_EQ(destination("hotspot_node9", mesh, 4), 9u);
  EXPECT_EQ(destination("neighbor", build_link_graph("mesh", {8}), 7), 0u);
}

TEST(Traffic, AHotspotGetsItsWeight) {
  const LinkGraph mesh = build_link_graph("mesh", {8, 8});
  const TrafficPattern pattern("hotspot27w5", mesh);
  Rng rng(3);
  int hot = 0;
  constexpr int kDraws = 200'000;
  for (int i = 0; i < kDraws; ++i) hot += pattern.destination(0, rng) == 27 ? 1 : 0;
  EXPECT_NEAR(hot, kDraws * 5 / 68, 500);  // four standard deviations
}

TEST(Traffic, RefusesWhatDoesNotFit) {
  const LinkGraph mesh = build_link_graph("mesh", {6, 4});
  for (const char* name : {"transpose", "bitrev", "shuffle", "hotspot", "hotspot3", "hotspot3w", "hotspot3w0",
                           "hotspot24w2", "hotspot_node24", "hotspot_nodex", "hotspot-1w2", "", "nothing"})
    EXPECT_THROW(TrafficPattern(name, mesh), InputError) << name;
}

NocExperiment open_loop(double rate) {
  NocExperiment experiment;
  experiment.spec.graph = build_link_graph("mesh", {4, 4});
  experiment.spec.arbitration = SwitchArbitration::islip;
  attach_one_endpoint_per_router(experiment.spec);
  experiment.rate = rate;
  return experiment;
}

TEST(Experiment, OffersTheRateAskedFor) {
  const NocExperimentResult result = run_noc_experiment(open_loop(0.3));
  EXPECT_NEAR(result.accepted_flits_per_node_cycle, 0.3, 0.02);
  EXPECT_FALSE(result.saturated);
  EXPECT_EQ(run_noc_experiment(open_loop(0)).packets, 0u);
}

TEST(Experiment, GivesUpBeyondSaturation) {
  NocExperiment experiment = open_loop(1.0);
  experiment.traffic = "bitcomp";
  const NocExperimentResult result = run_noc_experiment(experiment);
  EXPECT_TRUE(result.saturated);
  EXPECT_FALSE(result.avg_packet_latency.has_value());
}

TEST(Experiment, DependsOnTheSeedAlone) {
  NocExperiment experiment = open_loop(0.3);
  const auto latency = [&experiment] { return *run_noc_experiment(experiment).avg_packet_latency; };
  const double first = latency();
  experiment.seed = 2;
  EXPECT_NE(latency(), first);
  experiment.seed = 1;
  EXPECT_EQ(latency(), first);
}

TEST(Experiment, RefusesWrongInput) {
  NocExperiment experiment = open_loop(5.5);
  EXPECT_THROW(run_noc_experiment(experiment), InputError);
  experiment = open_loop(-0.1);
  EXPECT_THROW(run_noc_experiment(experiment), InputError);
  experiment = open_loop(0.1);
  experiment.packet_flits = 0;
  EXPECT_THROW(run_noc_experiment(experiment), InputError);
  experiment = open_loop(0.1);
  experiment.spec.virtual_channels = 0;
  EXPECT_THROW(run_noc_experiment(experiment), InputError);
  experiment = open_loop(0.1);
  experiment.mode = NocExperiment::Mode::single;
  experiment.destination = 16;
  EXPECT_THROW(run_noc_experiment(experiment), InputError);
}

}  // namespace
}  // namespace dfsim::test
