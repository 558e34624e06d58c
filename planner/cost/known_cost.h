// planner/cost/known_cost.h: the execution cost as the planning loop knows it: preset, measured, or bound.
#pragma once

#include <functional>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "planner/cost/cost_oracle.h"
#include "planner/graph/graph.h"
#include "planner/plan/execution_cost.h"
#include "planner/plan/plan.h"
#include "sim/api/hardware.h"

namespace dfsim {

/// Round 1: one equal price per operator, whatever the hardware. From round 2 on: what was measured, and
/// where nothing was measured, the lower bound.
///
/// Equal stages share a price: same Graph::signature, same shape of the PE group, equal NoCs.
/// Not modelled: where on its NoC a group lies (its way to the memory ports); the whole-plan run feels it.
class KnownCost : public ExecutionCost {
 public:
  using StageBound = std::function<StagePrice(const StageProposal&)>;
  static constexpr double kPresetCyclesPerOperator = 1000;

  KnownCost(const Graph& graph, const HardwareSpec& hardware, StageBound bound);

  KnownPrice stage(const StageProposal& stage) const override;
  /// Measured, else 0 cycles (a bound). In the neutral round 0 as well.
  KnownPrice transfer(const StageProposal& producer, const StageProposal& consumer) const override;

  /// Ends the neutral round: from now on measured prices and bounds count.
  void forget_preset() { neutral_ = false; }
  void set_measured(const StageProposal& stage, const StagePrice& price);
  void set_measured(const StageProposal& producer, const StageProposal& consumer, const StagePrice& price);
  /// The transfer cannot be made: plans with it are never estimated finite.
  void set_impossible(const StageProposal& producer, const StageProposal& consumer);
  /// `stage` has no candidate that fits: its price is infinite. So are those of stages that hold all its
  /// operators and end where it ends, on the same or a smaller shape: they need at least as much of each
  /// scratchpad. (One that goes on need not keep what this one makes for all samples.)
  void set_infeasible(const StageProposal& stage);
  /// Takes a measured price back: stages equal to `stage` cannot be used after all.
  void withdraw(const StageProposal& stage);
  /// Cycles per period of `stage` as seen among its neighbours in a whole-plan run. They replace the lone
  /// price; of several runs the fastest counts, since a plan may be the one with the quieter neighbours.
  void set_seen(const StageProposal& stage, std::uint64_t period_cycles);

  /// What measured stages took as a multiple of their bound: a geometric mean of the periods in which stages
  /// with the same operators, on groups of about as many PEs, count most. 1 while nothing was measured.
  double usual_factor(const StageProposal& stage) const;
  bool measured(const StageProposal& stage) const;
  bool measured(const StageProposal& producer, const StageProposal& consumer) const;
  bool infeasible(const StageProposal& stage) const;
  /// Equal for stages that share a price.
  std::string key(const StageProposal& stage) const;
  /// Equal for transfers that share a price: equal stages, equal tensors, equal distance.
  std::string key(const StageProposal& producer, const StageProposal& consumer) const;

 private:
  std::string place(const PeGroup& group) const;
  std::uint32_t noc_class(NocId noc) const;
  /// The same number for operators with the same signature.
  std::uint32_t signature(const std::vector<OpId>& ops) const;

  const Graph& graph_;
  const HardwareSpec& hardware_;
  StageBound bound_;
  bool neutral_ = true;
  std::map<std::string, StagePrice> stages_;
  std::map<std::string, std::uint64_t> seen_;
  std::map<std::string, std::optional<StagePrice>> transfers_;  ///< nothing: impossible
  std::vector<StageProposal> infeasible_;
  std::set<std::string> infeasible_keys_;
  mutable std::map<std::string, std::uint32_t> signatures_;
  mutable std::map<std::vector<OpId>, std::uint32_t> signature_of_;
  mutable std::map<std::string, StagePrice> bounds_;
  /// By signature of a single operator: whether the stage has one like it.
  std::vector<bool> operator_classes(const StageProposal& stage) const;
  /// Of a measured stage.
  struct Observation {
    std::vector<bool> operators;
    double pes = 1;
    double log_factor = 0;  ///< of measured / bound
  };
  std::vector<Observation> observations_;
  mutable std::vector<std::uint32_t> class_of_;  ///< by operator, once a stage has been measured
};

/// Another view of the prices of stages; transfers cost what they cost.
template <class Cost>
class StageView : public ExecutionCost {
 public:
  explicit StageView(const Cost& cost) : cost_(cost) {}
  KnownPrice transfer(const StageProposal& producer, const StageProposal& consumer) const override {
    return cost_.transfer(producer, consumer);
  }

 protected:
  const Cost& cost_;
};

/// What unmeasured stages are likely to cost: their bound times KnownCost::usual_factor to the power of
/// `weight` (0: as the bound says, 1: as stages usually do). Shows where to measure next; proves nothing.
class LikelyCost : public StageView<KnownCost> {
 public:
  LikelyCost(const KnownCost& cost, double weight) : StageView(cost), weight_(weight) {}
  KnownPrice stage(const StageProposal& stage) const override;

 private:
  double weight_;
};

/// Only plans that are made of measured prices: everything else is infinite.
class MeasuredOnly : public StageView<ExecutionCost> {
 public:
  using StageView::StageView;
  KnownPrice stage(const StageProposal& stage) const override;
};

enum class PlanKind : std::uint8_t { one_stage, several_stages };

/// Only plans with one stage, or only plans with several: the other stages are infinite.
class OfKind : public StageView<ExecutionCost> {
 public:
  OfKind(const ExecutionCost& cost, PlanKind kind, std::size_t operators)
      : StageView(cost), kind_(kind), operators_(operators) {}
  KnownPrice stage(const StageProposal& stage) const override;

 private:
  PlanKind kind_;
  std::size_t operators_;
};

}  // namespace dfsim
