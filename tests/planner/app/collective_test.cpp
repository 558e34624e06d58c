// dfsim collective as a user calls it: every algorithm in the simulator, on numbers, and against its bounds.
#include <map>
#include <nlohmann/json.hpp>

#include "tests/planner/app/run_dfsim.h"

namespace dfsim {
namespace {

class Collective : public RunDfsim {
 protected:
  nlohmann::json measured(const std::string& arguments) {
    const Ended ended = dfsim("collective --json " + arguments);
    EXPECT_EQ(ended.code, 0) << arguments << "\n" << ended.err;
    write("collective.json", ended.out);
    return nlohmann::json::parse(ended.out);
  }
};

class AllReduce : public Collective, public testing::WithParamInterface<const char*> {};

/// The bound: every PE receives 2(P-1)/P G bytes at a link's width a cycle.
TEST_P(AllReduce, IsNeverFasterThanTheBoundAndNearItForLongVectors) {
  constexpr std::uint64_t kLong = 256 * 1024;
  const nlohmann::json answer =
      measured("--config " + std::string(GetParam()) + " --bytes 1024,16KiB,256KiB");
  const double ranks = answer["ranks"], width = answer["link_width_bytes"];
  std::map<std::string, double> ratio;
  for (const auto& run : answer["runs"]) {
    const double bytes = run["bytes"], cycles = run["cycles"];
    const double bound = 2 * (ranks - 1) / ranks * bytes / width;
    EXPECT_NEAR(run["least_cycles"].get<double>(), bound, 1e-6 * bound);
    EXPECT_GE(cycles, bound) << run;
    EXPECT_GE(cycles, run["algorithm_least_cycles"].get<double>()) << run;
    EXPECT_GE(run["algorithm_least_cycles"].get<double>() + 1e-6, bound) << run;
    if (run["bytes"] == kLong) ratio[run["algorithm"]] = cycles / bound;
  }
  EXPECT_LE(ratio.at("ring"), 1.3) << answer.dump(1);
}

/// On an idle mesh a ring loses a hop and a message's overhead per step, no more: what a vector of a few
/// bytes takes, which is nothing but that.
TEST_P(AllReduce, RingLosesNoMoreThanItsStepsCost) {
  const nlohmann::json answer =
      measured("--config " + std::string(GetParam()) + " --algorithm ring --bytes 256,4096,64KiB");
  const double steps = answer["runs"][0]["cycles"];
  for (const auto& run : answer["runs"])
    EXPECT_LE(run["cycles"].get<double>() - run["least_cycles"].get<double>(), 1.3 * steps) << run;
}

INSTANTIATE_TEST_SUITE_P(Meshes, AllReduce, testing::Values("mesh2x2.yaml", "mesh4x4.yaml", "mesh8x8.yaml"),
                         [](const auto& info) { return std::string(info.param).substr(0, 7); });

TEST_F(Collective, RunsEveryAlgorithmOfEveryPrimitiveOnBoxesOfAnyShape) {
  for (const char* kind : {"broadcast", "scatter", "gather", "reduce", "all_gather", "reduce_scatter",
                           "all_reduce", "all_to_all"})
    for (const char* group : {"chip0[0:3,0:3]", "chip0[1:3,0:4]", "chip0[0:1,1:4]"}) {
      const nlohmann::json answer = measured("--config mesh4x4.yaml --kind " + std::string(kind) +
                                             " --group '" + group + "' --root 2 --bytes 60,8KiB");
      std::size_t ran = 0;
      for (const auto& run : answer["runs"]) {
        if (!run["refusal"].is_null()) continue;
        EXPECT_GE(run["cycles"].get<double>(), run["least_cycles"].get<double>()) << kind << " " << run;
        ++ran;
      }
      EXPECT_GE(ran, 2u) << kind << " on " << group;
    }
}

TEST_F(Collective, PrintsATableBySize) {
  const Ended ended = dfsim("collective --config mesh2x2.yaml --bytes 64,4KiB");
  ASSERT_EQ(ended.code, 0) << ended.err;
  for (const char* part : {"all_reduce on chip0[0:2,0:2], 4 PEs", "halving_doubling", "best", "     4096 "})
    EXPECT_NE(ended.out.find(part), std::string::npos) << part << "\n" << ended.out;
}

TEST_F(Collective, JsonIsAsItsSchema) {
  measured("--config mesh2x2.yaml --bytes 64");
  EXPECT_EQ(std::system(("python3 '" DFSIM_SOURCE_DIR "/scripts/check_schemas.py' '" +
                         (folder_ / "collective.json").string() + "' >/dev/null")
                            .c_str()),
            0);
}

TEST_F(Collective, SaysWhatIsWrong) {
  const std::pair<const char*, const char*> mistakes[] = {
      {"--config mesh2x2.yaml --kind all_sum", "--kind: error: unknown primitive 'all_sum'"},
      {"--config mesh2x2.yaml --algorithm rings",
       "--algorithm: error: unknown algorithm 'rings' of all_reduce"},
      {"--config mesh2x2.yaml --bytes 6", "--bytes: error: '6' is no size"},
      {"--config mesh2x2.yaml --bytes 1KiB,,2KiB", "--bytes: error: '' is no size"},
      {"--config mesh2x2.yaml --bytes 9999999999999999999999", "is no size"},
      {"--bytes 64", "--config: error: no hardware given"},
      {"--config none.yaml", "error: there is no such file"},
      {"--config mesh2x2.yaml --group 'chip0[0:3,0:2]'", "--group: error: there is no chip0[0:3,0:2]"},
      {"--config mesh2x2.yaml --group 'chip1[0:2,0:2]'", "--group: error: there is no chip1[0:2,0:2]"},
      {"--config mesh2x2.yaml --group everywhere", "--group: error: 'everywhere' is no submesh"},
      {"--config mesh2x2.yaml --kind reduce --root 4", "--root: error: rank 4 of 4 PEs"}};
  for (const auto& [arguments, message] : mistakes) {
    const Ended ended = dfsim(std::string("collective ") + arguments);
    EXPECT_EQ(ended.code, 2) << arguments << "\n" << ended.err;
    EXPECT_NE(ended.err.find(message), std::string::npos) << arguments << "\n" << ended.err;
  }
  const Ended large = dfsim("collective --config mesh2x2.yaml --algorithm ring --bytes 8MiB");
  EXPECT_EQ(large.code, 3) << large.err;
  EXPECT_NE(large.out.find("use fewer bytes or a larger scratchpad"), std::string::npos) << large.out;
}

}  // namespace
}  // namespace dfsim
