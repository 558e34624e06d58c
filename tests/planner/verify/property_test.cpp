// Random operators, shapes, PE groups and candidates: what the lowered program computes is what the graph
// says. DFSIM_RANDOM_CASES asks for more cases per kind (scripts/verify_random), DFSIM_RANDOM_SEED for
// others.
#include <gtest/gtest.h>

#include "planner/lower/lower.h"
#include "planner/ops/operator.h"
#include "planner/verify/verify.h"
#include "sim/hw/hardware_config.h"
#include "sim/pe/loaded_program.h"
#include "tests/numbers.h"
#include "tests/planner/verify/random_case.h"

namespace dfsim {

namespace {

enum class Chip { one, small, two };

/// A mesh of 4 x 4 PEs; the same with so little scratchpad that addresses are used again and again; two
/// meshes joined by Ethernet.
const HardwareSpec& hardware(Chip chip) {
  static const std::string folder = DFSIM_SOURCE_DIR "/configs/";
  static const HardwareSpec one = load_hardware(folder + "mesh4x4.yaml");
  static const HardwareSpec small = load_hardware(folder + "mesh4x4.yaml", {"pe.scratchpad_bytes=3072"});
  static const HardwareSpec two = load_hardware(folder + "two_nocs_8x8.yaml", {"noc.dims=4x4"});
  return chip == Chip::one ? one : chip == Chip::small ? small : two;
}

/// What is wrong with a program; empty if nothing.
std::string wrong_with(const Program& program, const HardwareSpec& hardware, const Verifier& verifier,
                       std::uint64_t seed) {
  LoadedProgram loaded;
  const auto anywhere = [](NocId, NocId, TransferId) { return std::optional(EndpointId(0)); };
  if (std::string reason = load_program(program, hardware, anywhere, loaded); !reason.empty())
    return "the loader refuses " + program.name + ": " + reason;
  const Verification result = verifier.run(program, hardware, "case", seed);
  return result.fault ? program.name + ": " + result.fault->to_string() : "";
}

/// What is wrong with the plan's program; empty if nothing. None if the plan does not fit. Stages and
/// transfers alone are not run: what is given to them shares one place over the sub-batches.
std::optional<std::string> wrong_with(const test::RandomCase& drawn, const HardwareSpec& hardware,
                                      std::uint64_t seed) {
  LowerOptions options;
  options.samples = drawn.plan.samples;
  options.periods = 2;
  VerifyOptions verify;
  verify.seed = seed;
  const Verifier verifier(drawn.graph, drawn.plan.samples, verify);
  const auto whole = lower_plan(drawn.graph, hardware, drawn.plan, options);
  if (!whole) return std::nullopt;
  return wrong_with(whole.value(), hardware, verifier, seed);
}

void try_cases(const std::string& kind, const HardwareSpec& hardware, std::uint64_t cases) {
  const std::uint64_t first = test::number_from("DFSIM_RANDOM_SEED", 1);
  std::uint64_t verified = 0, failures = 0;
  for (std::uint64_t seed = first; verified < cases && failures < 5; ++seed) {
    ASSERT_LT(seed, first + 4 * cases) << "most plans do not fit";
    const test::RandomCase drawn = test::random_case(kind, seed, hardware);
    std::optional<std::string> wrong;
    try {
      wrong = wrong_with(drawn, hardware, seed);
    } catch (const std::exception& error) {
      wrong = error.what();
    }
    if (!wrong) continue;
    ++verified;
    if (!wrong->empty()) {
      ++failures;
      ADD_FAILURE() << kind << ", seed " << seed << ": " << *wrong << "\n" << drawn.description;
    }
  }
}

class Random : public testing::TestWithParam<std::string> {};

TEST_P(Random, ProgramsComputeWhatTheGraphSays) {
  try_cases(GetParam(), hardware(Chip::one), test::number_from("DFSIM_RANDOM_CASES", 8));
}

TEST_P(Random, ProgramsWithScarceScratchpadsComputeWhatTheGraphSays) {
  try_cases(GetParam(), hardware(Chip::small), test::number_from("DFSIM_RANDOM_CASES", 8));
}

TEST_P(Random, ProgramsOnTwoChipsComputeWhatTheGraphSays) {
  try_cases(GetParam(), hardware(Chip::two), test::number_from("DFSIM_RANDOM_CASES", 4));
}

INSTANTIATE_TEST_SUITE_P(Operator, Random, testing::ValuesIn(OperatorRegistry::instance().names()),
                         [](const auto& kind) { return kind.param; });

}  // namespace

}  // namespace dfsim
