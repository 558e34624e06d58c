// planner/intra_stage/class_prices.h: the first level of the two-level search: prices of operator candidates
// alone and of the re-slicing between them, and the combinations with the least sum.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <utility>
#include <vector>

#include "planner/cost/lower_bound.h"
#include "planner/intra_stage/best_combinations.h"
#include "planner/intra_stage/candidate_log.h"
#include "planner/intra_stage/stage_setting.h"

namespace dfsim {

/// The sum counts every operator and every edge of the stage; equal operators choose alike. Measures lazily:
/// a bound stands in for what was not measured, and is replaced when it is part of one of the cheapest
/// combinations. When these hold measured prices only, no combination left out can be cheaper, unless its
/// re-slicing measures less than kReslicingGuess times its bound; the operator candidates never measured are
/// the discarded ones. Re-slicing where nothing has to move costs nothing and is not run.
class ClassPrices {
 public:
  /// `samples`: of one period. All references must live as long as this.
  ClassPrices(const Graph& graph, const HardwareSpec& hardware, const StageProposal& proposal,
              const StageSetting& setting, std::uint32_t samples, const LowerBounds& bounds,
              CandidateLog& log);

  /// Runs the operator candidates that were not needed (for PruneMode::stop and none).
  void measure_operators();
  /// The `count` cheapest combinations (option per class) under bounds alone.
  std::vector<Combination> by_bounds(std::size_t count) const {
    return best_combinations(problem(), count).best;
  }
  /// The `count` cheapest combinations under measured prices, as far as they cost at most `most`.
  std::vector<Combination> cheapest(std::size_t count, std::uint64_t most = kImpossible);
  /// Up to `count` combinations that differ from `base` in the choice for an operator class with much of the
  /// work: for each such choice the cheapest combination with it, and of these the cheapest, measured. The
  /// sum does not tell what overlaps; so the stages that are run should differ in what matters.
  std::vector<Combination> varied(const Combination& base, std::size_t count);

 private:
  /// Edges between operators of two classes that look alike.
  struct EdgeKind {
    OpId producer, consumer;  ///< of one of them
    std::size_t from = 0, to = 0;
    std::uint32_t count = 0;
    std::vector<std::vector<MovedBytes>> moved;                          ///< [option of from][option of to]
    std::map<std::pair<std::size_t, std::size_t>, std::size_t> numbers;  ///< of those formed, in the log
  };
  void find_edges();
  void lay_out(EdgeKind& edge) const;
  Stage alone(OpId op, const OperatorCandidate& candidate, bool resident) const;
  bool has_weights(OpId op) const;
  std::uint64_t work(std::size_t one) const;
  std::uint64_t value(std::size_t number) const;
  std::uint64_t transfer_cost(const EdgeKind& edge, std::size_t from, std::size_t to) const;
  ChoiceProblem problem() const;
  bool measure_operators_of(const std::vector<Combination>& combinations);
  bool measure_transfers_of(const std::vector<Combination>& combinations);
  void measure_promising();

  const Graph& graph_;
  const HardwareSpec& hardware_;
  const StageProposal& proposal_;
  const StageSetting& setting_;
  const StageClasses& classes_;
  std::uint32_t samples_;
  const LowerBounds& bounds_;
  CandidateLog& log_;
  std::vector<std::vector<std::size_t>> numbers_;  // [class][option]: in the log
  std::vector<EdgeKind> edges_;
};

}  // namespace dfsim
