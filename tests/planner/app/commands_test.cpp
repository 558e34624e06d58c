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
      "torus4x4x4.yaml two_nocs_8x8.yaml four_chips_ring.yaml four_chips_switch.yaml bert.yaml "
      "mlp.yaml "
      "resnet50.yaml transformer_block.yaml");
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

}  // namespace
}  // namespace dfsim
