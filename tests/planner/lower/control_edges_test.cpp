// What a control edge does to two independent operators, seen in a run: sub-batch by sub-batch the later one
// waits for the earlier one, and without the edge the two overlap.
#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <memory>

#include "planner/lower/lower.h"
#include "sim/api/observer.h"
#include "sim/api/program_runner.h"
#include "sim/system/system.h"
#include "tests/planner/intra_stage/fixture.h"

namespace dfsim {
namespace {

constexpr std::uint32_t kSamples = 8, kSubBatches = 4;

struct Span {
  std::uint64_t start = UINT64_MAX, end = 0;
};

/// When each operator worked on each sub-batch of the first period.
class SubBatchTimes final : public Observer {
 public:
  explicit SubBatchTimes(const Program& program) : program_(program) {}

  void micro_op(PeId pe, std::uint32_t op, std::uint32_t instance, std::uint64_t start,
                std::uint64_t end) override {
    const auto list = std::find_if(program_.pes.begin(), program_.pes.end(),
                                   [&](const PeProgram& one) { return one.pe == pe; });
    const MicroOp& micro_op = list->ops[op];
    if (instance != 0 || micro_op.kind != MicroOpKind::matmul) return;
    const Access& written = list->accesses[micro_op.writes.begin];
    Span& span = spans_[{micro_op.op, written.box.offset[0] * kSubBatches / kSamples}];
    span.start = std::min(span.start, start);
    span.end = std::max(span.end, end);
  }
  void stall(PeId, StallCause, std::uint64_t, std::uint64_t) override {}
  void transfer(TransferId, std::uint32_t, std::uint64_t, std::uint64_t) override {}

  Span of(std::uint32_t op, std::uint32_t sub_batch) const { return spans_.at({OpId(op), sub_batch}); }

 private:
  const Program& program_;
  std::map<std::pair<OpId, std::uint32_t>, Span> spans_;
};

const HardwareSpec& hardware() {
  static const HardwareSpec spec = test::chip("mesh2x2.yaml");
  return spec;
}

/// The process has one machine.
ProgramRunner& runner() {
  static const std::unique_ptr<ProgramRunner> one = make_program_runner(hardware());
  return *one;
}

/// Two products of the same input, each on one half of a 2x2 chip, four sub-batches of two samples.
Plan two_halves() {
  Plan plan;
  plan.samples = kSamples;
  for (std::uint32_t op = 0; op < 2; ++op) {
    Stage stage;
    stage.name = "stage" + std::to_string(op);
    stage.operators = {OpId(op)};
    stage.group = test::rectangle(op, 0, 1, 2);
    stage.strategy.sub_batches = kSubBatches;
    stage.strategy.weights_resident = true;
    stage.strategy.operators = {
        {{1, 1, 2, 1}, {1, 1, 1, 1}, {0, 1, 2, 3}, PeOrder::row_major, OuterLoop::features}};
    plan.stages.push_back(stage);
  }
  return plan;
}

class ControlEdges : public testing::Test {
 protected:
  void run(bool ordered) {
    Graph graph;
    const TensorId x = test::add_input(graph, "x", {64, 64});
    for (const char* name : {"first", "second"})
      test::add_operator(graph, "matmul", {x}, {{"out_features", std::int64_t{128}}}, name);
    if (ordered) graph.add_control_edge(OpId(0), OpId(1));
    LowerOptions options;
    options.samples = kSamples;
    const auto program = lower_plan(graph, hardware(), two_halves(), options);
    ASSERT_TRUE(program.ok()) << program.reason().to_string();
    program_ = *program;
    const RunOutcome outcome = runner().run(program_, {}, &times_);
    ASSERT_EQ(outcome.status, RunStatus::finished) << outcome.reason;
  }

  Program program_;
  SubBatchTimes times_{program_};
};

TEST_F(ControlEdges, LaterOperatorStartsEachSubBatchAfterTheEarlierOneEndedIt) {
  run(true);
  for (std::uint32_t s = 0; s < kSubBatches; ++s) EXPECT_GE(times_.of(1, s).start, times_.of(0, s).end) << s;
  // Only the same samples are ordered: the earlier operator goes on meanwhile.
  EXPECT_LT(times_.of(1, 0).start, times_.of(0, kSubBatches - 1).end);
}

TEST_F(ControlEdges, WithoutOneIndependentOperatorsOverlap) {
  run(false);
  for (std::uint32_t s = 0; s < kSubBatches; ++s) EXPECT_LT(times_.of(1, s).start, times_.of(0, s).end) << s;
}

}  // namespace
}  // namespace dfsim
