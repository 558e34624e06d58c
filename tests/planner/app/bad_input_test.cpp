#include <regex>

#include "tests/planner/app/run_dfsim.h"

namespace dfsim {
namespace {

const char* const kChip = "extends: " DFSIM_SOURCE_DIR
                          "/configs/mesh2x2.yaml\n"
                          "name: chip\n";

const char* const kModel =
    "name: net\n"
    "data_type: fp16\n"
    "inputs:\n"
    "  - {name: x, shape: [64]}\n"
    "outputs: [y]\n"
    "operators:\n"
    "  - {name: h, kind: matmul, inputs: [x], out_features: 32}\n"
    "  - {name: y, kind: elementwise, function: relu, inputs: [h]}\n";

class BadInput : public RunDfsim {
 protected:
  /// The main job on these two files must end with `code` (2, or 3 for what does not fit), must say where in
  /// `file` and something that holds `said`, and must leave nothing behind.
  void expect(const std::string& config, const std::string& model, const std::string& said, int code = 2,
              const std::string& options = "") {
    write("chip.yaml", config);
    write("net.yaml", model);
    const Ended ended =
        dfsim("--config chip.yaml --model net.yaml --out result --cache none --workers 1 " + options);
    EXPECT_EQ(ended.code, code) << ended.err;
    EXPECT_NE(ended.err.find(said), std::string::npos) << "expected '" << said << "' in:\n" << ended.err;
    if (code == 2 && options.empty()) {
      static const std::regex located("[^\\n]*\\.yaml:[0-9]+:[0-9]+: error: [^]*");
      EXPECT_TRUE(std::regex_search(ended.err, located)) << ended.err;
    }
    EXPECT_NE(ended.err.find("error: "), std::string::npos) << ended.err;
    EXPECT_EQ(ended.out, "");
    EXPECT_FALSE(exists("result")) << "a half-written output folder";
  }

