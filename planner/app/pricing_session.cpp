#include "planner/app/pricing_session.h"

#include <cstdio>
#include <utility>

#include "planner/app/interrupt.h"
#include "planner/app/version.h"
#include "sim/api/program_runner.h"
#include "sim/system/system.h"

namespace dfsim {

PricingSession::PricingSession(const Graph& graph, const HardwareSpec& hardware,
                               const PricingOptions& options, std::uint32_t workers,
                               const std::optional<std::string>& cache_file, JobTokens* tokens,
                               WatchedOracle::Told told)
    : pool_(workers,
            make_pricing_handler(
                graph, hardware, [&hardware] { return make_program_runner(hardware); }, options),
            tokens),
      simulated_(pool_, options, interrupted),
      watched_(simulated_, std::move(told)) {
  CacheOptions cache;
  cache.file = cache_file;
  cache.context = {options.samples, options.periods, options.seed, simulator_hash()};
  cached_ = std::make_unique<CachedOracle>(watched_, graph, hardware, cache, [](const std::string& text) {
    std::fprintf(stderr, "warning: %s\n", text.c_str());
  });
}

}  // namespace dfsim
