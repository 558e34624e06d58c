#include "planner/cost/cached.h"

#include <fmt/format.h>

#include <stdexcept>
#include <type_traits>

#include "planner/cost/price_messages.h"

namespace dfsim {

namespace {

/// A limit of 0 is none.
bool at_most(std::uint64_t limit, std::uint64_t other) {
  return other == 0 || (limit != 0 && limit <= other);
}

template <class Answer>
Answer parse(const std::string& text) {
  if constexpr (std::is_same_v<Answer, PlanAnswer>)
    return plan_answer_from(text);
  else
    return price_answer_from(text);
}

bool exceeds_limit(const PriceAnswer& answer, const PriceLimit& limit) {
  return exceeds(answer.price, limit);
}
bool exceeds_limit(const PlanAnswer&, const PriceLimit&) { return false; }
void cut(PriceAnswer& answer) { answer.status = PriceStatus::stopped, answer.price = {}; }
void cut(PlanAnswer&) {}

/// Whether the text of an answer names operators and PEs.
template <class Answer>
bool quotes_names(const Answer& answer) {
  return answer.status == PriceStatus::infeasible || answer.status == PriceStatus::failed;
}

}  // namespace

CachedOracle::CachedOracle(StreamingOracle& inner, const Graph& graph, const HardwareSpec& hardware,
                           const CacheOptions& options, PriceStore::Warn warn)
    : inner_(inner),
      keys_(graph, hardware, options.context),
      store_(options.file, warn),
      warn_(std::move(warn)) {}

std::optional<StoredAnswer> CachedOracle::stored(const std::string& key) {
  if (const auto it = known_.find(key); it != known_.end()) return it->second;
  std::optional<StoredAnswer> answer = store_.get(key);
  if (answer) known_.emplace(key, *answer);
  return answer;
}

template <class Answer>
std::optional<Answer> CachedOracle::find(const PriceKey& key, const PriceLimit& limit) {
  for (const std::string* name : {&key.content, &key.named}) {
    const std::optional<StoredAnswer> found = stored(*name);
    if (!found) continue;
    if (!found->settled && !(at_most(limit.latency_cycles, found->limit.latency_cycles) &&
                             at_most(limit.period_cycles, found->limit.period_cycles)))
      continue;
    try {
      Answer answer = parse<Answer>(found->text);
      if (answer.status == PriceStatus::executed && exceeds_limit(answer, limit)) cut(answer);
      answer.reused = true;
      return answer;
    } catch (const std::runtime_error& error) {
      if (warn_)
        warn_(fmt::format("price cache: an entry cannot be read ({}); it is measured again", error.what()));
    }
  }
  return std::nullopt;
}

template <class Answer>
void CachedOracle::keep(const PriceKey& key, const PriceLimit& limit, const Answer& answer) {
  StoredAnswer stored{to_text(answer), answer.status != PriceStatus::stopped, limit};
  const std::string& name = quotes_names(answer) ? key.named : key.content;
  store_.put(name, stored);
  known_[name] = std::move(stored);
}

/// Runs what is not known, equal work once. Where an answer quotes names, equal work under other names is
/// asked for again, so that every answer quotes its own.
template <class Answer, class RunBatch>
std::vector<Answer> CachedOracle::answer(const std::vector<PriceKey>& keys, const PriceLimit& limit,
                                         const RunBatch& run) {
  std::vector<std::optional<Answer>> answers(keys.size());
  std::vector<Answer> given_up(keys.size());
  for (bool interrupted = false; !interrupted;) {
    std::vector<std::size_t> batch;
    std::map<std::string, std::size_t> running;
    for (std::size_t i = 0; i < keys.size(); ++i) {
      if (answers[i]) continue;
      if ((answers[i] = find<Answer>(keys[i], limit))) continue;
      if (running.emplace(keys[i].content, i).second) batch.push_back(i);
    }
    if (batch.empty()) break;
    std::size_t kept = 0;
    const std::vector<Answer> fresh = run(batch, [&](std::size_t index, const Answer& answer) {
      keep(keys[batch[index]], limit, answer);
      answers[batch[index]] = answer;
      ++kept;
    });
    interrupted = kept < batch.size();
    for (std::size_t b = 0; b < batch.size(); ++b)
      if (!answers[batch[b]]) given_up[batch[b]] = fresh[b];
  }
  std::vector<Answer> result;
  for (std::size_t i = 0; i < keys.size(); ++i) {
    if (!answers[i] && given_up[i].reason.empty()) {
      given_up[i].status = PriceStatus::failed;
      given_up[i].reason = "interrupted";
    }
    result.push_back(answers[i] ? *answers[i] : given_up[i]);
  }
  return result;
}

namespace {

template <class T>
std::vector<T> chosen(const std::vector<T>& all, const std::vector<std::size_t>& indices) {
  std::vector<T> result;
  for (const std::size_t index : indices) result.push_back(all[index]);
  return result;
}

}  // namespace

std::vector<PriceAnswer> CachedOracle::price_stages(const std::vector<Stage>& stages,
                                                    const PriceLimit& limit) {
  std::vector<PriceKey> keys;
  for (const Stage& stage : stages) keys.push_back(keys_.stage(stage));
  return answer<PriceAnswer>(keys, limit, [&](const std::vector<std::size_t>& batch, const auto& done) {
    return inner_.stream_stages(chosen(stages, batch), limit, done);
  });
}

std::vector<PriceAnswer> CachedOracle::price_transfers(const std::vector<std::pair<Stage, Stage>>& pairs) {
  std::vector<PriceKey> keys;
  for (const auto& [producer, consumer] : pairs) keys.push_back(keys_.transfer(producer, consumer));
  return answer<PriceAnswer>(keys, {}, [&](const std::vector<std::size_t>& batch, const auto& done) {
    return inner_.stream_transfers(chosen(pairs, batch), done);
  });
}

std::vector<PlanAnswer> CachedOracle::measure_plans(const std::vector<Plan>& plans) {
  std::vector<PriceKey> keys;
  for (const Plan& plan : plans) keys.push_back(keys_.plan(plan));
  return answer<PlanAnswer>(keys, {}, [&](const std::vector<std::size_t>& batch, const auto& done) {
    return inner_.stream_plans(chosen(plans, batch), done);
  });
}

}  // namespace dfsim
