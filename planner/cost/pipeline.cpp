#include "planner/cost/pipeline.h"

#include <algorithm>
#include <map>
#include <set>
#include <tuple>

namespace dfsim {

namespace {

/// One stage of one period: due when its inputs are there, served by its group.
struct Turn {
  double ready = 0;
  std::uint32_t period = 0, stage = 0;
  auto key() const { return std::tie(period, stage); }
  bool operator<(const Turn& other) const { return key() < other.key(); }
};

class EventSchedule {
 public:
  EventSchedule(const std::vector<ScheduledStage>& stages, const std::vector<ScheduledTransfer>& transfers,
                std::uint32_t periods)
      : stages_(stages),
        transfers_(transfers),
        waiting_(periods, std::vector<std::uint32_t>(stages.size(), 0)),
        ready_(periods, std::vector<double>(stages.size(), 0)),
        transfer_free_(transfers.size(), 0),
        done_(periods, 0) {
    for (const ScheduledTransfer& transfer : transfers)
      for (auto& counts : waiting_) ++counts[transfer.consumer];
    for (std::uint32_t period = 0; period < periods; ++period)
      for (std::uint32_t stage = 0; stage < stages.size(); ++stage)
        if (waiting_[period][stage] == 0) due_.insert({0, period, stage});
  }

  /// Always serves the turn that can start first; of those the one of the earliest period.
  std::vector<double> run() {
    while (!due_.empty()) {
      auto next = due_.begin();
      for (auto it = due_.begin(); it != due_.end(); ++it)
        if (start(*it) < start(*next)) next = it;
      const Turn turn = *next;
      due_.erase(next);
      serve(turn);
    }
    return done_;
  }

 private:
  double start(const Turn& turn) { return std::max(turn.ready, group_free_[stages_[turn.stage].group]); }

  void serve(const Turn& turn) {
    const ScheduledStage& stage = stages_[turn.stage];
    const double begin = start(turn), end = begin + stage.latency_cycles;
    group_free_[stage.group] = begin + stage.period_cycles;
    done_[turn.period] = std::max(done_[turn.period], end);
    for (std::uint32_t t = 0; t < transfers_.size(); ++t) {
      if (transfers_[t].producer != turn.stage) continue;
      const double sent = std::max(end, transfer_free_[t]);
      transfer_free_[t] = sent + transfers_[t].period_cycles;
      arrive(turn.period, transfers_[t].consumer, sent + transfers_[t].latency_cycles);
    }
  }

  void arrive(std::uint32_t period, std::uint32_t stage, double time) {
    ready_[period][stage] = std::max(ready_[period][stage], time);
    if (--waiting_[period][stage] == 0) due_.insert({ready_[period][stage], period, stage});
  }

  const std::vector<ScheduledStage>& stages_;
  const std::vector<ScheduledTransfer>& transfers_;
  std::vector<std::vector<std::uint32_t>> waiting_;  ///< [period][stage]: inputs still to come
  std::vector<std::vector<double>> ready_;           ///< [period][stage]: last input so far
  std::vector<double> transfer_free_;
  std::map<std::uint32_t, double> group_free_;
  std::set<Turn> due_;
  std::vector<double> done_;
};

}  // namespace

std::vector<double> schedule(const std::vector<ScheduledStage>& stages,
                             const std::vector<ScheduledTransfer>& transfers, std::uint32_t periods) {
  return EventSchedule(stages, transfers, periods).run();
}

Estimate estimate(const std::vector<ScheduledStage>& stages,
                  const std::vector<ScheduledTransfer>& transfers) {
  std::map<std::uint32_t, double> taken;
  for (const ScheduledStage& stage : stages) taken[stage.group] += stage.period_cycles;
  Estimate result;
  for (const auto& [group, cycles] : taken) result.period_cycles = std::max(result.period_cycles, cycles);
  for (const ScheduledTransfer& transfer : transfers)
    result.period_cycles = std::max(result.period_cycles, transfer.period_cycles);
  result.latency_cycles = schedule(stages, transfers, 1).front();
  return result;
}

Estimate estimate(const Graph& graph, const InterStageStrategy& strategy, const ExecutionCost& cost,
                  TransferPrices prices) {
  std::map<PeGroup, std::uint32_t> groups;
  std::vector<ScheduledStage> stages;
  for (const StageProposal& stage : strategy.stages) {
    const auto group = groups.emplace(stage.group, static_cast<std::uint32_t>(groups.size())).first->second;
    const KnownPrice price = cost.stage(stage);
    stages.push_back({price.latency_cycles, price.period_cycles, group});
  }
  std::vector<ScheduledTransfer> transfers;
  for (const auto& [producer, consumer] : connected_stages(graph, strategy)) {
    KnownPrice price;
    if (prices == TransferPrices::counted)
      price = cost.transfer(strategy.stages[producer], strategy.stages[consumer]);
    transfers.push_back({producer, consumer, price.latency_cycles, price.period_cycles});
  }
  return estimate(stages, transfers);
}

std::vector<std::pair<std::uint32_t, std::uint32_t>> connected_stages(const Graph& graph,
                                                                      const InterStageStrategy& strategy) {
  std::map<OpId, std::uint32_t> stage_of;
  for (std::uint32_t i = 0; i < strategy.stages.size(); ++i)
    for (const OpId op : strategy.stages[i].operators) stage_of[op] = i;
  std::set<std::pair<std::uint32_t, std::uint32_t>> pairs;  // consumer first
  for (const Tensor& tensor : graph.tensors()) {
    const auto producer = tensor.producer ? stage_of.find(*tensor.producer) : stage_of.end();
    if (producer == stage_of.end()) continue;
    for (const OpId op : tensor.consumers) {
      const auto consumer = stage_of.find(op);
      if (consumer != stage_of.end() && consumer->second != producer->second)
        pairs.emplace(consumer->second, producer->second);
    }
  }
  std::vector<std::pair<std::uint32_t, std::uint32_t>> result;
  for (const auto& [consumer, producer] : pairs) result.emplace_back(producer, consumer);
  return result;
}

}  // namespace dfsim
