#include <gtest/gtest.h>

#include "planner/report/candidate_json.h"
#include "planner/report/candidate_text.h"
#include "planner/report/candidates_csv.h"
#include "sim/base/csv.h"
#include "tests/planner/report/fixture.h"

namespace dfsim {
namespace {

Stage stage_of(const Graph& graph, OpId op) {
  Stage stage{"a \"name\", with #", {op}, {{Submesh{NocId(0), 0, 0, 0, 2, 2, 1}}}, {}};
  stage.strategy.operators = {whole(axis_names(graph, op).size())};
  stage.strategy.operators.front().spatial.back() = 2;
  return stage;
}

TEST(CandidateJson, ReadsBackExactly) {
  const Graph graph = small_graph();
  ExactCandidate candidate{CandidateLevel::reslice, {stage_of(graph, OpId(0)), stage_of(graph, OpId(1))}};
  candidate.stages[0].strategy.sub_batches = 3;
  candidate.stages[0].strategy.weights_resident = true;
  candidate.stages[1].strategy.operators[0].order = PeOrder::column_major;
  candidate.stages[1].strategy.operators[0].outer = OuterLoop::reduction;
  EXPECT_EQ(exact_candidate_from_json(to_json(candidate)), candidate);
}

TEST(CandidateJson, RefusesOtherTexts) {
  for (const char* text : {"", "{}", "[1]", R"({"level":"op","stages":[]})", R"({"level":"x","stages":[]})"})
    EXPECT_THROW(exact_candidate_from_json(text), std::runtime_error) << text;
}

TEST(CandidatesCsv, FindsACandidateAgain) {
  const Graph graph = small_graph();
  LoggedCandidate executed{1, 0, {}};
  executed.record.id = "abc";
  executed.record.level = CandidateLevel::op;
  executed.record.candidate = stage_of(graph, OpId(0));
  executed.record.price = {120, 100};
  LoggedCandidate discarded{2, 1, executed.record};
  discarded.record.id = "def";
  discarded.record.status = CandidateStatus::discarded;
  discarded.record.bound = 130;
  discarded.record.reason = "a, \"b\"\nc";
  const std::string csv = candidates_csv(graph, {4, Objective::interval, true, 24, 7}, {executed, discarded});
  EXPECT_EQ(csv.find("# candidates"), 0u);
  EXPECT_NE(csv.find("two-level; flat search space: 24; formed: 7"), std::string::npos);
  const auto records = parse_csv(csv);
  ASSERT_EQ(records.size(), 3u);
  EXPECT_EQ(records[1].size(), records[0].size());
  const auto found = find_candidate(csv, "abc");
  ASSERT_TRUE(found.has_value());
  EXPECT_EQ(found->candidate.stages.front(), executed.record.candidate);
  EXPECT_EQ(found->status, "executed");
  EXPECT_EQ(found->latency_cycles, 120u);
  EXPECT_EQ(found->period_cycles, 100u);
  EXPECT_EQ(find_candidate(csv, "def")->status, "discarded");
  EXPECT_FALSE(find_candidate(csv, "nothing").has_value());
  EXPECT_THROW(find_candidate("a,b\n", "abc"), std::runtime_error);
}

TEST(CandidateText, NamesSplitSlicesAndMap) {
  const Graph graph = small_graph();
  Stage stage{"s", {OpId(0)}, {{Submesh{NocId(0), 0, 0, 0, 2, 2, 1}}}, {}};
  const auto names = axis_names(graph, OpId(0));
  stage.strategy.operators = {whole(names.size())};
  const auto n = static_cast<std::size_t>(std::find(names.begin(), names.end(), "n") - names.begin());
  ASSERT_LT(n, names.size());
  stage.strategy.operators[0].spatial[n] = 4;
  stage.strategy.operators[0].temporal[n] = 2;
  EXPECT_EQ(split_text(graph, stage), "n4 / n2");
  EXPECT_EQ(map_text(graph, stage), "n row_major");
  EXPECT_NE(slicing_text(graph, stage, 8).find("> first[8,4]"), std::string::npos)
      << slicing_text(graph, stage, 8);
  EXPECT_EQ(operators_text(graph, {OpId(0), OpId(1), OpId(2)}), "first act second");
}

}  // namespace
}  // namespace dfsim
