// planner/app/watched_oracle.h: tells how far a batch of runs is, for the progress bar; changes nothing.
#pragma once

#include <functional>
#include <utility>
#include <vector>

#include "planner/cost/streaming_oracle.h"

namespace dfsim {

class WatchedOracle final : public StreamingOracle {
 public:
  /// `told(done, asked)` is called at the start of a batch and after each run of it.
  using Told = std::function<void(std::size_t done, std::size_t asked)>;
  WatchedOracle(StreamingOracle& oracle, Told told) : oracle_(oracle), told_(std::move(told)) {}

  std::vector<PriceAnswer> stream_stages(const std::vector<Stage>& stages, const PriceLimit& limit,
                                         const PriceDone& done) override {
    return oracle_.stream_stages(stages, limit, counted(done, stages.size()));
  }
  std::vector<PriceAnswer> stream_transfers(const std::vector<std::pair<Stage, Stage>>& pairs,
                                            const PriceDone& done) override {
    return oracle_.stream_transfers(pairs, counted(done, pairs.size()));
  }
  std::vector<PlanAnswer> stream_plans(const std::vector<Plan>& plans, const PlanDone& done) override {
    return oracle_.stream_plans(plans, counted(done, plans.size()));
  }

 private:
  template <class Done>
  Done counted(Done done, std::size_t asked) {
    if (told_) told_(0, asked);
    return [this, done = std::move(done), asked, count = std::size_t{0}](std::size_t index,
                                                                         const auto& answer) mutable {
      if (done) done(index, answer);
      if (told_) told_(++count, asked);
    };
  }

  StreamingOracle& oracle_;
  Told told_;
};

}  // namespace dfsim
