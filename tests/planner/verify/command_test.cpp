// dfsim verify as a user calls it, on the recorded runs of traces/.
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include "tests/planner/app/run_dfsim.h"

namespace dfsim {

namespace {

class Verify : public RunDfsim {
 protected:
  static constexpr const char* kTraces = DFSIM_SOURCE_DIR "/traces/";
  static constexpr const char* kMadeFor = " --config mesh2x2.yaml --model matmul_2x2.yaml";

  nlohmann::json recorded_program() const {
    return nlohmann::json::parse(content_of(std::string(kTraces) + "worked_example_2x2/program.json"));
  }
};

TEST_F(Verify, PassesTheRecordedPlansAndTellsTheErrors) {
  for (const std::string run : {"worked_example_2x2", "mlp_mesh4x4"}) {
    const Ended ended = dfsim("verify --plan " + std::string(kTraces) + run + "/plan.yaml --seed 5 --json");
    ASSERT_EQ(ended.code, 0) << ended.err;
    const auto json = nlohmann::json::parse(ended.out);
    EXPECT_EQ(json["passed"], true);
    EXPECT_EQ(json["seed"], 5);
    EXPECT_EQ(json["outputs"].size(), 1u);
    // Other orders of summation, so not zero; far below the tolerance.
    EXPECT_GT(json["outputs"][0]["relative_error"], 0);
    EXPECT_LT(json["outputs"][0]["relative_error"], 1e-5);
    std::uint64_t bytes = 0;
    for (const auto& primitive : json["primitives"]) {
      EXPECT_EQ(primitive["executed_bytes"], primitive["measured_bytes"]);
      bytes += primitive["executed_bytes"].get<std::uint64_t>();
    }
    EXPECT_GT(bytes, 0u);
    write("verify.json", ended.out);
    EXPECT_EQ(std::system(("python3 '" DFSIM_SOURCE_DIR "/scripts/check_schemas.py' '" +
                           (folder_ / "verify.json").string() + "' >/dev/null")
                              .c_str()),
              0);
  }
}

TEST_F(Verify, TakesAProgramWithTheFilesBesideIt) {
  write("program.json", recorded_program().dump());
  Ended ended = dfsim("verify --program program.json");
  EXPECT_EQ(ended.code, 2);
  EXPECT_NE(ended.err.find("--model"), std::string::npos) << ended.err;
  ended = dfsim("verify --program program.json" + std::string(kMadeFor));
  EXPECT_EQ(ended.code, 0) << ended.err;
  EXPECT_NE(ended.out.find("output       c:"), std::string::npos) << ended.out;
  ended = dfsim("verify --program program.json --config mesh2x2.yaml --model mlp.yaml");
  EXPECT_EQ(ended.code, 2);
  EXPECT_NE(ended.err.find("the model has no tensor 'a'"), std::string::npos) << ended.err;
}

TEST_F(Verify, NamesTheFirstWrongMicroTensor) {
  auto program = recorded_program();
  // The tile of the first load comes from where the second one lies.
  program["segments"][0] = program["segments"][1];
  write("program.json", program.dump());
  const Ended ended = dfsim("verify --program program.json --json" + std::string(kMadeFor));
  EXPECT_EQ(ended.code, 1);
  EXPECT_NE(ended.err.find("a wrong value\n  micro-tensor ["), std::string::npos) << ended.err;
  EXPECT_NE(ended.err.find("stage 'product', operator 'c', chip0.pe_"), std::string::npos) << ended.err;
  const auto json = nlohmann::json::parse(ended.out);
  EXPECT_EQ(json["passed"], false);
  EXPECT_EQ(json["fault"]["stage"], "product");
  EXPECT_NE(json["fault"]["expected"], json["fault"]["got"]);
}

TEST_F(Verify, RefusesTwoSubjectsAndNone) {
  EXPECT_EQ(dfsim("verify").code, 2);
  EXPECT_EQ(dfsim("verify --plan a.yaml --program b.json").code, 2);
  EXPECT_EQ(dfsim("verify --plan missing.yaml").code, 2);
}

}  // namespace

}  // namespace dfsim
