#include "planner/report/plan_yaml.h"

#include <gtest/gtest.h>
#include <unistd.h>

#include <filesystem>

#include "planner/ops/operator.h"
#include "planner/report/candidate_text.h"
#include "sim/base/files.h"
#include "tests/planner/report/fixture.h"

namespace dfsim {
namespace {

class PlanYaml : public testing::Test {
 protected:
  PlanYaml() : graph_(small_graph()), hardware_(small_chip()) {
    folder_ = std::filesystem::temp_directory_path() / ("dfsim_plan_yaml_" + std::to_string(getpid()));
    std::filesystem::create_directories(folder_);
  }
  ~PlanYaml() override { std::filesystem::remove_all(folder_); }

  /// `first` and `act` on the upper row, `second` on the lower.
  PlanFile two_stages() const {
    PlanFile file;
    file.config = {"config.yaml", "00ff", {}};
    file.model = {"model.yaml", "", {}};
    file.seed = 7;
    file.plan.samples = 4;
    Stage one{"s0", {OpId(0), OpId(1)}, {{Submesh{NocId(0), 0, 0, 0, 2, 1, 1}}}, {}};
    one.strategy.sub_batches = 2;
    one.strategy.weights_resident = true;
    one.strategy.operators = {candidate(OpId(0)), candidate(OpId(1))};
    const std::size_t n = axis(OpId(0), "n");
    one.strategy.operators[0].spatial[n] = 2;
    one.strategy.operators[0].temporal[n] = 4;
    one.strategy.operators[0].order = PeOrder::snake;
    one.strategy.operators[1].spatial[0] = 2;
    Stage two{"s1", {OpId(2)}, {{Submesh{NocId(0), 0, 1, 0, 2, 1, 1}}}, {}};
    two.strategy.operators = {candidate(OpId(2))};
    file.plan.stages = {one, two};
    return file;
  }

  OperatorCandidate candidate(OpId op) const { return whole(axis_names(graph_, op).size()); }
  std::size_t axis(OpId op, const std::string& name) const {
    const auto names = axis_names(graph_, op);
    return static_cast<std::size_t>(std::find(names.begin(), names.end(), name) - names.begin());
  }

  std::string text() const { return plan_yaml(two_stages(), graph_, hardware_, nullptr); }

  std::string path(const std::string& content) const {
    const std::string file = (folder_ / "plan.yaml").string();
    write_file_atomically(file, content);
    return file;
  }

  /// All mistakes in `content`, one per line.
  std::string mistakes(const std::string& content) const {
    Diagnostics diagnostics;
    PlanDocument document(path(content), diagnostics);
    document.head();
    document.read(graph_, hardware_);
    std::string all;
    for (const Diagnostic& diagnostic : diagnostics.list()) all += diagnostic.to_string() + "\n";
    return all;
  }

  /// The plan with one piece of text replaced.
  std::string with(const std::string& from, const std::string& to) const {
    std::string content = text();
    const std::size_t at = content.find(from);
    EXPECT_NE(at, std::string::npos) << from << " is not in\n" << content;
    return at == std::string::npos ? content : content.replace(at, from.size(), to);
  }

