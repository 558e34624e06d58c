#include "planner/intra_stage/candidate_log.h"

#include <fmt/format.h>

#include <algorithm>
#include <set>

#include "planner/plan/plan_text.h"
#include "sim/base/hash.h"
#include "sim/base/rng.h"

namespace dfsim {

std::string to_string(CandidateStatus status) {
  switch (status) {
    case CandidateStatus::executed:
      return "executed";
    case CandidateStatus::stopped:
      return "stopped";
    case CandidateStatus::discarded:
      return "discarded";
    case CandidateStatus::infeasible:
      return "infeasible";
  }
  return "unknown";
}

std::string to_string(CandidateLevel level) {
  switch (level) {
    case CandidateLevel::stage:
      return "stage";
    case CandidateLevel::op:
      return "op";
    case CandidateLevel::reslice:
      return "reslice";
  }
  return "unknown";
}

std::string candidate_id(CandidateLevel level, const Stage& candidate, const Stage& consumer) {
  std::string content = to_string(level) + " " + nameless_text(candidate);
  if (level == CandidateLevel::reslice) content += " to " + nameless_text(consumer);
  return content_hash(content);
}

std::uint64_t CandidateLog::component(const StagePrice& price) const {
  return options_.objective == Objective::latency ? price.latency_cycles : price.period_cycles;
}

std::size_t CandidateLog::form(CandidateRecord record, const StagePrice& bound) {
  record.id = candidate_id(record.level, record.candidate, record.consumer);
  const auto [known, fresh] = numbers_.emplace(record.id, records_.size());
  if (!fresh) return known->second;
  record.status = CandidateStatus::discarded;
  record.bound = component(bound);
  bounds_.push_back(record.bound);
  started_.push_back(false);
  records_.push_back(std::move(record));
  return records_.size() - 1;
}

std::size_t CandidateLog::form_stage(CandidateLevel level, Stage candidate, const StagePrice& bound) {
  CandidateRecord record;
  record.level = level;
  record.candidate = std::move(candidate);
  return form(std::move(record), bound);
}

std::size_t CandidateLog::form_transfer(Stage producer, Stage consumer, const StagePrice& bound) {
  CandidateRecord record;
  record.level = CandidateLevel::reslice;
  record.candidate = std::move(producer);
  record.consumer = std::move(consumer);
  return form(std::move(record), bound);
}

void CandidateLog::form_infeasible(Stage candidate, const StagePrice& bound, const PriceAnswer& answer) {
  const std::size_t number = form_stage(CandidateLevel::stage, std::move(candidate), bound);
  if (!started_[number]) settle(number, answer);
}

void CandidateLog::settle(std::size_t number, const PriceAnswer& answer) {
  CandidateRecord& record = records_[number];
  started_[number] = true;
  record.reused = answer.reused;
  record.program_hash = answer.program_hash;
  record.reason = answer.reason;
  record.bound = 0;
  switch (answer.status) {
    case PriceStatus::executed:
      record.status = CandidateStatus::executed;
      record.price = answer.price;
      break;
    case PriceStatus::stopped:
      record.status = CandidateStatus::stopped;
      break;
    case PriceStatus::infeasible:
    case PriceStatus::failed:  // a candidate that deadlocks is as unusable as one that does not fit
      record.status = CandidateStatus::infeasible;
      break;
  }
}

std::string CandidateLog::last_reason() const {
  const auto last = std::find_if(records_.rbegin(), records_.rend(), [](const CandidateRecord& record) {
    return record.status == CandidateStatus::infeasible;
  });
  return last == records_.rend() ? std::string() : last->reason;
}

std::vector<std::size_t> CandidateLog::not_started(const std::vector<std::size_t>& numbers) const {
  std::vector<std::size_t> result;
  std::set<std::size_t> seen;
  for (const std::size_t number : numbers)
    if (!started_[number] && seen.insert(number).second) result.push_back(number);
  return result;
}

void CandidateLog::run_stages(const std::vector<std::size_t>& numbers, std::uint64_t limit) {
  const std::vector<std::size_t> batch = not_started(numbers);
  if (batch.empty()) return;
  std::vector<Stage> stages;
  for (const std::size_t number : batch) stages.push_back(records_[number].candidate);
  PriceLimit price_limit;
  (options_.objective == Objective::latency ? price_limit.latency_cycles : price_limit.period_cycles) = limit;
  const std::vector<PriceAnswer> answers = oracle_.price_stages(stages, price_limit);
  for (std::size_t i = 0; i < batch.size(); ++i) settle(batch[i], answers.at(i));
}

void CandidateLog::run_transfers(const std::vector<std::size_t>& numbers) {
  const std::vector<std::size_t> batch = not_started(numbers);
  if (batch.empty()) return;
  std::vector<std::pair<Stage, Stage>> pairs;
  for (const std::size_t number : batch)
    pairs.emplace_back(records_[number].candidate, records_[number].consumer);
  const std::vector<PriceAnswer> answers = oracle_.price_transfers(pairs);
  for (std::size_t i = 0; i < batch.size(); ++i) settle(batch[i], answers.at(i));
}

std::optional<std::size_t> CandidateLog::cheapest_stage(std::vector<std::size_t> numbers, std::size_t batch) {
  std::stable_sort(numbers.begin(), numbers.end(),
                   [&](std::size_t a, std::size_t b) { return bounds_[a] < bounds_[b]; });
  std::optional<std::size_t> best;
  const auto beaten = [&](std::size_t number) {
    if (options_.prune != PruneMode::automatic || !best) return false;
    return bounds_[number] > cycles(*best) || (bounds_[number] == cycles(*best) && number > *best);
  };
  for (std::size_t next = 0; next < numbers.size();) {
    std::vector<std::size_t> chosen;
    for (; next < numbers.size() && chosen.size() < batch; ++next)
      if (!beaten(numbers[next])) chosen.push_back(numbers[next]);
    const bool limited = best && options_.prune != PruneMode::none;
    run_stages(chosen, limited ? cycles(*best) : 0);
    for (const std::size_t number : chosen)
      if (executed(number) &&
          (!best || cycles(number) < cycles(*best) || (cycles(number) == cycles(*best) && number < *best)))
        best = number;
  }
  return best;
}

std::uint32_t CandidateLog::audit() {
  std::vector<std::size_t> discarded;
  for (std::size_t number = 0; number < records_.size(); ++number)
    if (records_[number].status == CandidateStatus::discarded &&
        records_[number].level != CandidateLevel::reslice)
      discarded.push_back(number);
  Rng rng(options_.seed, discarded.size());
  std::vector<std::size_t> chosen;
  while (chosen.size() < options_.audit && !discarded.empty()) {
    const auto at = discarded.begin() + static_cast<std::ptrdiff_t>(rng.below(discarded.size()));
    chosen.push_back(*at);
    discarded.erase(at);
  }
  if (chosen.empty()) return 0;
  std::vector<Stage> stages;
  for (const std::size_t number : chosen) stages.push_back(records_[number].candidate);
  const std::vector<PriceAnswer> answers = oracle_.price_stages(stages, {});
  std::uint32_t violations = 0;
  for (std::size_t i = 0; i < chosen.size(); ++i) {
    if (answers.at(i).status != PriceStatus::executed) continue;
    const std::uint64_t measured = component(answers[i].price);
    const bool violated = bounds_[chosen[i]] > measured;
    violations += violated ? 1 : 0;
    records_[chosen[i]].reason =
        fmt::format("audited: measured {}{}", measured, violated ? ", below the bound" : "");
  }
  return violations;
}

}  // namespace dfsim
