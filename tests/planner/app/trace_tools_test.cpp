// Traces read by tools that are not ours: protoc, and the FST converters of GTKWave. Skipped where these are
// missing; CI has them.
#include "tests/planner/app/run_dfsim.h"

namespace dfsim {
namespace {

class TraceTools : public RunDfsim {
 protected:
  static bool has(const std::string& command) {
    return std::system(("command -v " + command + " >/dev/null 2>&1").c_str()) == 0;
  }
  void trace(const std::string& file) const {
    const Ended ended =
        dfsim("run --plan '" DFSIM_SOURCE_DIR
              "/traces/worked_example_2x2/plan.yaml' --cache none --trace-window : --trace-detail packet "
              "--trace " +
              file);
    ASSERT_EQ(ended.code, 0) << ended.err;
  }
  /// scripts/compare_traces.py, in the Python that Debian's modules are for.
  void expect_equal(const std::string& a, const std::string& b) const {
    const std::string out = (folder_ / ".compared").string();
    const std::string command = "cd '" + folder_.string() +
                                "' && /usr/bin/python3 '" DFSIM_SOURCE_DIR "/scripts/compare_traces.py' " +
                                a + " " + b + " >'" + out + "' 2>&1";
    EXPECT_EQ(std::system(command.c_str()), 0) << content_of(out);
    EXPECT_NE(content_of(out).find("equal: "), std::string::npos) << content_of(out);
  }
};

TEST_F(TraceTools, PerfettoDecodesWithProtocAndEqualsTheJson) {
  if (!has("protoc") || std::system("/usr/bin/python3 -c 'import google.protobuf' 2>/dev/null") != 0)
    GTEST_SKIP() << "needs protoc and python3-protobuf";
  trace("t.json");
  trace("t.pftrace");
  expect_equal("t.json", "t.pftrace");
}

TEST_F(TraceTools, VcdSurvivesFst) {
  if (!has("vcd2fst") || !has("fst2vcd")) GTEST_SKIP() << "needs vcd2fst and fst2vcd of GTKWave";
  trace("t.vcd");
  const std::string command =
      "cd '" + folder_.string() + "' && vcd2fst t.vcd t.fst >/dev/null && fst2vcd t.fst >back.vcd";
  ASSERT_EQ(std::system(command.c_str()), 0);
  expect_equal("t.vcd", "back.vcd");
}

}  // namespace
}  // namespace dfsim
