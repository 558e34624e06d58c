// Three operators with 2, 3 and 4 candidates are 24 candidates of their stage, and all of them run.
#include <gtest/gtest.h>

#include <algorithm>
#include <optional>
#include <set>

#include "planner/intra_stage/optimizer.h"
#include "planner/intra_stage/stage_setting.h"
#include "tests/planner/intra_stage/fixture.h"

namespace dfsim {
namespace {

using namespace test;

struct Found {
  Graph graph;
  StageProposal proposal;
};

std::vector<std::size_t> candidates_per_operator(const Graph& graph, const HardwareSpec& hardware,
                                                 const StageProposal& proposal) {
  const auto settings = stage_settings(graph, hardware, proposal, 8, 1);
  if (settings.size() != 1 || settings.front().classes.classes.size() != 3) return {};
  std::vector<std::size_t> counts;
  for (const OperatorClass& one : settings.front().classes.classes) counts.push_back(one.candidates.size());
  std::sort(counts.begin(), counts.end());
  return counts;
}

Graph three_operators(std::uint32_t rows, std::uint32_t width, std::uint32_t wide, const char* middle) {
  Graph graph;
  TensorId x = add_input(graph, "x", {rows, width});
  x = output_of(graph, add_operator(graph, "matmul", {x}, {{"out_features", std::int64_t{wide}}}, "a"));
  Attributes attributes;
  if (std::string(middle) == "elementwise") attributes["function"] = std::string("relu");
  x = output_of(graph, add_operator(graph, middle, {x}, attributes, "b"));
  add_operator(graph, "matmul", {x}, {{"out_features", std::int64_t{width}}}, "c", TensorRole::output);
  return graph;
}

/// The first of some small networks and groups whose operators have 2, 3 and 4 candidates.
std::optional<Found> two_three_four(const HardwareSpec& hardware) {
  for (const PeGroup& group :
       {rectangle(0, 0, 2, 1), rectangle(0, 0, 1, 2), rectangle(0, 0, 2, 2), rectangle(0, 0, 3, 1),
        rectangle(0, 0, 4, 1), rectangle(0, 0, 3, 2), rectangle(0, 0, 3, 3)})
    for (const char* middle : {"elementwise", "softmax", "layer_norm"})
      for (const std::uint32_t rows : {1u, 2u, 3u, 4u, 8u, 16u, 32u, 64u, 128u})
        for (const std::uint32_t width : {1u, 2u, 3u, 16u, 32u, 64u, 128u, 512u})
          for (const std::uint32_t wide : {1u, 2u, 5u, 16u, 48u, 96u, 256u, 1024u}) {
            Graph graph = three_operators(rows, width, wide, middle);
            const StageProposal proposal = whole(graph, group);
            if (candidates_per_operator(graph, hardware, proposal) == std::vector<std::size_t>{2, 3, 4})
              return Found{std::move(graph), proposal};
          }
  return std::nullopt;
}

TEST(Combinations, TwoThreeAndFourCandidatesAreTwentyFourOfTheStage) {
  const HardwareSpec hardware = chip("mesh4x4.yaml");
  const auto found = two_three_four(hardware);
  ASSERT_TRUE(found);
  AdditiveOracle oracle(found->graph, hardware, 8);
  IntraStageOptions options;
  options.prune = PruneMode::none;
  const auto result = IntraStageRegistry::instance()
                          .make("two_level")
                          ->optimize(found->graph, hardware, found->proposal, oracle, options);
  ASSERT_TRUE(result.ok()) << result.reason().to_string();
  EXPECT_EQ(result->flat_size, 24u);
  std::set<std::string> ids;
  for (const CandidateRecord& record : result->records) {
    EXPECT_EQ(record.level, CandidateLevel::stage);
    EXPECT_EQ(record.status, CandidateStatus::executed);
    ids.insert(record.id);
  }
  EXPECT_EQ(ids.size(), 24u);
  const auto& x = found->graph.tensor(TensorId(0)).shape;
  std::printf("rows %u, width %u, wide %u, %s on %s\n", x[0], x[1],
              found->graph.tensor(output_of(found->graph, OpId(0))).shape.back(),
              found->graph.op(OpId(1)).kind.c_str(), found->proposal.group.to_string().c_str());
}

}  // namespace
}  // namespace dfsim
