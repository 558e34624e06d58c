#include <zlib.h>

#include "tests/planner/app/run_dfsim.h"

namespace dfsim {
namespace {

std::string unpacked(const std::string& path) {
  const gzFile file = gzopen(path.c_str(), "rb");
  EXPECT_NE(file, nullptr) << path;
  std::string text;
  char block[1 << 16];
  for (int count; file && (count = gzread(file, block, sizeof block)) > 0;)
    text.append(block, static_cast<std::size_t>(count));
  if (file) gzclose(file);
  return text;
}

/// Where two texts differ first, with what stands there.
std::string difference(const std::string& recorded, const std::string& made) {
  std::size_t at = 0;
  while (at < recorded.size() && at < made.size() && recorded[at] == made[at]) ++at;
  const std::size_t from = at < 40 ? 0 : at - 40;
  return "at byte " + std::to_string(at) + ":\n  recorded: " + recorded.substr(from, 120) +
         "\n  now:      " + made.substr(from, 120) + "\nIf that is meant, run scripts/record_traces.";
}

/// The trace without the line that says how it was made: the path of the plan is another one here.
std::string without_command_line(std::string text) {
  const std::size_t at = text.find("\"command_line\":");
  EXPECT_NE(at, std::string::npos);
  if (at == std::string::npos) return text;
  return text.erase(at, text.find('\n', at) - at);
}

class Traces : public RunDfsim, public testing::WithParamInterface<const char*> {};

TEST_P(Traces, AreMadeAgainByteForByte) {
  const std::string recorded = std::string(DFSIM_SOURCE_DIR "/traces/") + GetParam();
  const Ended ended = dfsim("run --plan '" + recorded + "/plan.yaml' --cache none --out made");
  ASSERT_EQ(ended.code, 0) << ended.err;
  for (const char* name : {"program.json", "measurement.json"}) {
    const std::string before = content_of(recorded + "/" + name), now = read(std::string("made/") + name);
    EXPECT_TRUE(before == now) << name << " differs " << difference(before, now);
  }
  const std::string before = without_command_line(unpacked(recorded + "/trace.json.gz"));
  const std::string now = without_command_line(unpacked((folder_ / "made/trace.json.gz").string()));
  EXPECT_TRUE(before == now) << "the trace differs " << difference(before, now);
}

INSTANTIATE_TEST_SUITE_P(Recorded, Traces, testing::Values("worked_example_2x2", "mlp_mesh4x4"));

TEST(RecordedTraces, StaySmall) {
  std::uintmax_t bytes = 0;
  for (const auto& entry : std::filesystem::recursive_directory_iterator(DFSIM_SOURCE_DIR "/traces"))
    if (entry.is_regular_file()) bytes += entry.file_size();
  EXPECT_LT(bytes, 2u << 20);
}

}  // namespace
}  // namespace dfsim
