// planner/cost/simulated.h: prices measured by running programs in worker processes.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "planner/cost/price_messages.h"
#include "planner/cost/streaming_oracle.h"
#include "planner/graph/graph.h"
#include "sim/api/hardware.h"
#include "sim/base/worker_pool.h"

namespace dfsim {

class ProgramRunner;

struct PricingOptions {
  std::uint32_t samples = 8;  ///< of one period
  std::uint32_t periods = 3;  ///< P: measured periods of a whole plan, at least 2
  std::uint64_t seed = 1;     ///< draws the rows that embedding operators gather
};

using RunnerFactory = std::function<std::unique_ptr<ProgramRunner>()>;

/// What a worker process does: lowers what is asked for, runs it and answers. `graph` and `hardware` must
/// live as long as the pool, which forks again when a worker dies. The runner is made in the worker.
WorkerPool::HandlerFactory make_pricing_handler(const Graph& graph, const HardwareSpec& hardware,
                                                RunnerFactory make_runner, const PricingOptions& options);

/// Asks a pool of workers that run make_pricing_handler. Batches do not depend on the number of workers.
class SimulatedOracle final : public StreamingOracle {
 public:
  /// `interrupted` (may be empty) is polled; answers not there when it turns true have the status `failed`
  /// and the reason kInterrupted.
  SimulatedOracle(WorkerPool& pool, const PricingOptions& options, std::function<bool()> interrupted = {});

  static constexpr const char* kInterrupted = "interrupted";

  std::vector<PriceAnswer> stream_stages(const std::vector<Stage>& stages, const PriceLimit& limit,
                                         const PriceDone& done) override;
  std::vector<PriceAnswer> stream_transfers(const std::vector<std::pair<Stage, Stage>>& pairs,
                                            const PriceDone& done) override;
  std::vector<PlanAnswer> stream_plans(const std::vector<Plan>& plans, const PlanDone& done) override;

 private:
  std::vector<PriceAnswer> prices(const std::vector<PriceRequest>& requests, const PriceDone& done);

  WorkerPool& pool_;
  PricingOptions options_;
  std::function<bool()> interrupted_;
};

}  // namespace dfsim
