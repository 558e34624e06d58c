// The models that dfsim ships: totals that the literature or arithmetic states.
#include <gtest/gtest.h>

#include <filesystem>

#include "planner/frontend/frontend.h"
#include "planner/ops/operator.h"

namespace dfsim {
namespace {

std::string model(const std::string& name) { return std::string(DFSIM_SOURCE_DIR) + "/models/" + name; }

std::uint64_t embedding_bytes(const Graph& graph) {
  std::uint64_t sum = 0;
  for (const Tensor& tensor : graph.tensors())
    if (tensor.role == TensorRole::embedding) sum += tensor.bytes();
  return sum;
}

OpId op_called(const Graph& graph, const std::string& name) {
  for (std::uint32_t i = 0; i < graph.operators().size(); ++i)
    if (graph.op(OpId(i)).name == name) return OpId(i);
  ADD_FAILURE() << "no operator " << name;
  return OpId();
}

const Tensor& output_of(const Graph& graph, const std::string& name) {
  return graph.tensor(graph.op(op_called(graph, name)).outputs[0]);
}

using Shape = std::vector<std::uint32_t>;

TEST(Models, EveryShippedModelLoadsAndItsResolvedTextGivesTheSameGraph) {
  int count = 0;
  for (const auto& entry : std::filesystem::directory_iterator(model(""))) {
    SCOPED_TRACE(entry.path().string());
    const Model loaded = read_model(entry.path().string());
    const Model again = read_model_text(loaded.resolved_text, "resolved.yaml");
    std::vector<OpId> all;
    for (std::uint32_t i = 0; i < loaded.graph.operators().size(); ++i) all.emplace_back(i);
    EXPECT_EQ(loaded.graph.signature(all), again.graph.signature(all));
    EXPECT_EQ(loaded.graph.name, again.graph.name);
    EXPECT_EQ(loaded.resolved_text, again.resolved_text);
    EXPECT_EQ(loaded.graph.name, entry.path().stem().string());
    ++count;
  }
  EXPECT_GE(count, 6);
}

TEST(Models, BertBaseHasTheMultipliesAndParametersOfItsFormula) {
  const Graph bert = load_model(model("bert.yaml"));
  EXPECT_EQ(macs_per_sample(bert), 11'174'215'680u);
  EXPECT_EQ(bert.operators().size(), 5u + 12 * 14 + 3);
  const std::uint64_t h = 768, f = 3072;
  const std::uint64_t layer = 4 * (h * h + h) + (h * f + f) + (f * h + h) + 2 * 2 * h;
  EXPECT_EQ(12 * layer + h * h + h + 2 * h, 85'646'592u) << "85.6 million in products and norms";
  EXPECT_EQ(bert.weight_bytes(), 2 * (85'646'592u + 128 * h));
  EXPECT_EQ(embedding_bytes(bert), 2 * (30'522 + 2) * h);
  EXPECT_EQ(output_of(bert, "layer_11.scores").shape, (Shape{12, 128, 128}));
  EXPECT_EQ(output_of(bert, "layer_11.context").shape, (Shape{128, 768}));
  EXPECT_EQ(output_of(bert, "pooler").shape, (Shape{768}));
  EXPECT_EQ(output_of(bert, "pooler").role, TensorRole::output);
}

TEST(Models, LayersOfBertAreEqualButForTheFirst) {
  const Graph bert = load_model(model("bert.yaml"));
  const auto layer = [&](const std::string& name) {
    const OpId first = op_called(bert, name + ".query");
    std::vector<OpId> ops;
    for (std::uint32_t i = 0; i < 14; ++i) ops.emplace_back(first.value() + i);
    return bert.signature(ops);
  };
  for (int i = 2; i < 12; ++i) EXPECT_EQ(layer("layer_1"), layer("layer_" + std::to_string(i)));
  EXPECT_EQ(layer("layer_0"), layer("layer_1")) << "the embeddings' norm is as external as a layer's";
}

TEST(Models, BertFollowsItsSequenceLength) {
  const Graph bert = load_model(model("bert.yaml"), {"model.sequence_length=384", "noc.dims=4x4"});
  const std::uint64_t s = 384, h = 768;
  EXPECT_EQ(macs_per_sample(bert), 12 * (4 * s * h * h + 2 * s * s * h + 2 * s * h * 4 * h) + h * h);
  EXPECT_EQ(output_of(bert, "layer_0.scores").shape, (Shape{12, 384, 384}));
  const Graph two = load_model(model("bert.yaml"), {"model.dimensions.layers=2"});
  EXPECT_EQ(two.operators().size(), 5u + 2 * 14 + 3);
  try {
    load_model(model("bert.yaml"), {"model.sequence_length=513"});
    ADD_FAILURE() << "there are 512 positions";
  } catch (const ModelError& error) {
    EXPECT_STREQ(
        error.what(),
        "--set model.sequence_length: error: dimension 'sequence_length' is 513, at most 512 makes sense "
        "for this model");
  }
}

// torchvision's resnet50 has 25,557,032 parameters, 53,120 of them batch norm scale and shift; folding leaves
// one bias per channel, half of those.
TEST(Models, ResNet50HasTheMultipliesAndParametersOfTheLiterature) {
  const Graph graph = load_model(model("resnet50.yaml"));
  EXPECT_EQ(macs_per_sample(graph), 4'089'184'256u);
  EXPECT_EQ(macs_per_sample(load_model(model("resnet50_v1.yaml"))), 3'857'973'248u);
  EXPECT_EQ(graph.weight_bytes(), 2 * (25'557'032u - 53'120 / 2));
  EXPECT_EQ(output_of(graph, "conv4_4.relu").shape, (Shape{1024, 14, 14}));
  EXPECT_EQ(output_of(graph, "conv5_first_spatial").shape, (Shape{512, 7, 7}));
  EXPECT_EQ(output_of(graph, "scores").shape, (Shape{1000}));
}

TEST(Models, SmallOnesHaveTheSizesTheyState) {
  EXPECT_EQ(macs_per_sample(load_model(model("mlp.yaml"))),
            784u * 2000 + 2000 * 1500 + 1500 * 1000 + 1000 * 500 + 500 * 10);
  const std::uint64_t s = 128, h = 512;
  EXPECT_EQ(macs_per_sample(load_model(model("transformer_block.yaml"))),
            4 * s * h * h + 2 * s * s * h + 2 * s * h * 2048);
  const Graph product = load_model(model("matmul_2x2.yaml"));
  EXPECT_EQ(macs_per_sample(product), 64u * 64 * 64);
  EXPECT_EQ(output_of(product, "c").shape, (Shape{64, 64}));
}

}  // namespace
}  // namespace dfsim
