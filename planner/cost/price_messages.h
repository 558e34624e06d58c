// planner/cost/price_messages.h: what the planner asks its worker processes, and what they answer, as text.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "planner/cost/cost_oracle.h"
#include "planner/plan/plan.h"

namespace dfsim {

/// `stages` holds one stage, or producer and consumer of a transfer, or all stages of a plan.
struct PriceRequest {
  enum class Kind : std::uint8_t { stage, transfer, plan };
  Kind kind = Kind::stage;
  std::vector<Stage> stages;
  std::uint32_t samples = 8;  ///< of one period
  PriceLimit limit;           ///< of a stage
  bool operator==(const PriceRequest& other) const {
    return kind == other.kind && stages == other.stages && samples == other.samples &&
           limit.latency_cycles == other.limit.latency_cycles &&
           limit.period_cycles == other.limit.period_cycles;
  }
};

std::string to_text(const PriceRequest& request);
std::string to_text(const PriceAnswer& answer);
std::string to_text(const PlanAnswer& answer);

/// All throw std::runtime_error for a text that to_text did not write.
PriceRequest price_request_from(const std::string& text);
PriceAnswer price_answer_from(const std::string& text);
PlanAnswer plan_answer_from(const std::string& text);

/// True if `price` is more than `limit` allows: such an answer is `stopped`, however the run ended.
bool exceeds(const StagePrice& price, const PriceLimit& limit);

}  // namespace dfsim