  Graph graph_;
  HardwareSpec hardware_;
  std::filesystem::path folder_;
};

TEST_F(PlanYaml, ReadsBackWhatItWrote) {
  Diagnostics diagnostics;
  PlanDocument document(path(text()), diagnostics);
  const PlanFile head = document.head();
  EXPECT_EQ(head.config.file, "config.yaml");
  EXPECT_EQ(head.config.hash, "00ff");
  EXPECT_EQ(head.model.hash, "");
  const auto read = document.read(graph_, hardware_);
  for (const Diagnostic& diagnostic : diagnostics.list()) ADD_FAILURE() << diagnostic.to_string();
  ASSERT_TRUE(read.has_value());
  EXPECT_EQ(read->plan, two_stages().plan);
  EXPECT_EQ(read->seed, 7u);
  EXPECT_FALSE(read->partial);
}

TEST_F(PlanYaml, NamesSplitsByAxisAndMapsMicroOperatorsToPes) {
  EXPECT_NE(text().find("spatial: {n: 2}"), std::string::npos) << text();
  EXPECT_NE(text().find("temporal: {n: 4}"), std::string::npos);
  EXPECT_NE(text().find("micro_operators: {tiles: 4, pes: [0-1]}"), std::string::npos);
  EXPECT_NE(text().find("- {read: x, slices: 1, extent: [2, 64], bytes: 256}"), std::string::npos) << text();
}

TEST_F(PlanYaml, SaysThatAPlanIsPartial) {
  PlanFile file = two_stages();
  file.partial = true;
  EXPECT_NE(plan_yaml(file, graph_, hardware_, nullptr).find("partial: true"), std::string::npos);
}

TEST_F(PlanYaml, AcceptsAPlanWithoutWhatFollows) {
  const std::string plan =
      "config: {file: c.yaml}\nmodel: {file: m.yaml}\nsamples: 2\n"
      "inter_stage:\n"
      "  stages: [{name: all, operators: [second, act, first]}]\n"
      "  pe_groups: [{name: chip, submeshes: 'chip0[0:2,0:2]'}]\n"
      "  map: {all: chip}\n"
      "stages:\n"
      "  - name: all\n"
      "    intra_stage:\n"
      "      operators:\n"
      "        - {operator: first, spatial: {n: 4}}\n"
      "        - {operator: act}\n"
      "        - {operator: second, nesting: [n, b]}\n";
  EXPECT_EQ(mistakes(plan), "");
}

TEST_F(PlanYaml, ReportsUnknownNamesTogether) {
  std::string content = with("operators: [first, act]", "operators: [frist, act]");
  content.replace(content.find("{s0: g0"), 7, "{s0: g7");
  const std::string found = mistakes(content);
  EXPECT_NE(found.find("the model has no operator 'frist'"), std::string::npos) << found;
  EXPECT_NE(found.find("did you mean 'first'?"), std::string::npos);
  EXPECT_NE(found.find("there is no PE group 'g7'"), std::string::npos);
  EXPECT_NE(found.find("plan.yaml:"), std::string::npos);
}

struct Mistake {
  const char* from;
  const char* to;
  const char* expected;
};

TEST_F(PlanYaml, RefusesWhatCannotBeAPlan) {
  const Mistake list[] = {
      {"samples: 4", "samples: 0", "samples"},
      {"sub_batches: 2", "sub_batches: 9", "sub_batches"},
      {"spatial: {n: 2}", "spatial: {q: 2}", "there is no axis 'q'"},
      {"spatial: {n: 2}", "spatial: {n: 3}", "3 micro-operators at a time do not fit on the 2 PEs"},
      {"spatial: {n: 2}", "spatial: {n: 64}", "64"},
      {"pe_order: snake", "pe_order: spiral", "spiral"},
      {"chip0[0:2,0:1]", "chip0[0:3,0:1]", "lies outside chip0"},
      {"chip0[0:2,0:1]", "chip1[0:2,0:1]", "there is no chip1"},
      {"chip0[0:2,0:1]", "chip0[0..2]", "is no submesh"},
      {"chip0[0:2,0:1]", "chip0[0:2,0:2]", "overlap"},
      {"operators: [first, act]", "operators: [first]", "1 operator is in no stage: act"},
      {"operators: [first, act]", "operators: [first, act, second]", "is in a stage already"},
      {"pes: [0-1]", "pes: [1, 0]", "put the micro-operators of 'first' on other PEs: [0-1]"},
      {"weights_resident", "weights_residnet", "weights_residnet"},
      {"version: 1", "version: 2", "version"},
      {"  - name: s0\n    intra", "  - name: s9\n    intra", "there is no stage 's9'"},
  };
  for (const Mistake& mistake : list) {
    const std::string found = mistakes(with(mistake.from, mistake.to));
    EXPECT_NE(found.find(mistake.expected), std::string::npos) << mistake.to << ":\n" << found;
    EXPECT_NE(found.find("plan.yaml:"), std::string::npos) << found;
  }
}

TEST_F(PlanYaml, RefusesStagesAgainstTheGraph) {
  std::string content = with("{name: s0, operators: [first, act]}", "{name: s0, operators: [second]}");
  content.replace(content.find("{name: s1, operators: [second]}"), 31, "{name: s1, operators: [first, act]}");
  EXPECT_NE(mistakes(content).find("list the stages in the order of the graph"), std::string::npos);
}

TEST(PeRanges, CountUpAndDown) {
  const std::vector<PeId> pes = {PeId(0), PeId(1), PeId(2), PeId(7), PeId(6), PeId(9)};
  EXPECT_EQ(pe_ranges(pes), (std::vector<std::string>{"0-2", "7-6", "9"}));
  EXPECT_EQ(pes_of_ranges({"0-2", "7-6", "9"}), pes);
  EXPECT_FALSE(pes_of_ranges({"0-"}).has_value());
  EXPECT_FALSE(pes_of_ranges({"x"}).has_value());
  EXPECT_FALSE(pes_of_ranges({"0-4294967295"}).has_value());
}

TEST(SubmeshText, ReadsBack) {
  for (const Submesh& box : {Submesh{NocId(0), 0, 0, 0, 4, 8, 1}, Submesh{NocId(1), 2, 3, 1, 1, 1, 2}})
    EXPECT_EQ(submesh_from(box.to_string()), box) << box.to_string();
  for (const char* text :
       {"", "chip", "chip0", "chip0[0:0,0:1]", "chip0[0:1,0:1]x", "chip0[0:1]", "pe0[0:1,0:1]"})
    EXPECT_FALSE(submesh_from(text).has_value()) << text;
}

}  // namespace
}  // namespace dfsim
