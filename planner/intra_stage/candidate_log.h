// planner/intra_stage/candidate_log.h: every candidate that was formed, what became of it, and the runs that
// decided.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "planner/intra_stage/optimizer.h"

namespace dfsim {

/// Numbers candidates in the order in which they were formed; one formed again keeps its number. Until it is
/// run a candidate is `discarded`.
class CandidateLog {
 public:
  CandidateLog(CostOracle& oracle, const IntraStageOptions& options) : oracle_(oracle), options_(options) {}

  /// Cycles of the component that the objective asks for.
  std::uint64_t component(const StagePrice& price) const;

  std::size_t form_stage(CandidateLevel level, Stage candidate, const StagePrice& bound);
  std::size_t form_transfer(Stage producer, Stage consumer, const StagePrice& bound);

  /// A stage candidate that is known not to fit.
  void form_infeasible(Stage candidate, const StagePrice& bound, const PriceAnswer& answer);

  /// Runs those of the stages, or transfers, that were not run yet, as one batch. `limit`: most cycles of the
  /// component that are of interest; 0: all.
  void run_stages(const std::vector<std::size_t>& numbers, std::uint64_t limit);
  void run_transfers(const std::vector<std::size_t>& numbers);

  /// Finds the cheapest of some stage candidates; the lower number wins among equals. Candidates with low
  /// bounds go first, `batch` at a time; the best at the start of a batch is the limit in it, and
  /// (PruneMode::automatic) what cannot beat it is not started.
  std::optional<std::size_t> cheapest_stage(std::vector<std::size_t> numbers, std::size_t batch);

  /// Starts up to `options.audit` discarded stages and operator candidates, drawn by the seed, and counts the
  /// bounds that were above their measurement. They stay discarded.
  std::uint32_t audit();

  const CandidateRecord& record(std::size_t number) const { return records_[number]; }
  bool started(std::size_t number) const { return started_[number]; }
  bool executed(std::size_t number) const { return records_[number].status == CandidateStatus::executed; }
  std::uint64_t cycles(std::size_t number) const { return component(records_[number].price); }
  std::uint64_t bound(std::size_t number) const { return bounds_[number]; }
  /// Why the last infeasible candidate is; empty if there is none.
  std::string last_reason() const;
  std::vector<CandidateRecord> take() { return std::move(records_); }

 private:
  std::size_t form(CandidateRecord record, const StagePrice& bound);
  void settle(std::size_t number, const PriceAnswer& answer);
  std::vector<std::size_t> not_started(const std::vector<std::size_t>& numbers) const;

  CostOracle& oracle_;
  const IntraStageOptions& options_;
  std::vector<CandidateRecord> records_;
  std::vector<std::uint64_t> bounds_;
  std::vector<bool> started_;
  std::map<std::string, std::size_t> numbers_;  // by id
};

/// Identity of a candidate: the same for the same stage, group, splits and consumer, whatever the names.
std::string candidate_id(CandidateLevel level, const Stage& candidate, const Stage& consumer);

}  // namespace dfsim
