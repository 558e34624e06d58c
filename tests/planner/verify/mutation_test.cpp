// Right programs with one mistake in them: nearly all are refused by the simulator's loader or caught by the
// executor. DFSIM_MUTANTS asks for more of them (scripts/verify_random).
#include "tests/planner/verify/mutation.h"

#include <gtest/gtest.h>

#include <algorithm>

#include "planner/intra_stage/operator_candidates.h"
#include "planner/lower/lower.h"
#include "planner/verify/verify.h"
#include "sim/hw/hardware_config.h"
#include "sim/pe/loaded_program.h"
#include "tests/numbers.h"
#include "tests/planner/intra_stage/fixture.h"

namespace dfsim {

namespace {

using namespace test;

std::string refused_by_loader(const Program& program, const HardwareSpec& hardware) {
  LoadedProgram loaded;
  return load_program(
      program, hardware, [](NocId, NocId, TransferId) { return std::optional<EndpointId>(); }, loaded);
}

/// A network, its plan on a mesh of 4 x 4 PEs and the program.
struct Subject {
  HardwareSpec hardware = load_hardware(DFSIM_SOURCE_DIR "/configs/mesh4x4.yaml");
  Graph graph;
  std::uint32_t samples = 4, right_sub_batches = 2;
  std::optional<Program> program;

  /// Operators [0, cut) on the left half, the others on the right half, each with the first of its candidates
  /// from number `choice` on.
  void lower(std::uint32_t cut, std::size_t choice) {
    graph.tensor(graph.operators().back().outputs[0]).role = TensorRole::output;
    Plan plan;
    plan.samples = samples;
    for (std::uint32_t half = 0; half < 2; ++half) {
      Stage stage;
      stage.name = half == 0 ? "left" : "right";
      const auto ops = static_cast<std::uint32_t>(graph.operators().size());
      for (std::uint32_t op = half == 0 ? 0 : cut; op < (half == 0 ? cut : ops); ++op)
        stage.operators.emplace_back(op);
      stage.group = rectangle(2 * half, 0, 2, 4);
      stage.strategy.sub_batches = half == 0 ? 1 : right_sub_batches;
      const StageProposal proposal{stage.operators, stage.group};
      CandidateRequest request;
      request.proposal = &proposal;
      request.samples = samples / stage.strategy.sub_batches;
      const StageClasses classes = form_candidates(graph, hardware, request);
      for (const OpId op : stage.operators) {
        const auto& candidates = classes.classes[classes.class_of.at(op)].candidates;
        stage.strategy.operators.push_back(candidates[choice % candidates.size()]);
      }
      plan.stages.push_back(stage);
    }
    LowerOptions options;
    options.samples = samples;
    options.periods = 2;
    auto result = lower_plan(graph, hardware, plan, options);
    ASSERT_TRUE(result) << result.reason().to_string();
    program = std::move(result.value());
  }
};

void expect_caught(const Subject& subject, std::uint64_t seed, std::uint64_t mutants) {
  ASSERT_TRUE(subject.program);
  const Verifier verifier(subject.graph, subject.samples, {});
  ASSERT_EQ(refused_by_loader(*subject.program, subject.hardware), "");
  const Verification right = verifier.run(*subject.program, subject.hardware, "right", 1);
  ASSERT_FALSE(right.fault) << right.fault->to_string();
  std::uint64_t survived = 0, by_loader = 0;
  std::string survivors;
  for (std::uint64_t number = 0; number < mutants; ++number) {
    Rng rng(seed, number);
    Program mutant = *subject.program;
    const std::string what = mutate(mutant, rng);
    if (!refused_by_loader(mutant, subject.hardware).empty()) {
      ++by_loader;
      continue;
    }
    if (verifier.run(mutant, subject.hardware, "mutant", number).fault) continue;
    ++survived;
    survivors += "\n  " + what;
  }
  testing::Test::RecordProperty("refused_by_loader", static_cast<int>(by_loader));
  testing::Test::RecordProperty("survived", static_cast<int>(survived));
  EXPECT_LE(100 * survived, mutants) << survived << " of " << mutants << " mutants survived, " << by_loader
                                     << " were refused by the loader" << survivors;
}

std::uint64_t mutants() { return number_from("DFSIM_MUTANTS", 100); }

TEST(Mutation, MistakesInAnEncoderAreCaught) {
  Subject subject;
  subject.graph = encoder(1, 16, 64, 4);
  subject.lower(8, 0);
  expect_caught(subject, 1, mutants());
}

TEST(Mutation, MistakesInAPerceptronAreCaught) {
  Subject subject;
  subject.graph = mlp(3, 8, 96);
  subject.lower(3, 1);
  expect_caught(subject, 2, mutants());
}

/// So every dependence that is deleted above is one that counts.
void expect_nothing_implied(const Program& program) {
  std::size_t dependences = 0;
  for (const PeProgram& pe : program.pes)
    for (std::uint32_t op = 0; op < pe.ops.size(); ++op)
      for (std::uint32_t d = pe.ops[op].dependences.begin; d < pe.ops[op].dependences.end; ++d, ++dependences)
        ASSERT_FALSE(implied(pe, op, d)) << "PE " << pe.pe.value() << ", micro-op " << op;
  EXPECT_GT(dependences, 500u);
}

TEST(Mutation, ALoweredProgramHoldsNoDependenceThatOthersImply) {
  Subject attention;
  attention.graph = encoder(1, 16, 64, 4);
  for (std::size_t choice = 0; choice < 3; ++choice) {
    attention.lower(8, choice);
    expect_nothing_implied(*attention.program);
  }
  Subject perceptron;
  perceptron.graph = mlp(3, 8, 96);
  for (std::size_t choice = 0; choice < 3; ++choice) {
    perceptron.lower(3, choice);
    expect_nothing_implied(*perceptron.program);
  }
}

/// Two operators that share nothing but a control edge, on different PEs: only a token orders them.
TEST(Mutation, AMissingTokenOfAControlEdgeIsCaught) {
  Subject subject;
  Graph& graph = subject.graph;
  for (const char* name : {"first", "second"})
    add_operator(graph, "copy", {add_input(graph, std::string("x_") + name, {6, 5})}, {}, name,
                 TensorRole::output);
  graph.add_control_edge(OpId(0), OpId(1));
  subject.right_sub_batches = 1;  // a second one would wait for the first
  subject.lower(1, 0);
  Program& program = *subject.program;
  VerifyOptions options;
  options.orders = 20;
  const Verifier verifier(graph, subject.samples, options);
  ASSERT_FALSE(verifier.run(program, subject.hardware, "right", 1).fault);
  const auto last_token = std::find_if(program.transfers.rbegin(), program.transfers.rend(),
                                       [](const Transfer& transfer) { return transfer.bytes == 0; });
  ASSERT_NE(last_token, program.transfers.rend());
  delete_transfer(program, TransferId(static_cast<std::uint32_t>(program.transfers.rend() - last_token) - 1));
  const Verification result = verifier.run(program, subject.hardware, "without the token", 1);
  ASSERT_TRUE(result.fault);
  EXPECT_NE(result.fault->what.find("before 'first' has ended with it, against the control edge"),
            std::string::npos)
      << result.fault->what;
}

}  // namespace

}  // namespace dfsim
