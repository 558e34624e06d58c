#include "planner/app/card_times.h"

#include <fmt/format.h>

#include <cmath>
#include <cstdio>
#include <memory>
#include <numeric>

#include "planner/app/exit_codes.h"
#include "planner/app/interrupt.h"
#include "planner/app/pricing_session.h"
#include "planner/frontend/frontend.h"
#include "planner/inter_stage/optimizer.h"
#include "planner/intra_stage/optimizer.h"
#include "planner/loop/loop.h"
#include "planner/placement/subgraph_file.h"

namespace dfsim {

bool CardTimes::wanted(std::size_t subgraph, std::uint32_t processor) const {
  if (assignment_) return (*assignment_)[subgraph] == processor;
  return cut_.subgraphs[subgraph].allowed[processor];
}

std::optional<CardTime> CardTimes::known(std::size_t subgraph, std::size_t sample,
                                         std::uint32_t processor) const {
  for (const StoredCardTime& stored : stored_)
    if (stored.subgraph == cut_.subgraphs[subgraph].name &&
        stored.dimensions == samples_[sample].dimensions &&
        stored.processor == server_.processors[processor].name)
      return stored.time;
  return std::nullopt;
}

CardTimes::Answer CardTimes::plan(const Graph& graph, const HardwareSpec& chip) const {
  LoopOptions loop;
  loop.goal.objective = Objective::latency;
  loop.goal.samples = 1;
  loop.intra.samples = 1;
  loop.intra.objective = Objective::latency;
  loop.intra.stage_candidates = planning_.stage_candidates;
  loop.intra.seed = planning_.seed;
  loop.max_rounds = planning_.max_rounds;
  loop.seed = planning_.seed;
  const PricingOptions pricing{1, 3, planning_.seed};
  PricingSession session(graph, chip, pricing, planning_.workers, planning_.cache_file);
  const auto inter = InterStageRegistry::instance().make("dp");
  const auto intra = IntraStageRegistry::instance().make("two_level");
  LoopEvents events;
  events.interrupted = interrupted;
  const auto result = dfsim::plan(graph, chip, *inter, *intra, session.cached(), loop, events);
  if (interrupted()) throw CommandFailure(kInterrupted, "interrupted before all sub-graphs were planned");
  if (!result || result->plan.stages.empty())
    return {{},
            "no plan fits: " + (result ? std::string("nothing could be run") : result.reason().to_string())};
  const PlanAnswer& run = result->winner.answer;
  const auto interval = static_cast<std::uint64_t>(std::llround(run.period_cycles()));
  return {{run.latency_cycles() * chip.clock_period_ps, interval * chip.clock_period_ps}, {}};
}

CardTimes::Answer CardTimes::time_of(std::size_t subgraph, std::size_t sample, std::uint32_t processor) {
  if (const auto stored = known(subgraph, sample, processor)) return {*stored, {}};
  const CutSubgraph& part = cut_.subgraphs[subgraph];
  const std::string text = subgraph_model(samples_[sample].graph, part, part.name);
  const Graph graph = read_model_text(text, part.name + ".yaml").graph;
  std::vector<OpId> all;
  for (std::uint32_t op = 0; op < graph.operators().size(); ++op) all.push_back(OpId(op));
  const HardwareSpec& chip = chips_.at(processor);
  const std::string key = chip.fingerprint() + "\n" + graph.signature(all);
  const auto it = answers_.find(key);
  if (it != answers_.end()) return it->second;
  const Answer answer = plan(graph, chip);
  ++planned_;
  fmt::print(
      stderr, "{} on {} ({}): {}\n", part.name, server_.processors[processor].name, samples_[sample].name,
      answer.refusal.empty()
          ? fmt::format("{:.1f} us, then every {:.1f} us", static_cast<double>(answer.time.latency_ps) / 1e6,
                        static_cast<double>(answer.time.interval_ps) / 1e6)
          : answer.refusal);
  return answers_.emplace(key, answer).first->second;
}

void CardTimes::measure(ServerTask& task, HeterogeneousStructure* structure) {
  for (const auto& [processor, chip] : chips_)
    for (std::size_t i = 0; i < cut_.subgraphs.size(); ++i) {
      if (!wanted(i, processor) || (structure && !structure->subgraphs[i].supported[processor])) continue;
      for (std::size_t s = 0; s < samples_.size(); ++s) {
        const Answer answer = time_of(i, s, processor);
        if (answer.refusal.empty()) {
          task.subgraphs[i][s].card_times[processor] = answer.time;
          continue;
        }
        if (!structure)
          throw CommandFailure(kNothingFits, fmt::format("{} on {}: {}", cut_.subgraphs[i].name,
                                                         server_.processors[processor].name, answer.refusal));
        structure->subgraphs[i].supported[processor] = false;
        structure->subgraphs[i].refused[processor] = answer.refusal;
        break;
      }
    }
}

std::vector<StoredCardTime> CardTimes::stored(const ServerTask& task) const {
  std::vector<StoredCardTime> result;
  for (std::size_t i = 0; i < task.subgraphs.size(); ++i)
    for (std::size_t s = 0; s < samples_.size(); ++s)
      for (const auto& [processor, time] : task.subgraphs[i][s].card_times)
        result.push_back(
            {samples_[s].dimensions, cut_.subgraphs[i].name, server_.processors[processor].name, time});
  return result;
}

}  // namespace dfsim
