// planner/cost/cached.h: an oracle in front of another that never runs equal work twice.
#pragma once

#include <functional>
#include <map>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "planner/cost/price_key.h"
#include "planner/cost/price_store.h"
#include "planner/cost/streaming_oracle.h"

namespace dfsim {

struct CacheOptions {
  std::optional<std::string> file;  ///< none: remembers within this process only
  PriceContext context;
};

/// Answers are the same whether they come from a run, from this process' memory or from the file: only
/// `reused` differs. A stopped run is reused only for limits at most as high as the one it exceeded. Every
/// answer is kept as soon as it is there. Answers given up by an interruption are not kept.
class CachedOracle final : public CostOracle {
 public:
  CachedOracle(StreamingOracle& inner, const Graph& graph, const HardwareSpec& hardware,
               const CacheOptions& options, PriceStore::Warn warn);

  std::vector<PriceAnswer> price_stages(const std::vector<Stage>& stages, const PriceLimit& limit) override;
  std::vector<PriceAnswer> price_transfers(const std::vector<std::pair<Stage, Stage>>& pairs) override;
  std::vector<PlanAnswer> measure_plans(const std::vector<Plan>& plans) override;

 private:
  template <class Answer>
  std::optional<Answer> find(const PriceKey& key, const PriceLimit& limit);
  template <class Answer>
  void keep(const PriceKey& key, const PriceLimit& limit, const Answer& answer);
  template <class Answer, class RunBatch>
  std::vector<Answer> answer(const std::vector<PriceKey>& keys, const PriceLimit& limit, const RunBatch& run);
  std::optional<StoredAnswer> stored(const std::string& key);

  StreamingOracle& inner_;
  PriceKeys keys_;
  PriceStore store_;
  std::map<std::string, StoredAnswer> known_;
  PriceStore::Warn warn_;
};

}  // namespace dfsim
