// The simulator and the executor run the same random programs: bytes agree for every primitive, and so do
// products.
#include <gtest/gtest.h>

#include <memory>

#include "planner/lower/lower.h"
#include "planner/ops/operator.h"
#include "planner/verify/verify.h"
#include "sim/hw/hardware_config.h"
#include "sim/system/system.h"
#include "tests/numbers.h"
#include "tests/planner/verify/random_case.h"

namespace dfsim {

namespace {

/// One machine per process.
ProgramRunner& machine() {
  static const HardwareSpec hardware = load_hardware(DFSIM_SOURCE_DIR "/configs/mesh4x4.yaml");
  static const std::unique_ptr<ProgramRunner> runner = make_program_runner(hardware);
  return *runner;
}

class Measured : public testing::TestWithParam<std::string> {};

TEST_P(Measured, BytesAreThoseThatWereExecuted) {
  const std::uint64_t first = test::number_from("DFSIM_RANDOM_SEED", 1);
  const std::uint64_t cases = test::number_from("DFSIM_RANDOM_CASES", 6);
  const HardwareSpec& hardware = machine().hardware();
  for (std::uint64_t seed = first; seed < first + cases; ++seed) {
    const test::RandomCase drawn = test::random_case(GetParam(), seed, hardware);
    LowerOptions options;
    options.samples = drawn.plan.samples;
    options.periods = 2;
    const auto program = lower_plan(drawn.graph, hardware, drawn.plan, options);
    if (!program) continue;
    RunLimit limit;
    limit.cycles = 10'000'000;
    const RunOutcome outcome = machine().run(program.value(), limit);
    ASSERT_EQ(outcome.status, RunStatus::finished) << "seed " << seed << ": " << outcome.reason << "\n"
                                                   << drawn.description;
    const Verifier verifier(drawn.graph, drawn.plan.samples, {});
    const Verification result = verifier.run(program.value(), hardware, "case", seed);
    ASSERT_FALSE(result.fault) << "seed " << seed << ": " << result.fault->to_string();
    EXPECT_EQ(outcome.measurement.primitive_bytes, result.primitive_bytes) << "seed " << seed;
    EXPECT_EQ(outcome.measurement.macs, 2 * drawn.plan.samples * macs_per_sample(drawn.graph))
        << "seed " << seed;
  }
}

INSTANTIATE_TEST_SUITE_P(Operator, Measured, testing::ValuesIn(OperatorRegistry::instance().names()),
                         [](const auto& kind) { return kind.param; });

}  // namespace

}  // namespace dfsim
