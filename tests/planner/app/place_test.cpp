#include <nlohmann/json.hpp>
#include <set>

#include "tests/planner/app/run_dfsim.h"

namespace dfsim {
namespace {

// A CPU that begins at once, a GPU behind a link, and a card with a chip of 2 x 2 PEs.
const char* const kServer =
    "extends: " DFSIM_SOURCE_DIR
    "/configs/mesh2x2.yaml\n"
    "name: box\n"
    "server:\n"
    "  processors:\n"
    "    - kind: cpu\n"
    "      architecture: x86-64\n"
    "      memory_gib: 1\n"
    "      units: 4\n"
    "      clock_mhz: 1000\n"
    "      matrix_operations: {fp16: 16}\n"
    "      vector_operations: {fp16: 8}\n"
    "      memory_gb_s: 20\n"
    "      launch_ns: 200\n"
    "    - kind: gpu\n"
    "      architecture: cuda\n"
    "      memory_gib: 1\n"
    "      units: 16\n"
    "      clock_mhz: 1500\n"
    "      matrix_operations: {fp16: 512}\n"
    "      vector_operations: {fp16: 64}\n"
    "      memory_gb_s: 400\n"
    "      launch_ns: 2000\n"
    "      link: {pcie_generation: 3, lanes: 16, latency_ns: 300, dma_setup_ns: 500}\n"
    "    - kind: card\n"
    "      architecture: dfsim 2x2\n"
    "      memory_gib: 1\n"
    "      link: {pcie_generation: 3, lanes: 8, latency_ns: 300, dma_setup_ns: 500}\n"
    "  root_complex: {gb_s: 50, latency_ns: 100}\n"
    "  cut: {max_crossing_tensors: 1}\n";

const char* const kModel =
    "name: net\n"
    "dimensions: {width: 512}\n"
    "inputs: [{name: x, shape: [width]}]\n"
    "outputs: [y]\n"
    "operators:\n"
    "  - {name: a, kind: matmul, inputs: [x], out_features: 1024}\n"
    "  - {name: b, kind: elementwise, function: relu, inputs: [a]}\n"
    "  - {name: c, kind: matmul, inputs: [b], out_features: 64}\n"
    "  - {name: y, kind: matmul, inputs: [c], out_features: 8}\n";

std::string with(std::string text, const std::string& from, const std::string& to) {
  const std::size_t at = text.find(from);
  EXPECT_NE(at, std::string::npos) << from;
  return text.replace(at, from.size(), to);
}

class Place : public RunDfsim {
 protected:
  Ended place(const std::string& more = "", const std::string& server = kServer,
              const std::string& model = kModel) {
    write("box.yaml", server);
    write("net.yaml", model);
    const std::string out = more.find("--out") == std::string::npos ? "--out out " : "";
    return dfsim("place --config box.yaml --model net.yaml --workers 1 " + out + more);
  }
  nlohmann::json placed(const std::string& more, const std::string& server = kServer) {
    const Ended ended = place("--json " + more, server);
    EXPECT_EQ(ended.code, 0) << ended.err;
    return nlohmann::json::parse(ended.out);
  }
  static std::set<std::string> used(const nlohmann::json& answer) {
    std::set<std::string> processors;
    for (const auto& [subgraph, processor] : answer["assignment"].items()) processors.insert(processor);
    return processors;
  }
};

TEST_F(Place, SettlesNoWorseThanTheBestSingleProcessorAndAsTheExactProgram) {
  const nlohmann::json settled = placed("");
  const nlohmann::json exact = placed("--method exact --out exact");
  EXPECT_NEAR(settled["value"], exact["value"], 1e-6 * exact["value"].get<double>());
  EXPECT_LE(settled["value"], settled["best_single_processor"]["value"]);
  EXPECT_NEAR(settled["gain"].get<double>(),
              1 - settled["value"].get<double>() / settled["best_single_processor"]["value"].get<double>(),
              1e-12);
  EXPECT_GE(used(settled).size(), 2u) << settled;
  for (const char* file : {"placement.yaml", "subgraphs/g0.yaml", "subgraphs/g3.yaml", "execution_cycles.csv",
                           "execution_samples.csv", "subgraphs.csv", "report.html", "trace.json.gz",
                           "config.resolved.yaml", "model.resolved.yaml"})
    EXPECT_TRUE(exists(std::string("out/") + file)) << file;
}

TEST_F(Place, CollapsesToOneProcessorWhenLinksAreAHundredTimesSlower) {
  const std::string link = "latency_ns: 300, dma_setup_ns: 500}";
  const std::string slow = "latency_ns: 30000, dma_setup_ns: 50000, payload_share: 0.01}";
  const nlohmann::json answer = placed("", with(with(kServer, link, slow), link, slow));
  EXPECT_EQ(used(answer).size(), 1u) << answer;
}

TEST_F(Place, GivesTheSameBytesAgain) {
  placed("");
  const std::string cycles = read("out/execution_cycles.csv"), page = read("out/report.html");
  placed("");
  EXPECT_EQ(read("out/execution_cycles.csv"), cycles);
  EXPECT_EQ(read("out/report.html"), page);
}

TEST_F(Place, RunsRequestsThroughThePlacement) {
  ASSERT_EQ(place().code, 0);
  const Ended ended =
      dfsim("run --placement out/placement.yaml --requests 50 --rate 20000 --json --out task");
  ASSERT_EQ(ended.code, 0) << ended.err;
  const auto answer = nlohmann::json::parse(ended.out);
  EXPECT_LE(answer["latency_ms"]["p50"], answer["latency_ms"]["p99"]);
  EXPECT_LE(answer["latency_ms"]["p99"], answer["latency_ms"]["max"]);
  EXPECT_GT(answer["throughput_per_second"], 0);
  for (const auto& [name, share] : answer["utilisation"].items()) {
    EXPECT_GE(share, 0);
    EXPECT_LE(share, 1);
  }
  EXPECT_TRUE(exists("task/requests.csv"));
  EXPECT_TRUE(exists("task/trace.json.gz"));
  // Slow requests, one after another, take what the placement takes.
  const auto slow = nlohmann::json::parse(
      dfsim("run --placement out/placement.yaml --requests 5 --rate 10 --arrivals fixed --json").out);
  const std::string placement = read("out/placement.yaml");
  const double value_ns = std::stod(placement.substr(placement.find("value_ns: ") + 10));
  EXPECT_NEAR(slow["latency_ms"]["p50"].get<double>(), value_ns / 1e6, 1e-6);
}

TEST_F(Place, AcceptsOtherSizesAndRefusesOtherGraphs) {
  ASSERT_EQ(place().code, 0);
  const Ended sizes =
      dfsim("run --placement out/placement.yaml --requests 5 --set model.width=256 --workers 1");
  EXPECT_EQ(sizes.code, 0) << sizes.err;
  write("other.yaml", with(kModel, "function: relu", "function: gelu, outputs: [bb]"));
  write("other.yaml", with(read("other.yaml"), "inputs: [b]", "inputs: [bb]"));
  const Ended other = dfsim("run --placement out/placement.yaml --model other.yaml");
  EXPECT_EQ(other.code, 2);
  EXPECT_NE(other.err.find("other.yaml:1:1: error: the graph of 'net' is not the one"), std::string::npos)
      << other.err;
}

TEST_F(Place, TakesSamplesFromAFile) {
  write("samples.yaml",
        "samples:\n  - {dimensions: {width: 256}, count: 3}\n  - {dimensions: {width: 512}}\n");
  const Ended ended = place("--samples-file samples.yaml --objective interval");
  EXPECT_EQ(ended.code, 0) << ended.err;
  const std::string rows = read("out/execution_samples.csv");
  EXPECT_NE(rows.find("1,width=256,3,g0,cpu,"), std::string::npos) << rows.substr(0, 400);
  EXPECT_NE(rows.find("1,width=512,1,g0,cpu,"), std::string::npos);
}

TEST_F(Place, ModulesOfAServerAreListed) {
  write("box.yaml", kServer);
  const Ended ended = dfsim("list modules --config box.yaml");
  EXPECT_EQ(ended.code, 0) << ended.err;
  for (const char* module : {"box", "dispatcher", "fabric", "link_gpu", "card"})
    EXPECT_NE(ended.out.find(module), std::string::npos) << module << " in:\n" << ended.out;
}

TEST_F(Place, CheckReadsTheServerToo) {
  write("box.yaml", kServer);
  const Ended good = dfsim("check box.yaml");
  EXPECT_EQ(good.code, 0) << good.err;
  EXPECT_NE(good.out.find("server 'box': 3 processors, 1 of them cards"), std::string::npos) << good.out;
  write("box.yaml", with(kServer, "lanes: 16", "lanes: 33"));
  EXPECT_EQ(dfsim("check box.yaml").code, 2);
}

TEST_F(Place, JsonIsAsItsSchemaSays) {
  const Ended placed = place("--json");
  ASSERT_EQ(placed.code, 0) << placed.err;
  write("place.json", placed.out);
  write("task.json", dfsim("run --placement out/placement.yaml --requests 9 --json").out);
  const std::string check = "python3 '" DFSIM_SOURCE_DIR "/scripts/check_schemas.py' '" +
                            (folder_ / "place.json").string() + "' '" + (folder_ / "task.json").string() +
                            "' '" + (folder_ / "out/trace.json.gz").string() + "'";
  EXPECT_EQ(std::system(check.c_str()), 0);
}

// What ends with a located mistake, or an explained "does not fit".
class BadPlace : public Place {
 protected:
  void expect(const Ended& ended, const std::string& said, int code = 2) {
    EXPECT_EQ(ended.code, code) << ended.err;
    EXPECT_NE(ended.err.find(said), std::string::npos) << "expected '" << said << "' in:\n" << ended.err;
    EXPECT_EQ(ended.out, "");
    EXPECT_FALSE(exists("out"));
  }
  static std::string cut(const std::string& rules) {
    return with(kServer, "  cut: {max_crossing_tensors: 1}\n", "  cut:\n" + rules);
  }
};

TEST_F(BadPlace, PinnedToAnUnknownProcessor) {
  expect(place("", cut("    pinned: [{operators: a, processor: gpus}]\n")),
         "box.yaml:30:40: error: unknown processor 'gpus'");
}
TEST_F(BadPlace, PinsThatContradict) {
  expect(place("", cut("    pinned:\n      - {operators: a, processor: cpu}\n      - {operators: '*', "
                       "processor: gpu}\n")),
         "box.yaml:32:9: error: this leaves no processor for matmul 'a'");
}
TEST_F(BadPlace, RuleForNoOperator) {
  expect(place("", cut("    allowed: [{operators: q, processors: [cpu]}]\n")),
         "no operator of 'net' is called 'q'");
}
TEST_F(BadPlace, ProcessorThatSupportsNothing) {
  expect(place("", with(kServer, "kind: card\n", "kind: card\n      supports: []\n")),
         "box.yaml:25:17: error: processor 'card' supports no operator");
}
TEST_F(BadPlace, OperatorThatNoProcessorRuns) {
  std::string server = kServer;
  for (const char* kind : {"kind: cpu\n", "kind: gpu\n", "kind: card\n"})
    server = with(server, kind, kind + std::string("      supports: [elementwise]\n"));
  expect(place("", server), "net.yaml:6:5: error: no processor can run matmul 'a'");
}
TEST_F(BadPlace, SizesThatContradict) {
  expect(place("", cut("    min_operators: 3\n    max_operators: 2\n")),
         "box.yaml:30:20: error: min_operators is 3");
}
TEST_F(BadPlace, NoCutThatSatisfiesAll) {
  expect(
      place("", cut("    never_inside: [[matmul, elementwise], [elementwise, matmul], [matmul, matmul]]\n")),
      "there would be a cut without never_inside");
}
TEST_F(BadPlace, UnknownKindInAPattern) {
  expect(place("", cut("    never_inside: [[matmull, elementwise]]\n")), "did you mean 'matmul'?");
}
TEST_F(BadPlace, MemoryTooSmall) {
  std::string server = kServer;
  for (int i = 0; i < 3; ++i) server = with(server, "memory_gib: 1\n", "memory_gib: 0.0005\n");
  expect(place("", server), "g0 on cpu: its weights need 1050624 bytes, the memory holds 536870", 3);
}
TEST_F(BadPlace, ChipWithoutAServer) {
  expect(place("", "extends: " DFSIM_SOURCE_DIR "/configs/mesh2x2.yaml\n"),
         "box.yaml:1:1: error: this file describes a chip, not a server");
}
TEST_F(BadPlace, TwoProcessorsOfOneName) {
  expect(place("", with(kServer, "kind: card\n", "kind: card\n      name: gpu\n")),
         "there are two processors 'gpu'");
}
TEST_F(BadPlace, MisspeltKeyOfAProcessor) {
  expect(place("", with(kServer, "launch_ns: 200\n", "launch_nss: 200\n")),
         "box.yaml:13:7: error: unknown key");
}
TEST_F(BadPlace, SamplesOfAnUnknownDimension) {
  write("samples.yaml", "samples:\n  - {dimensions: {height: 256}}\n");
  expect(place("--samples-file samples.yaml"),
         "samples.yaml:2:18: error: the model refuses these dimensions");
}
TEST_F(BadPlace, MistakesOfServerAndModelAtOnce) {
  const Ended ended =
      place("", with(kServer, "units: 4\n", "units: none\n"), with(kModel, "kind: matmul", "kind: matmull"));
  expect(ended, "box.yaml:8:14: error");
  expect(ended, "net.yaml:6:");
}
TEST_F(BadPlace, OneOperator) {
  expect(place("", kServer,
               "name: net\ninputs: [{name: x, shape: [8]}]\noutputs: [y]\noperators:\n"
               "  - {name: y, kind: elementwise, function: relu, inputs: [x]}\n"),
         "'net' has one operator");
}
TEST_F(BadPlace, RateThatIsNoNumber) {
  const Ended ended = dfsim("run --placement out/placement.yaml --rate nan");
  EXPECT_EQ(ended.code, 2);
  EXPECT_NE(ended.err.find("--rate: 'nan' is no number"), std::string::npos) << ended.err;
}
TEST_F(BadPlace, TableBesideAServer) { expect(place("--time-table t.yaml"), "takes the place of a server"); }
TEST_F(BadPlace, TableWithACycle) {
  write("t.yaml",
        "processors: [p, q]\nsubgraphs: [{name: a, time: [1, 2]}, {name: b, time: [1, 2]}]\n"
        "copies: [{from: a, to: b, time: 1}, {from: b, to: a, time: 1}]\n");
  expect(dfsim("place --time-table t.yaml"), "t.yaml:3:9: error: the copies form a cycle");
}
TEST_F(BadPlace, ChangedFileOfAPlacement) {
  ASSERT_EQ(place().code, 0);
  write("out/model.resolved.yaml", kModel);
  const Ended ended = dfsim("run --placement out/placement.yaml");
  EXPECT_EQ(ended.code, 2);
  EXPECT_NE(ended.err.find("out/model.resolved.yaml:1:1: error: this file was changed"), std::string::npos)
      << ended.err;
}

TEST_F(Place, SolvesATable) {
  const std::string table = DFSIM_SOURCE_DIR "/tests/data/placement/p8.yaml";
  for (const char* method : {"mutation", "exact"}) {
    const Ended ended = dfsim("place --json --time-table " + table + " --method " + method);
    ASSERT_EQ(ended.code, 0) << ended.err;
    const auto answer = nlohmann::json::parse(ended.out);
    EXPECT_EQ(answer["value"], 51);
    EXPECT_EQ(answer["assignment"]["g1"], "card");
  }
}

}  // namespace
}  // namespace dfsim
