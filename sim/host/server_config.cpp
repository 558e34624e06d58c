#include "sim/host/server_config.h"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <set>

namespace dfsim {

namespace {

constexpr double kGibibyte = 1024.0 * 1024 * 1024;
constexpr std::size_t kMostProcessors = 16;

const std::vector<std::pair<std::string, ProcessorKind>> kKinds{
    {"cpu", ProcessorKind::cpu}, {"gpu", ProcessorKind::gpu}, {"card", ProcessorKind::card}};
bool is_identifier(const std::string& text) {
  return !text.empty() &&
         std::all_of(text.begin(), text.end(), [](unsigned char c) { return std::isalnum(c) || c == '_'; });
}

std::map<DataType, double> read_rates(const YamlValue& rates) {
  std::map<DataType, double> result;
  for (const auto& [name, type] : data_types())
    if (const YamlValue rate = rates.quiet()[name]) result[type] = rate.number(1e-3, 1e6, 1);
  if (rates && result.empty()) rates.error(rates.path() + ": no rate given", "for example {fp16: 1024}");
  return result;
}

void read_efficiency(const YamlValue& list, ProcessorSpec& processor) {
  for (const YamlNamedValue& entry : list.entries()) {
    const YamlValue value = entry.value.quiet();
    OperatorEfficiency& efficiency = processor.efficiency[entry.key];
    efficiency.compute = value["compute"].number(1e-4, 1, 1);
    efficiency.memory = value["memory"].number(1e-4, 1, 1);
    efficiency.source = value.require("source").string();
  }
}

void read_roofline(const YamlValue& item, ProcessorSpec& processor) {
  processor.units = static_cast<std::uint32_t>(item.require("units").integer(1, 100'000, 1));
  processor.clock_mhz = item.require("clock_mhz").number(1, 100'000, 1000);
  processor.matrix_operations = read_rates(item.require("matrix_operations"));
  processor.vector_operations = read_rates(item.require("vector_operations"));
  processor.memory_bytes_per_ns = item.require("memory_gb_s").number(0.1, 1e6, 1);
  processor.launch_ns = static_cast<std::uint64_t>(item.require("launch_ns").integer(0, 1'000'000'000));
  processor.streams = static_cast<std::uint32_t>(item["streams"].integer(1, 1024, 1));
  processor.tile_elements = static_cast<std::uint32_t>(item["tile_elements"].integer(0, 1 << 30, 0));
  read_efficiency(item["efficiency"], processor);
}

HostLinkSpec read_link(const YamlValue& link) {
  HostLinkSpec spec;
  spec.generation = static_cast<std::uint32_t>(link.require("pcie_generation").integer(1, 5, 3));
  spec.lanes = static_cast<std::uint32_t>(link.require("lanes").integer(1, 32, 16));
  spec.payload_share = link["payload_share"].number(1e-4, 1, 1);
  spec.latency_ns = static_cast<std::uint64_t>(link.require("latency_ns").integer(0, 1'000'000'000));
  spec.dma_setup_ns = static_cast<std::uint64_t>(link.require("dma_setup_ns").integer(0, 1'000'000'000));
  return spec;
}

ProcessorSpec read_processor(const YamlValue& item) {
  ProcessorSpec processor;
  processor.kind = item.require("kind").choice(kKinds, ProcessorKind::cpu);
  const YamlValue name = item["name"];
  processor.name = name.string(to_string(processor.kind));
  if (!is_identifier(processor.name))
    name.error(fmt::format("'{}' is no name of a processor", processor.name),
               "letters, digits and _ make one");
  processor.architecture = item.require("architecture").string();
  for (const YamlValue& kind : item["supports"].items()) processor.supports.push_back(kind.string());
  if (item["supports"].is_list() && processor.supports.empty())
    item["supports"].error(fmt::format("processor '{}' supports no operator", processor.name),
                           "list kinds of operators, or leave the key out if it runs all");
  processor.memory_bytes =
      static_cast<std::uint64_t>(item.require("memory_gib").number(1e-6, 1e6, 1) * kGibibyte);
  if (const YamlValue link = item["link"]; link && !link.is_null()) processor.link = read_link(link);
  if (processor.kind == ProcessorKind::card)
    processor.chip = item["chip"].string();  // none: the chip of the same file
  else
    read_roofline(item, processor);
  return processor;
}

}  // namespace

ServerSpec read_server(const YamlValue& root, const std::string& name) {
  ServerSpec server;
  server.name = name;
  // Names of modules hold letters, digits and _ only.
  for (char& c : server.name)
    if (!std::isalnum(static_cast<unsigned char>(c))) c = '_';
  const YamlValue list = root.require("processors");
  std::set<std::string> names;
  for (const YamlValue& item : list.items()) {
    server.processors.push_back(read_processor(item.quiet()));
    const std::string& name = server.processors.back().name;
    if (!names.insert(name).second)
      item.error(fmt::format("there are two processors '{}'", name), "give one of them another name");
  }
  if (list.is_list() && (names.empty() || names.size() > kMostProcessors))
    list.error(fmt::format("expected 1 to {} processors, found {}", kMostProcessors, names.size()));
  const YamlValue root_complex = root["root_complex"].quiet();
  server.root.bytes_per_ns = root_complex["gb_s"].number(0.01, 1e6, server.root.bytes_per_ns);
  server.root.latency_ns =
      static_cast<std::uint64_t>(root_complex["latency_ns"].integer(0, 1'000'000'000, 0));
  return server;
}

}  // namespace dfsim
