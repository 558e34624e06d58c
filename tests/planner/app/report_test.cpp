#include "tests/planner/app/run_dfsim.h"

namespace dfsim {
namespace {

class Report : public RunDfsim {
 protected:
  Ended made() {
    return dfsim("run --plan '" DFSIM_SOURCE_DIR
                 "/traces/worked_example_2x2/plan.yaml' --cache none --out made");
  }
};

TEST_F(Report, IsMadeAgainFromTheFilesOfARun) {
  ASSERT_EQ(made().code, 0);
  const std::string page = read("made/report.html");
  EXPECT_NE(page.find("Bottleneck"), std::string::npos);
  const Ended again = dfsim("report --out made -o again.html");
  ASSERT_EQ(again.code, 0) << again.err;
  EXPECT_TRUE(page == read("again.html"));
}

TEST_F(Report, IsLeftOutWithoutAFolderAndRemovedWhenStale) {
  ASSERT_EQ(made().code, 0);
  write("tiny.yaml",
        "name: tiny\ndata_type: fp16\ninputs:\n  - {name: x, shape: [128]}\noutputs: [last]\noperators:\n"
        "  - {name: last, kind: matmul, inputs: [x], out_features: 64}\n");
  ASSERT_EQ(dfsim("plan --config mesh2x2.yaml --model tiny.yaml --out made").code, 0);
  EXPECT_FALSE(exists("made/report.html")) << "of another plan";
  EXPECT_FALSE(exists("made/pe_traffic.csv"));
}

TEST_F(Report, SaysWhatIsMissingOrWrong) {
  const Ended missing = dfsim("report --out nowhere");
  EXPECT_EQ(missing.code, 2);
  EXPECT_NE(missing.err.find("nowhere/measurement.json"), std::string::npos) << missing.err;
  ASSERT_EQ(made().code, 0);
  write("made/measurement.json", "{\"version\": 1}");
  const Ended wrong = dfsim("report --out made");
  EXPECT_EQ(wrong.code, 2);
  EXPECT_NE(wrong.err.find("made/measurement.json:1:1: error: cannot be shown"), std::string::npos)
      << wrong.err;
}

}  // namespace
}  // namespace dfsim
