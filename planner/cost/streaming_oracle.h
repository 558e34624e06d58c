// planner/cost/streaming_oracle.h: an oracle that hands out every answer as soon as it is there, so that a
// cache can keep it before the batch ends.
#pragma once

#include <cstddef>
#include <functional>
#include <utility>
#include <vector>

#include "planner/cost/cost_oracle.h"

namespace dfsim {

class StreamingOracle : public CostOracle {
 public:
  /// Called in order of completion with the index of the request; not called for requests that were given up
  /// because of an interruption.
  using PriceDone = std::function<void(std::size_t, const PriceAnswer&)>;
  using PlanDone = std::function<void(std::size_t, const PlanAnswer&)>;

  virtual std::vector<PriceAnswer> stream_stages(const std::vector<Stage>& stages, const PriceLimit& limit,
                                                 const PriceDone& done) = 0;
  virtual std::vector<PriceAnswer> stream_transfers(const std::vector<std::pair<Stage, Stage>>& pairs,
                                                    const PriceDone& done) = 0;
  virtual std::vector<PlanAnswer> stream_plans(const std::vector<Plan>& plans, const PlanDone& done) = 0;

  std::vector<PriceAnswer> price_stages(const std::vector<Stage>& stages, const PriceLimit& limit) final {
    return stream_stages(stages, limit, {});
  }
  std::vector<PriceAnswer> price_transfers(const std::vector<std::pair<Stage, Stage>>& pairs) final {
    return stream_transfers(pairs, {});
  }
  std::vector<PlanAnswer> measure_plans(const std::vector<Plan>& plans) final {
    return stream_plans(plans, {});
  }
};

}  // namespace dfsim
