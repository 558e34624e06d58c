#include "planner/inter_stage/plan_score.h"

#include <tuple>

namespace dfsim {

PlanRank operator+(const PlanRank& a, const PlanRank& b) {
  return {a.unmeasured + b.unmeasured, a.latency + b.latency, a.spread + b.spread, a.pes + b.pes};
}

bool better(const PlanRank& a, const PlanRank& b, Aim aim) {
  if (!a.possible() || !b.possible()) return a.possible();
  switch (aim) {
    case Aim::interval:
      return std::tie(a.unmeasured, a.latency, a.spread) < std::tie(b.unmeasured, b.latency, b.spread);
    case Aim::pes:
      return std::tie(a.pes, a.unmeasured, a.latency, a.spread) <
             std::tie(b.pes, b.unmeasured, b.latency, b.spread);
    case Aim::latency:
    case Aim::makespan:
      break;
  }
  return std::tie(a.latency, a.unmeasured, a.spread) < std::tie(b.latency, b.unmeasured, b.spread);
}

double PlanScore::value(const PlanAim& aim) const {
  switch (aim.kind) {
    case Aim::interval:
      return slowest;
    case Aim::latency:
      return rank.latency;
    case Aim::makespan:
      return rank.latency + (aim.micro_batches - 1) * slowest;
    case Aim::pes:
      break;
  }
  return rank.pes;
}

bool better(const PlanScore& a, const PlanScore& b, const PlanAim& aim) {
  const double one = a.value(aim), two = b.value(aim);
  return one != two ? one < two : better(a.rank, b.rank, aim.kind);
}

}  // namespace dfsim
