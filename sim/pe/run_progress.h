// sim/pe/run_progress.h: how far a run has come, over all PEs. Plain data, no SystemC.
#pragma once

#include <algorithm>
#include <cstdint>
#include <limits>
#include <vector>

#include "sim/pe/loaded_program.h"

namespace dfsim {

/// Counts the micro-op instances still to end, per period and per stage and period. The order of the calls
/// within a cycle does not matter.
class RunProgress {
 public:
  static constexpr std::uint64_t kNotYet = std::numeric_limits<std::uint64_t>::max();

  void reset(const LoadedProgram& loaded) {
    const std::size_t periods = loaded.program->periods, stages = loaded.period_ops.size();
    std::uint64_t per_period = 0;
    for (const std::uint32_t ops : loaded.period_ops) per_period += ops;
    unfinished_ = loaded.prologue_ops + per_period * periods;
    last_end_ = 0;
    in_period_.assign(periods, per_period);
    period_done_.assign(periods, per_period == 0 ? 0 : kNotYet);
    in_stage_.assign(stages, {});
    stage_done_.assign(stages, {});
    stage_start_.assign(stages, std::vector<std::uint64_t>(periods, kNotYet));
    for (std::size_t s = 0; s < stages; ++s) {
      in_stage_[s].assign(periods, loaded.period_ops[s]);
      stage_done_[s].assign(periods, kNotYet);
    }
  }
  void compute_started(std::uint32_t stage, std::uint32_t period, std::uint64_t cycle) {
    std::uint64_t& start = stage_start_[stage][period];
    start = std::min(start, cycle);
  }
  /// True if this was the last micro-op of its period.
  bool ended(std::uint32_t stage, std::uint32_t period, std::uint64_t cycle) {
    ended_in_prologue(cycle);
    if (--in_stage_[stage][period] == 0) stage_done_[stage][period] = cycle;
    if (--in_period_[period] > 0) return false;
    period_done_[period] = cycle;
    return true;
  }
  void ended_in_prologue(std::uint64_t cycle) {
    --unfinished_;
    last_end_ = std::max(last_end_, cycle);
  }

  bool finished() const { return unfinished_ == 0; }
  std::uint64_t unfinished() const { return unfinished_; }
  std::uint64_t last_end() const { return last_end_; }  ///< cycle in which the last micro-op so far ended
  /// By period; kNotYet where it has not ended (or a stage has nothing to do).
  const std::vector<std::uint64_t>& period_done() const { return period_done_; }
  const std::vector<std::vector<std::uint64_t>>& stage_done() const { return stage_done_; }
  const std::vector<std::vector<std::uint64_t>>& stage_start() const { return stage_start_; }

 private:
  std::uint64_t unfinished_ = 0, last_end_ = 0;
  std::vector<std::uint64_t> in_period_, period_done_;
  std::vector<std::vector<std::uint64_t>> in_stage_, stage_done_, stage_start_;
};

}  // namespace dfsim
