#include "sim/host/server_config.h"

#include <gtest/gtest.h>

namespace dfsim {
namespace {

const char* const kGood =
    "processors:\n"
    "  - kind: cpu\n"
    "    architecture: x86-64\n"
    "    memory_gib: 64\n"
    "    units: 8\n"
    "    clock_mhz: 2000\n"
    "    matrix_operations: {fp32: 32}\n"
    "    vector_operations: {fp32: 32}\n"
    "    memory_gb_s: 50\n"
    "    launch_ns: 300\n"
    "    efficiency:\n"
    "      default: {compute: 0.5, source: guess}\n"
    "  - kind: card\n"
    "    architecture: dfsim mesh\n"
    "    memory_gib: 4\n"
    "    chip: mesh2x2.yaml\n"
    "    link: {pcie_generation: 4, lanes: 8, latency_ns: 400, dma_setup_ns: 900}\n"
    "root_complex: {gb_s: 60, latency_ns: 150}\n";

ServerSpec read(const std::string& text, Diagnostics& diagnostics) {
  const YamlDocument document = load_yaml_text(text, "s.yaml", {}, diagnostics);
  const ServerSpec server = read_server(document.root(), "my-box");
  document.finish();
  return server;
}

std::string mistakes(const std::string& from, const std::string& to) {
  std::string text = kGood;
  const std::size_t at = text.find(from);
  EXPECT_NE(at, std::string::npos) << from;
  text.replace(at, from.size(), to);
  Diagnostics diagnostics;
  read(text, diagnostics);
  std::string all;
  for (const Diagnostic& one : diagnostics.list()) all += one.to_string() + "\n";
  return all;
}

TEST(ServerConfig, ReadsProcessorsAndLinks) {
  Diagnostics diagnostics;
  const ServerSpec server = read(kGood, diagnostics);
  EXPECT_TRUE(diagnostics.empty());
  EXPECT_EQ(server.name, "my_box");
  ASSERT_EQ(server.processors.size(), 2u);
  EXPECT_EQ(server.processors[0].name, "cpu");
  EXPECT_EQ(server.processors[0].memory_bytes, 64ull << 30);
  EXPECT_FALSE(server.processors[0].link);
  EXPECT_EQ(server.processors[0].efficiency.at("default").compute, 0.5);
  EXPECT_EQ(server.processors[1].chip, "mesh2x2.yaml");
  EXPECT_NEAR(server.processors[1].link->bytes_per_ns(), 15.7538, 1e-4);  // 16 GT/s, 8 lanes, 128b/130b
  EXPECT_EQ(server.root.latency_ns, 150u);
}

TEST(ServerConfig, LocatesMistakes) {
  EXPECT_NE(mistakes("units: 8", "unts: 8").find("s.yaml:5:5: error"), std::string::npos);
  EXPECT_NE(mistakes("lanes: 8", "lanes: 99").find("s.yaml:17:39: error"), std::string::npos);
  EXPECT_NE(mistakes("kind: card", "kind: tpu").find("s.yaml:13:11: error"), std::string::npos);
  EXPECT_NE(mistakes("{fp32: 32}", "{fp23: 32}").find("s.yaml:7"), std::string::npos);
  EXPECT_NE(
      mistakes("architecture: x86-64", "architecture: x86-64\n    supports: []").find("supports no operator"),
      std::string::npos);
  EXPECT_NE(mistakes("kind: card", "kind: card\n    name: cpu").find("there are two processors 'cpu'"),
            std::string::npos);
}

}  // namespace
}  // namespace dfsim
