#include "planner/placement/load.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "sim/base/hash.h"
#include "sim/base/yaml.h"

namespace dfsim {

namespace {

SampleClass own_dimensions(const Graph& network) { return {"default", {}, 1, network}; }

/// The mistakes of the model under these dimensions, as one of the samples file.
void report(const YamlValue& entry, const InputError& refused, const std::string& model_path) {
  entry.error("the model refuses these dimensions: " + refused.diagnostics().front().what,
              "names and limits are in the sections 'dimensions' and 'limits' of " + model_path);
}

class SampleReader {
 public:
  SampleReader(const std::string& model_path, const std::vector<std::string>& overrides, const Graph& network)
      : model_path_(model_path), overrides_(overrides), network_(network) {}

  SampleClass read(const YamlValue& entry) const {
    SampleClass sample = own_dimensions(network_);
    std::vector<std::string> overrides = overrides_;
    const YamlValue dimensions = entry.require("dimensions");
    for (const YamlNamedValue& dimension : dimensions.entries()) {
      const std::int64_t value = dimension.value.integer(1, (1ll << 31) - 1, 1);
      sample.dimensions.push_back(fmt::format("{}={}", dimension.key, value));
      overrides.push_back("model." + sample.dimensions.back());
    }
    sample.count = static_cast<std::uint32_t>(entry["count"].integer(1, 100'000, 1));
    if (sample.dimensions.empty()) return sample;
    sample.name = fmt::format("{}", fmt::join(sample.dimensions, " "));
    try {
      sample.graph = load_model(model_path_, overrides);
    } catch (const InputError& refused) {
      report(dimensions, refused, model_path_);
      return sample;
    }
    if (graph_identity(sample.graph) != graph_identity(network_))
      dimensions.error("with these dimensions the model has other operators", "change sizes, not structure");
    return sample;
  }

 private:
  const std::string& model_path_;
  const std::vector<std::string>& overrides_;
  const Graph& network_;
};

}  // namespace

std::string graph_identity(const Graph& graph) {
  std::string text;
  for (const Operator& op : graph.operators()) {
    text += op.name + " " + op.kind;
    for (const TensorId t : op.inputs) text += " " + graph.tensor(t).name;
    text += " >";
    for (const TensorId t : op.outputs) text += " " + graph.tensor(t).name;
    text += "\n";
  }
  for (const auto& [before, after] : graph.control_edges())
    text += fmt::format("{} {}\n", before.value(), after.value());
  return content_hash(text);
}

std::vector<SampleClass> read_samples(const std::string& samples_file, const std::string& model_path,
                                      const std::vector<std::string>& overrides, const Graph& network) {
  if (samples_file.empty()) return {own_dimensions(network)};
  Diagnostics diagnostics;
  const YamlDocument document = load_yaml(samples_file, {}, diagnostics);
  diagnostics.throw_if_any<ModelError>();
  const SampleReader reader(model_path, overrides, network);
  std::vector<SampleClass> samples;
  const YamlValue list = document.root().require("samples");
  for (const YamlValue& entry : list.items()) samples.push_back(reader.read(entry.quiet()));
  if (list.is_list() && samples.empty()) list.error("there are no samples", "at least one is needed");
  document.finish();
  diagnostics.throw_if_any<ModelError>();
  return samples;
}

Network load_network(const std::string& model_path, const std::vector<std::string>& overrides,
                     const std::string& samples_file) {
  Network network;
  network.model = read_model(model_path, overrides);
  network.samples = read_samples(samples_file, model_path, overrides, network.model.graph);
  return network;
}

}  // namespace dfsim
