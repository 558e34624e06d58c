// The two-level search against brute force, and what pruning, audits and refusals do to it.
#include <gtest/gtest.h>

#include <algorithm>
#include <set>

#include "planner/intra_stage/candidate_log.h"
#include "planner/intra_stage/optimizer.h"
#include "planner/intra_stage/stage_setting.h"
#include "tests/planner/intra_stage/fixture.h"

namespace dfsim {

namespace {

using namespace test;

class TwoLevel : public testing::Test {
 protected:
  IntraStageResult optimize(const Graph& graph, const StageProposal& proposal, AdditiveOracle& oracle,
                            const IntraStageOptions& options) const {
    auto result = IntraStageRegistry::instance()
                      .make("two_level")
                      ->optimize(graph, hardware_, proposal, oracle, options);
    EXPECT_TRUE(result.ok()) << (result.ok() ? "" : result.reason().to_string());
    return result.ok() ? *result : IntraStageResult{};
  }
  AdditiveOracle oracle(const Graph& graph) const { return {graph, hardware_, 8}; }

  HardwareSpec hardware_ = chip("mesh4x4.yaml");
  PeGroup group_ = rectangle(0, 0, 4, 4);
};

std::map<CandidateStatus, int> by_status(const IntraStageResult& result) {
  std::map<CandidateStatus, int> count;
  for (const CandidateRecord& record : result.records) ++count[record.status];
  return count;
}

/// Least sum over all choices in which equal operators choose alike, with what was formed.
std::uint64_t brute_force(const Graph& graph, const HardwareSpec& hardware, const StageProposal& proposal,
                          const AdditiveOracle& oracle) {
  std::uint64_t best = ~0ull;
  for (const StageSetting& setting : stage_settings(graph, hardware, proposal, 8, 1)) {
    const std::vector<OperatorClass>& classes = setting.classes.classes;
    std::vector<std::size_t> choice(classes.size(), 0);
    for (std::size_t v = 1; v > 0;) {
      Stage stage;
      stage.operators = proposal.operators;
      stage.group = proposal.group;
      for (const OpId op : proposal.operators)
        stage.strategy.operators.push_back(
            setting.candidates_of(op)[choice[setting.classes.class_of.at(op)]]);
      stage.strategy.weights_resident = setting.weights_resident;
      best = std::min(best, oracle.price(stage).period_cycles);
      v = choice.size();
      while (v > 0 && choice[v - 1] + 1 == classes[v - 1].candidates.size()) choice[--v] = 0;
      if (v > 0) ++choice[v - 1];
    }
  }
  return best;
}

TEST_F(TwoLevel, TriesEveryCombinationWhileTheyAreFew) {
  const Graph graph = mlp(1, 32, 64);
  const StageProposal proposal = whole(graph, rectangle(0, 0, 2, 1));
  AdditiveOracle oracle = this->oracle(graph);
  IntraStageOptions options;
  options.prune = PruneMode::none;
  const IntraStageResult result = optimize(graph, proposal, oracle, options);
  EXPECT_FALSE(result.two_level);
  EXPECT_LE(result.flat_size, 64u);
  EXPECT_EQ(result.records.size(), result.flat_size);
  EXPECT_EQ(by_status(result)[CandidateStatus::executed], static_cast<int>(result.flat_size));
  for (const CandidateRecord& record : result.records)
    EXPECT_GE(record.price.period_cycles, result.price.period_cycles);
}

TEST_F(TwoLevel, EqualsBruteForceWithAdditivePrices) {
  for (const std::uint32_t features : {200u}) {
    const Graph graph = mlp(2, 64, features);
    const StageProposal proposal = whole(graph, group_);
    AdditiveOracle oracle = this->oracle(graph);
    const IntraStageResult result = optimize(graph, proposal, oracle, {});
    EXPECT_TRUE(result.two_level);
    EXPECT_EQ(result.price.period_cycles, brute_force(graph, hardware_, proposal, oracle));
  }
}

TEST_F(TwoLevel, GivesTheSamePlanWithAndWithoutPruning) {
  for (const Graph& graph : {mlp(1, 32, 64), mlp(2, 128, 256), encoder(1, 64, 96, 4)})
    for (const Objective objective : {Objective::interval, Objective::latency}) {
      const StageProposal proposal = whole(graph, group_);
      IntraStageOptions options;
      options.objective = objective;
      std::vector<IntraStageResult> results;
      for (const PruneMode prune : {PruneMode::automatic, PruneMode::stop, PruneMode::none}) {
        AdditiveOracle oracle = this->oracle(graph);
        options.prune = prune;
        results.push_back(optimize(graph, proposal, oracle, options));
      }
      EXPECT_EQ(results[0].best, results[2].best);
      EXPECT_EQ(results[1].best, results[2].best);
      EXPECT_EQ(results[0].price, results[2].price);
      const auto count = by_status(results[2]);
      EXPECT_FALSE(count.contains(CandidateStatus::stopped));
      EXPECT_FALSE(count.contains(CandidateStatus::discarded));
      EXPECT_FALSE(by_status(results[1]).contains(CandidateStatus::discarded));
    }
}

TEST_F(TwoLevel, EqualOperatorsChooseAlike) {
  const Graph graph = encoder(2, 64, 96, 4);
  const StageProposal proposal = whole(graph, group_);
  AdditiveOracle oracle = this->oracle(graph);
  const IntraStageResult result = optimize(graph, proposal, oracle, {});
  const std::size_t layer = graph.operators().size() / 2;
  for (std::size_t op = 0; op < layer; ++op) {
    if (graph.signature({OpId(op)}) != graph.signature({OpId(op + layer)})) continue;
    EXPECT_EQ(result.best.strategy.operators[op], result.best.strategy.operators[op + layer]);
  }
  std::set<std::string> signatures;
  for (const CandidateRecord& record : result.records)
    if (record.level == CandidateLevel::op) signatures.insert(graph.signature(record.candidate.operators));
  std::set<std::string> distinct;
  for (const OpId op : proposal.operators) distinct.insert(graph.signature({op}));
  EXPECT_EQ(signatures, distinct) << "each distinct operator is tried once";
}

TEST_F(TwoLevel, StagesThatAreRunDifferInTheOperatorsThatMatter) {
  const Graph graph = encoder(1, 128, 768, 12);
  const StageProposal proposal = whole(graph, group_);
  AdditiveOracle oracle = this->oracle(graph);
  const IntraStageResult result = optimize(graph, proposal, oracle, {});
  ASSERT_TRUE(result.two_level);
  std::uint64_t all = 0;
  for (const OpId op : proposal.operators) all += macs_per_sample(graph, op);
  std::size_t stages = 0;
  std::set<std::vector<OperatorCandidate>> choices;  // of the operators with a twentieth of the work or more
  for (const CandidateRecord& record : result.records) {
    if (record.level != CandidateLevel::stage) continue;
    ++stages;
    std::vector<OperatorCandidate> choice;
    for (std::size_t i = 0; i < proposal.operators.size(); ++i)
      if (20 * macs_per_sample(graph, proposal.operators[i]) >= all)
        choice.push_back(record.candidate.strategy.operators[i]);
    choices.insert(std::move(choice));
  }
  EXPECT_GE(stages, 2u);
  EXPECT_GE(choices.size(), 2u);
}

TEST_F(TwoLevel, KeepsTheNumberOfRunsSmall) {
  const Graph graph = encoder(1, 128, 768, 12);
  hardware_ = chip("mesh8x8.yaml");
  const StageProposal proposal = whole(graph, rectangle(0, 0, 8, 8));
  AdditiveOracle oracle = this->oracle(graph);
  const IntraStageResult result = optimize(graph, proposal, oracle, {});
  EXPECT_TRUE(result.two_level);
  EXPECT_LT(oracle.runs, 130u);
  EXPECT_LT(oracle.transfers, 200u);
}

TEST_F(TwoLevel, RecordsWhatDoesNotFitAndGoesToSmallerSubBatches) {
  const Graph graph = mlp(2, 128, 256);
  const StageProposal proposal = whole(graph, group_);
  AdditiveOracle oracle = this->oracle(graph);
  oracle.refuse = [](const Stage& stage) { return stage.strategy.sub_batches < 4; };
  const IntraStageResult result = optimize(graph, proposal, oracle, {});
  EXPECT_EQ(result.best.strategy.sub_batches, 4u);
  const auto infeasible = std::find_if(result.records.begin(), result.records.end(), [](const auto& record) {
    return record.status == CandidateStatus::infeasible;
  });
  ASSERT_NE(infeasible, result.records.end());
  EXPECT_EQ(infeasible->reason, "refused");
}

TEST_F(TwoLevel, StreamsWeightsThatTurnOutNotToStay) {
  const Graph graph = mlp(2, 128, 256);
  AdditiveOracle oracle = this->oracle(graph);
  oracle.refuse = [](const Stage& stage) {
    return stage.operators.size() > 1 && stage.strategy.weights_resident;
  };
  const IntraStageResult result = optimize(graph, whole(graph, group_), oracle, {});
  EXPECT_FALSE(result.best.strategy.weights_resident);
  EXPECT_EQ(result.best.strategy.sub_batches, 1u);
}

TEST_F(TwoLevel, SaysWhyNothingFits) {
  const Graph graph = mlp(2, 128, 256);
  AdditiveOracle oracle = this->oracle(graph);
  oracle.refuse = [](const Stage&) { return true; };
  const auto result = IntraStageRegistry::instance()
                          .make("two_level")
                          ->optimize(graph, hardware_, whole(graph, group_), oracle, {});
  ASSERT_FALSE(result.ok());
  EXPECT_NE(result.reason().to_string().find("refused"), std::string::npos);
}

TEST_F(TwoLevel, IdentifiesCandidatesByContent) {
  const Graph graph = mlp(1, 32, 64);
  AdditiveOracle first = oracle(graph), second = oracle(graph);
  const IntraStageResult a = optimize(graph, whole(graph, group_), first, {});
  const IntraStageResult b = optimize(graph, whole(graph, group_), second, {});
  ASSERT_EQ(a.records.size(), b.records.size());
  std::set<std::string> ids;
  for (std::size_t i = 0; i < a.records.size(); ++i) {
    EXPECT_EQ(a.records[i].id, b.records[i].id);
    ids.insert(a.records[i].id);
  }
  EXPECT_EQ(ids.size(), a.records.size());
}

TEST(CandidateLog, AuditsDiscardedCandidatesAndCountsWrongBounds) {
  const HardwareSpec hardware = chip("mesh2x2.yaml");
  const Graph graph = mlp(1, 32, 64);
  AdditiveOracle oracle(graph, hardware, 8);
  IntraStageOptions options;
  options.audit = 2;
  CandidateLog log(oracle, options);
  Stage stage;
  stage.operators = {OpId(0)};
  stage.group = rectangle(0, 0, 2, 2);
  stage.strategy.operators = {
      OperatorCandidate{{2, 1, 2, 1}, {1, 1, 1, 1}, {0, 1, 2, 3}, PeOrder::row_major, OuterLoop::features}};
  log.form_stage(CandidateLevel::stage, stage, {0, 1});
  EXPECT_EQ(log.audit(), 0u);
  stage.strategy.sub_batches = 2;
  log.form_stage(CandidateLevel::stage, stage, {0, 1'000'000'000});
  EXPECT_EQ(log.audit(), 1u);
  EXPECT_EQ(log.record(1).status, CandidateStatus::discarded);
  EXPECT_NE(log.record(1).reason.find("below the bound"), std::string::npos);
}

TEST(CandidateLog, StopsWhatIsSlowerThanTheBestAtTheStartOfABatch) {
  const HardwareSpec hardware = chip("mesh2x2.yaml");
  const Graph graph = mlp(1, 32, 64);
  AdditiveOracle oracle(graph, hardware, 8);
  for (const PruneMode prune : {PruneMode::stop, PruneMode::none}) {
    IntraStageOptions options;
    options.prune = prune;
    CandidateLog log(oracle, options);
    std::vector<std::size_t> numbers;
    for (const std::uint32_t parts : {4u, 2u, 1u}) {
      Stage stage;
      stage.operators = {OpId(0)};
      stage.group = rectangle(0, 0, 2, 2);
      stage.strategy.operators = {OperatorCandidate{
          {parts, 1, 1, 1}, {1, 1, 1, 1}, {0, 1, 2, 3}, PeOrder::row_major, OuterLoop::features}};
      numbers.push_back(
          log.form_stage(CandidateLevel::stage, stage, LowerBounds(graph, hardware, 8).stage(stage)));
    }
    EXPECT_EQ(log.cheapest_stage(numbers, 1), numbers[0]);
    EXPECT_EQ(log.record(numbers[2]).status,
              prune == PruneMode::stop ? CandidateStatus::stopped : CandidateStatus::executed);
  }
}

}  // namespace

}  // namespace dfsim
