// Every JSON that dfsim emits is what its schema in docs/schemas says.
#include "tests/planner/app/run_dfsim.h"

namespace dfsim {
namespace {

class Schemas : public RunDfsim {
 protected:
  Ended check(const std::string& files) const {
    const std::string out = (folder_ / ".checked").string();
    const std::string command = "cd '" + folder_.string() +
                                "' && python3 '" DFSIM_SOURCE_DIR "/scripts/check_schemas.py' " + files +
                                " >'" + out + "' 2>&1";
    Ended ended;
    ended.code = std::system(command.c_str());
    ended.out = content_of(out);
    return ended;
  }
  void expect_as_schema(const std::string& files) const {
    const Ended checked = check(files);
    EXPECT_EQ(checked.code, 0) << checked.out;
  }
};

TEST_F(Schemas, HoldForWhatCommandsPrint) {
  const std::pair<const char*, const char*> commands[] = {
      {"noc", "noc --dims 4x4 --rate 0.1 --warmup 100 --measure 200 --detail"},
      {"pe", "pe --m 128 --n 768 --k 768"},
      {"dram", "dram --device HBM2_8Gb_x128 --pattern seqread --load saturating --requests 500"},
      {"eth", "eth --bytes 10000"},
      {"list", "list"},
      {"modules", "list modules --config mesh2x2.yaml"},
      {"check", "check mesh2x2.yaml mlp.yaml"},
      {"version", "--version"},
      {"schemas", "schema"},
      {"planning", "plan --config mesh2x2.yaml --model matmul_2x2.yaml --out p --quiet"},
      {"measurement", "--config mesh2x2.yaml --model matmul_2x2.yaml --out m --quiet"},
      {"sweep",
       "sweep --config mesh2x2.yaml --model matmul_2x2.yaml --vary noc.dims=2x1,2x2 --trace none --out s "
       "--quiet"},
      {"verify", "verify --plan m/plan.yaml"},
      {"report", "report --out m"}};
  std::string files;
  for (const auto& [name, command] : commands) {
    const Ended ended = dfsim(std::string(command) + " --json");
    ASSERT_EQ(ended.code, 0) << command << "\n" << ended.err;
    write(std::string(name) + ".json", ended.out);
    files += std::string(name) + ".json ";
  }
  expect_as_schema(files + "s/sweep.json s/points/noc.dims=2x1/point.json");
}

TEST_F(Schemas, HoldForTheFilesOfARun) {
  const std::string plan = DFSIM_SOURCE_DIR "/traces/worked_example_2x2/plan.yaml";
  const Ended run =
      dfsim("run --plan '" + plan + "' --cache none --out made --trace-detail flit --trace-window :");
  ASSERT_EQ(run.code, 0) << run.err;
  expect_as_schema(
      "made/measurement.json made/run.json made/program.json made/trace.json.gz made/activity.json");
  write("program_measurement.json",
        dfsim("run --program made/program.json --config mesh2x2.yaml --json --trace trace.json").out);
  write("compile.json", dfsim("compile --plan '" + plan + "' -o again.json --json").out);
  write("report.json", dfsim("report --out made --json").out);
  expect_as_schema("program_measurement.json trace.json compile.json report.json");
}

// The embedded text is the file's, for every file.
TEST_F(Schemas, ArePrintedByTheProgram) {
  const Ended all = dfsim("schema");
  for (const auto& entry : std::filesystem::directory_iterator(DFSIM_SOURCE_DIR "/docs/schemas")) {
    const std::string name = entry.path().filename().string();
    const std::size_t at = name.find(".schema.json");
    if (at == std::string::npos) continue;
    EXPECT_EQ(dfsim("schema " + name.substr(0, at)).out, content_of(entry.path())) << name;
    EXPECT_NE(all.out.find(name.substr(0, at)), std::string::npos) << name;
  }
  const Ended unknown = dfsim("schema measurment");
  EXPECT_EQ(unknown.code, 2);
  EXPECT_NE(unknown.err.find("did you mean measurement?"), std::string::npos) << unknown.err;
}

TEST_F(Schemas, RefuseWhatTheyDoNotKnow) {
  write("eth.json", "{\"completion_ns\": 1, \"goodput_gbps\": -1, \"frames\": 1.5, \"more\": 2}");
  const Ended checked = check("eth.json");
  EXPECT_NE(checked.code, 0);
  for (const char* what : {"goodput_gbps", "frames", "more", "wire_bytes"})
    EXPECT_NE(checked.out.find(what), std::string::npos) << what << "\n" << checked.out;
}

}  // namespace
}  // namespace dfsim
