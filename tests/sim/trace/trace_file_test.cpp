#include "sim/trace/trace_file.h"

#include <gtest/gtest.h>
#include <unistd.h>

#include <filesystem>
#include <string>

#include "sim/base/files.h"
#include "tests/sim/trace/example.h"

namespace dfsim {
namespace {

class TraceFile : public testing::Test {
 protected:
  TraceFile()
      : folder_(std::filesystem::path(testing::TempDir()) /
                ("dfsim_trace_file_" + std::to_string(::getpid()))) {
    std::filesystem::create_directories(folder_);
  }
  ~TraceFile() override { std::filesystem::remove_all(folder_); }

  std::string write(Example& example, const std::string& name) {
    const std::string path = (folder_ / name).string();
    write_trace_file({example.recorder, example.b.program, example.hardware, example.measurement, {}}, path);
    return path;
  }
  std::filesystem::path folder_;
};

TEST_F(TraceFile, TheNameSaysTheFormat) {
  EXPECT_EQ(trace_format("a.json"), TraceFormat::chrome);
  EXPECT_EQ(trace_format("x/a.json.gz"), TraceFormat::chrome);
  EXPECT_EQ(trace_format("a.pftrace"), TraceFormat::perfetto);
  EXPECT_EQ(trace_format("a.pftrace.gz"), TraceFormat::perfetto);
  for (const char* name : {"a", "a.gz", "json", "a.txt", ""}) EXPECT_FALSE(trace_format(name)) << name;
}

TEST_F(TraceFile, CompressedFilesAreDeterministicAndHoldTheText) {
  Example example(300);  // several blocks of the compressor
  const std::string text = example.text();
  const std::string path = write(example, "a.json.gz"), compressed = read_file(path);
  EXPECT_LT(compressed.size() * 5, text.size());
  EXPECT_TRUE(compressed == read_file(write(example, "b.json.gz")));
  EXPECT_EQ(compressed.substr(4, 4), std::string(4, '\0')) << "no time in the header";
  EXPECT_TRUE(read_gzip(path) == text);
  EXPECT_FALSE(std::filesystem::exists(path + ".part"));
}

TEST_F(TraceFile, ANameEndingInJsonIsPlain) {
  Example example;
  EXPECT_TRUE(read_file(write(example, "deeper/a.json")) == example.text());
}

TEST_F(TraceFile, CyclesCanBeTheTimeAxis) {
  TraceOptions options;
  options.time = TraceTime::cycles;
  Example example(3, options);
  example.hardware.clock_period_ps = 769;
  const auto trace = nlohmann::json::parse(read_file(write(example, "a.json")));
  std::int64_t last = 0;
  for (const auto& e : trace["traceEvents"])
    if (e["ph"] == "X") last = std::max(last, picoseconds(e["ts"]) + picoseconds(e["dur"]));
  EXPECT_EQ(last, 320 * 1000) << "a cycle is shown as a nanosecond";
}

TEST_F(TraceFile, SaysWhatCannotBeWritten) {
  Example example;
  EXPECT_THROW(write(example, "a.txt"), std::invalid_argument);
  std::filesystem::create_directories(folder_ / "taken.json");
  EXPECT_THROW(write(example, "taken.json"), FileError);
}

}  // namespace
}  // namespace dfsim
