#include <nlohmann/json.hpp>

#include "tests/planner/app/run_dfsim.h"

namespace dfsim {
namespace {

using Json = nlohmann::json;

class Commands : public RunDfsim {
 protected:
  Json json(const std::string& arguments) {
    const Ended ended = dfsim(arguments + " --json");
    EXPECT_EQ(ended.code, 0) << arguments << "\n" << ended.err;
    return Json::parse(ended.out, nullptr, false);
  }
};

// The two worked examples of the closed forms (SCALE-Sim v3 semantics).
TEST_F(Commands, PeGivesTheClosedForms) {
  const Json os = json("pe --rows 8 --cols 8 --dataflow os --m 64 --n 64 --k 64");
  EXPECT_EQ(os["folds"], 64);
  EXPECT_EQ(os["cycles_per_fold"], 78);
  EXPECT_EQ(os["compute_cycles"], 4992);
  const Json ws = json("pe --rows 32 --cols 32 --dataflow ws --m 1 --n 768 --k 768");
  EXPECT_EQ(ws["folds"], 576);
  EXPECT_EQ(ws["compute_cycles"], 54720);
  EXPECT_DOUBLE_EQ(ws["mapping_util"], 1.0);
}

TEST_F(Commands, PeTakesAConvolution) {
  // 3 x 3 over 56 x 56 with padding 1: 3136 positions, 64 filters of 9 x 64 inputs.
  const Json conv = json("pe --dataflow os --conv 56,56,64,3,3,64,1,1,1");
  EXPECT_EQ(conv["folds"], 98 * 2);
  EXPECT_EQ(conv["cycles_per_fold"], 576 + 62);
  EXPECT_EQ(conv["compute_cycles"], 98 * 2 * (576 + 62));
}

TEST_F(Commands, PeOverlapsFoldsIfAsked) {
  // (F - 1) max(T, R) + T + R + C - 2 with F = 4, T = 64.
  const Json json_ = json("pe --dataflow os --folds pipelined --m 64 --n 64 --k 64");
  EXPECT_EQ(json_["compute_cycles"], 3 * 64 + 64 + 62);
}

TEST_F(Commands, ListNamesWhatIsRegistered) {
  const Json list = json("list");
  EXPECT_TRUE(list["inter_stage"].contains("dp"));
  EXPECT_TRUE(list["operators"].contains("matmul"));
  EXPECT_TRUE(list["topologies"].contains("torus"));
  EXPECT_TRUE(list["routings"].contains("xy"));
}

TEST_F(Commands, ListModulesPrintsTheTree) {
  const Ended ended = dfsim("list modules --config mesh2x2.yaml");
  EXPECT_EQ(ended.code, 0) << ended.err;
  for (const char* module : {"chip0", "pe_0_0", "pe_1_1"})
    EXPECT_NE(ended.out.find(module), std::string::npos) << module << " is missing in\n" << ended.out;
}

TEST_F(Commands, CheckAcceptsEverythingThatIsShipped) {
  const Ended ended = dfsim(
      "check mesh2x2.yaml mesh4x4.yaml mesh8x8.yaml mesh16x16.yaml torus8x8.yaml ring16.yaml mesh4x4x4.yaml "
      "torus4x4x4.yaml two_nocs_8x8.yaml four_chips_ring.yaml "
      "four_chips_switch.yaml compare_1024mac.yaml bert.yaml mlp.yaml "
      "resnet50.yaml resnet50_v1.yaml transformer_block.yaml speech_encoder.yaml");
  EXPECT_EQ(ended.code, 0) << ended.err;
  EXPECT_NE(ended.out.find("11174215680"), std::string::npos) << ended.out;
}

TEST_F(Commands, PrintConfigSaysWhereValuesComeFrom) {
  const Ended ended = dfsim("--config mesh4x4.yaml --model mlp.yaml --set noc.dims=2x2 --print-config");
  EXPECT_EQ(ended.code, 0) << ended.err;
  EXPECT_NE(ended.out.find("--set"), std::string::npos) << ended.out;
  EXPECT_NE(ended.out.find("noc.yaml:"), std::string::npos);
}

TEST_F(Commands, VersionAndHelpEndWell) {
  EXPECT_EQ(dfsim("--version").code, 0);
  const Ended help = dfsim("--help");
  EXPECT_EQ(help.code, 0);
  for (const char* command : {"plan", "run", "compile", "check", "list", "noc", "pe", "dram", "eth"})
    EXPECT_NE(help.out.find(command), std::string::npos) << command;
}

TEST_F(Commands, HelpHasHeadingsAndExamples) {
  const std::string help = dfsim("--help").out;
  for (const char* heading : {"Inputs:", "What is asked:", "Search:", "Running:", "Output:", "Plan and run:",
                              "Look at:", "One part alone:", "Examples:"})
    EXPECT_NE(help.find(heading), std::string::npos) << heading << "\n" << help;
  EXPECT_EQ(help.find("Subcommands:"), std::string::npos) << help;
}

TEST_F(Commands, VersionAsJson) {
  const Json version = json("--version");
  EXPECT_EQ(version["simulator_hash"].get<std::string>().size(), 32u);
  EXPECT_NE(dfsim("--version").out.find(version["dfsim_version"].get<std::string>()), std::string::npos);
}

TEST_F(Commands, TheNearestOptionIsNamed) {
  const std::pair<const char*, const char*> mistakes[] = {
      {"--config mesh2x2.yaml --modle mlp.yaml", "did you mean --model?"},
      {"plan --sampels 3", "did you mean --samples?"},
      {"swep", "did you mean sweep?"},
      {"noc --topolgy mesh --rate 0.1", "did you mean --topology?"}};
  for (const auto& [arguments, said] : mistakes) {
    const Ended ended = dfsim(arguments);
    EXPECT_EQ(ended.code, 2) << arguments;
    EXPECT_NE(ended.err.find("error: "), std::string::npos) << ended.err;
    EXPECT_NE(ended.err.find(said), std::string::npos) << arguments << "\n" << ended.err;
    EXPECT_EQ(ended.out, "");
  }
}

// strtoull would take -1 for 2^64 - 1.
TEST_F(Commands, NegativeSeedsAndCountsAreRefused) {
  const std::string table = "place --time-table '" DFSIM_SOURCE_DIR "/tests/data/placement/p8.yaml' ";
  for (const std::string& command :
       {std::string("--config mesh2x2.yaml --model mlp.yaml "),
        std::string("plan --config mesh2x2.yaml --model mlp.yaml "), table, std::string("noc --single 0:1 "),
        std::string("verify --plan plan.yaml "), std::string("collective --config mesh2x2.yaml "),
        std::string("sweep --config mesh2x2.yaml --model mlp.yaml --vary noc.dims=2x2 ")})
    for (const char* seed : {"--seed -1", "--seed=-1", "--seed 18446744073709551616"}) {
      const Ended ended = dfsim(command + seed);
      EXPECT_EQ(ended.code, 2) << command << seed;
      EXPECT_NE(ended.err.find("--seed: '"), std::string::npos) << command << seed << ":\n" << ended.err;
      EXPECT_EQ(ended.out, "") << command << seed;
    }
  EXPECT_EQ(dfsim(table + "--seed 18446744073709551615").code, 0);
  const Ended count = dfsim("noc --rate 0.1 --warmup -5");
  EXPECT_EQ(count.code, 2);
  EXPECT_NE(count.err.find("--warmup: '-5' is negative; give 0 or more"), std::string::npos) << count.err;
}

TEST_F(Commands, OverridesAreTypedAndTheNearestKeyIsNamed) {
  const std::string base = "--config mesh2x2.yaml --model mlp.yaml --print-config --set ";
  const std::pair<const char*, const char*> mistakes[] = {{"noc.virtual_chanels=4", "virtual_channels"},
                                                          {"noc.virtual_channels=many", "many"},
                                                          {"noc.virtual_channels=0", "virtual_channels"},
                                                          {"model.nmae=x", "name"}};
  for (const auto& [override, said] : mistakes) {
    const Ended ended = dfsim(base + override);
    EXPECT_EQ(ended.code, 2) << override;
    EXPECT_NE(ended.err.find("--set"), std::string::npos) << ended.err;
    EXPECT_NE(ended.err.find(said), std::string::npos) << override << "\n" << ended.err;
  }
}

TEST_F(Commands, PipesGetLinesAndTerminalsABar) {
  const std::string run = "plan --config mesh2x2.yaml --model mlp.yaml --cache none --out o ";
  const Ended pipe = dfsim(run);
  ASSERT_EQ(pipe.code, 0) << pipe.err;
  EXPECT_NE(pipe.err.find("round 1: "), std::string::npos) << pipe.err;
  EXPECT_EQ(pipe.err.find('\x1b'), std::string::npos) << pipe.err;
  EXPECT_EQ(pipe.err.find('\r'), std::string::npos);
  EXPECT_GT(dfsim(run + "-v").err.size(), pipe.err.size());
  EXPECT_EQ(dfsim(run + "-q").err, "");
  EXPECT_EQ(dfsim(run + "-q -v").code, 2);
  if (std::system("command -v script >/dev/null 2>&1") != 0)
    GTEST_SKIP() << "no terminal can be made without script(1)";
  const auto terminal = [&](const std::string& environment) {
    return dfsim("--version >/dev/null; " + environment + " script -qec \"'" DFSIM_BINARY_DIR "/dfsim' " +
                 run + "\" typescript </dev/null")
        .out;
  };
  const std::string drawn = terminal("env -u NO_COLOR TERM=xterm");
  EXPECT_NE(drawn.find("runs/s"), std::string::npos) << drawn;
  EXPECT_NE(drawn.find("\x1b[36m"), std::string::npos);
  const std::string plain = terminal("NO_COLOR=1 TERM=xterm");
  EXPECT_NE(plain.find("runs/s"), std::string::npos);
  EXPECT_EQ(plain.find("\x1b[36m"), std::string::npos);
  EXPECT_EQ(terminal("TERM=dumb").find("runs/s"), std::string::npos);
}

}  // namespace
}  // namespace dfsim