  /// The good model with one piece of text replaced.
  static std::string model(const std::string& from, const std::string& to) {
    std::string text = kModel;
    const std::size_t at = text.find(from);
    EXPECT_NE(at, std::string::npos) << from;
    return text.replace(at, from.size(), to);
  }
  static std::string chip(const std::string& more) { return kChip + more; }
};

TEST_F(BadInput, UnknownConfigKey) {
  expect(chip("noc: {virtual_chanels: 4}\n"), kModel, "virtual_channels");
}
TEST_F(BadInput, UnknownModelKey) {
  expect(kChip, model("out_features: 32}", "out_features: 32, out_feature: 3}"), "out_feature");
}
TEST_F(BadInput, WrongTypeInConfig) { expect(chip("clock_period_ps: fast\n"), kModel, "clock_period_ps"); }
TEST_F(BadInput, WrongTypeInModel) { expect(kChip, model("out_features: 32", "out_features: many"), "many"); }
TEST_F(BadInput, MissingConfigFile) {
  write("net.yaml", kModel);
  const Ended ended = dfsim("--config nowhere.yaml --model net.yaml --out result");
  EXPECT_EQ(ended.code, 2);
  EXPECT_NE(ended.err.find("nowhere.yaml:1:1: error: there is no such file"), std::string::npos) << ended.err;
  EXPECT_FALSE(exists("result"));
}
TEST_F(BadInput, MissingModelFile) {
  write("chip.yaml", kChip);
  const Ended ended = dfsim("--config chip.yaml --model nowhere.yaml --out result");
  EXPECT_EQ(ended.code, 2);
  EXPECT_NE(ended.err.find("nowhere.yaml:1:1: error: there is no such file"), std::string::npos) << ended.err;
}
TEST_F(BadInput, MissingFragment) { expect("extends: nothing_here.yaml\n", kModel, "nothing_here.yaml"); }
TEST_F(BadInput, FragmentsInACircle) {
  write("other.yaml", "extends: chip.yaml\n");
  expect("extends: other.yaml\n", kModel, "chip.yaml");
}
TEST_F(BadInput, CycleInTheGraph) {
  expect(kChip, model("inputs: [x], out_features: 32", "inputs: [y], out_features: 32"), "cycle");
}
TEST_F(BadInput, ShapesThatDoNotMultiply) {
  expect(kChip,
         "name: net\ninputs:\n  - {name: a, shape: [8, 64]}\n  - {name: b, shape: [32, 8]}\noutputs: [c]\n"
         "operators:\n  - {name: c, kind: batched_matmul, inputs: [a, b]}\n",
         "64");
}
TEST_F(BadInput, ATensorNobodyMakes) { expect(kChip, model("inputs: [h]", "inputs: [g]"), "'g'"); }
TEST_F(BadInput, ScratchpadTooSmallForAnyTile) {
  expect(chip("pe: {scratchpad_bytes: 64, scratchpad_banks: 1}\n"), kModel, "scratchpad", 3);
}
TEST_F(BadInput, ZeroPes) { expect(chip("noc: {dims: 0x2}\n"), kModel, "dims"); }
TEST_F(BadInput, DuplicateOperatorNames) { expect(kChip, model("{name: y,", "{name: h,"), "h"); }
TEST_F(BadInput, DuplicateKeys) { expect(chip("name: again\n"), kModel, "name"); }
TEST_F(BadInput, YamlSyntax) { expect(chip("noc: [1, 2\n"), kModel, "error: "); }
TEST_F(BadInput, AliasBomb) {
  std::string bomb = "a0: &a0 [1, 1, 1, 1, 1, 1, 1, 1, 1, 1]\n";
  for (int level = 1; level < 9; ++level) {
    bomb += "a" + std::to_string(level) + ": &a" + std::to_string(level) + " [";
    for (int i = 0; i < 10; ++i) bomb += (i ? ", *a" : "*a") + std::to_string(level - 1);
    bomb += "]\n";
  }
  expect(chip(bomb), kModel, "error: ");
}
TEST_F(BadInput, UnknownOperatorKind) { expect(kChip, model("kind: matmul", "kind: matmull"), "matmul"); }
TEST_F(BadInput, UnknownFunction) { expect(kChip, model("function: relu", "function: rely"), "rely"); }
TEST_F(BadInput, UnknownDataType) { expect(kChip, model("fp16", "fp17"), "fp17"); }
TEST_F(BadInput, NegativeSize) { expect(kChip, model("shape: [64]", "shape: [-64]"), "-64"); }
TEST_F(BadInput, OutputThatIsNoTensor) { expect(kChip, model("outputs: [y]", "outputs: [z]"), "'z'"); }
TEST_F(BadInput, ModelWithoutOperators) {
  expect(kChip, "name: net\ninputs:\n  - {name: x, shape: [64]}\noutputs: [x]\noperators: []\n", "operators");
}
TEST_F(BadInput, EmptyModel) { expect(kChip, "", "net.yaml"); }
TEST_F(BadInput, ConfigThatIsAList) { expect("- 1\n- 2\n", kModel, "chip.yaml"); }
TEST_F(BadInput, UnknownTopology) { expect(chip("noc: {topology: mash}\n"), kModel, "mesh"); }
TEST_F(BadInput, UnknownRouting) { expect(chip("noc: {routing: xyz}\n"), kModel, "xy"); }
TEST_F(BadInput, RoutingThatCannotGoRoundADeadLink) {
  expect(chip("noc: {faults: [{from: [0, 0], to: [1, 0]}]}\n"), kModel, "(0,0) to (1,0)");
}
TEST_F(BadInput, TooFewVirtualChannels) { expect(chip("noc: {virtual_channels: 1}\n"), kModel, "virtual"); }
TEST_F(BadInput, MemoryPortOutsideTheMesh) {
  expect(chip("memory: {ports: {columns: [middle_of_nowhere]}}\n"), kModel, "middle_of_nowhere");
}
TEST_F(BadInput, BinaryRubbish) { expect(std::string("\x01\x02\xff\xfe\x00zz", 7), kModel, "chip.yaml"); }

TEST_F(BadInput, MistakesOfBothFilesAreReportedTogether) {
  write("chip.yaml", chip("clock_period_ps: fast\nnoc: {virtual_chanels: 4}\n"));
  write("net.yaml", model("inputs: [h]", "inputs: [g]"));
  const Ended ended = dfsim("--config chip.yaml --model net.yaml --out result");
  EXPECT_EQ(ended.code, 2);
  for (const char* part : {"chip.yaml:3:", "virtual_chanels", "net.yaml:8:"})
    EXPECT_NE(ended.err.find(part), std::string::npos) << part << " is missing in:\n" << ended.err;
}

TEST_F(BadInput, OverrideOfAnUnknownKey) {
  expect(kChip, kModel, "virtual_chanels", 2, "--set noc.virtual_chanels=3");
  expect(kChip, kModel, "nothing", 2, "--set model.nothing=3");
  expect(kChip, kModel, "dims", 2, "--set noc.dims=potato");
}

TEST_F(BadInput, MistakesOnTheCommandLine) {
  write("chip.yaml", kChip);
  write("net.yaml", kModel);
  for (const char* arguments : {"",
                                "--config chip.yaml",
                                "--nonsense",
                                "--config chip.yaml --model net.yaml --samples 0",
                                "--config chip.yaml --model net.yaml --samples many",
                                "--config chip.yaml --model net.yaml --optimizer magic",
                                "--config chip.yaml --model net.yaml --task training",
                                "--config chip.yaml --model net.yaml --goal hardware",
                                "--config chip.yaml --model net.yaml --stop-below soon",
                                "--config chip.yaml --model net.yaml --time-budget -1",
                                "run",
                                "run --plan none.yaml",
                                "run --program none.json --config chip.yaml",
                                "compile",
                                "check",
                                "check none.yaml",
                                "fly",
                                "pe --m 3",
                                "pe --conv 1,2,3",
                                "noc",
                                "noc --rate x",
                                "list nothing"}) {
    const Ended ended = dfsim(arguments);
    EXPECT_EQ(ended.code, 2) << arguments << "\n" << ended.err;
    EXPECT_NE(ended.err, "") << arguments;
    EXPECT_FALSE(exists("out")) << arguments;
  }
}

}  // namespace
}  // namespace dfsim
