#include "planner/graph/graph.h"

#include <gtest/gtest.h>

namespace dfsim {
namespace {

TensorId tensor(Graph& graph, const std::string& name, TensorRole role,
                std::vector<std::uint32_t> shape = {4, 8}) {
  return graph.add_tensor({name, DataType::fp16, role, std::move(shape), {}, {}});
}

/// name = kind(inputs), with one output of the given role.
OpId op(Graph& graph, const std::string& name, std::vector<TensorId> inputs,
        TensorRole role = TensorRole::activation, std::map<std::string, Attribute> attributes = {}) {
  const TensorId output = tensor(graph, name, role);
  return graph.add_operator({name, "elementwise", std::move(attributes), std::move(inputs), {output}, {}});
}

TensorId made_by(const Graph& graph, OpId id) { return graph.op(id).outputs[0]; }

TEST(Graph, KnowsProducersConsumersAndNeighbours) {
  Graph graph;
  const TensorId x = tensor(graph, "x", TensorRole::input);
  const OpId a = op(graph, "a", {x});
  const OpId b = op(graph, "b", {made_by(graph, a), x});
  const OpId c = op(graph, "c", {made_by(graph, a), made_by(graph, b)}, TensorRole::output);
  EXPECT_EQ(graph.tensor(x).consumers, (std::vector{a, b}));
  EXPECT_FALSE(graph.tensor(x).producer);
  EXPECT_EQ(graph.tensor(made_by(graph, a)).producer, a);
  EXPECT_EQ(graph.predecessors(c), (std::vector{a, b}));
  EXPECT_EQ(graph.successors(a), (std::vector{b, c}));
  EXPECT_TRUE(graph.predecessors(a).empty());
  EXPECT_EQ(boost::num_edges(graph.adjacency()), 3u);
}

TEST(Graph, CountsATensorReadTwiceOnce) {
  Graph graph;
  const OpId a = op(graph, "a", {tensor(graph, "x", TensorRole::input)});
  const OpId b = op(graph, "b", {made_by(graph, a), made_by(graph, a)});
  EXPECT_EQ(graph.tensor(made_by(graph, a)).consumers, (std::vector{b}));
  EXPECT_EQ(boost::num_edges(graph.adjacency()), 1u);
}

TEST(Graph, ControlEdgesOrderOperatorsThatShareNoTensor) {
  Graph graph;
  const TensorId x = tensor(graph, "x", TensorRole::input);
  const OpId a = op(graph, "a", {x}), b = op(graph, "b", {x});
  graph.add_control_edge(a, b);
  EXPECT_EQ(graph.predecessors(b), (std::vector{a}));
  EXPECT_EQ(graph.control_edges(), (std::vector{std::pair(a, b)}));
  EXPECT_THROW(graph.add_control_edge(b, a), SimulationError);
  EXPECT_THROW(graph.add_control_edge(a, a), SimulationError);
}

TEST(Graph, RefusesOperatorsOutOfOrder) {
  Graph graph;
  const TensorId late = tensor(graph, "late", TensorRole::activation);
  EXPECT_THROW(op(graph, "a", {late}), SimulationError);
  EXPECT_THROW(graph.add_operator({"b", "copy", {}, {TensorId(77)}, {}, {}}), SimulationError);
}

TEST(Graph, CountsBytesOfWeightsOnly) {
  Graph graph;
  tensor(graph, "w", TensorRole::weight, {10, 20});
  tensor(graph, "b", TensorRole::weight, {20});
  tensor(graph, "t", TensorRole::embedding, {1000, 20});
  tensor(graph, "x", TensorRole::input, {30});
  EXPECT_EQ(graph.weight_bytes(), 2u * (200 + 20));
}

TEST(Operator, ReadsAttributesOfTheRightType) {
  const Operator sample{"a", "k", {{"n", std::int64_t{3}}, {"f", true}, {"t", std::string("x")}}, {}, {}, {}};
  EXPECT_EQ(sample.integer("n", 7), 3);
  EXPECT_EQ(sample.integer("m", 7), 7);
  EXPECT_TRUE(sample.flag("f"));
  EXPECT_EQ(sample.text("t", ""), "x");
  EXPECT_THROW(sample.integer("t", 0), SimulationError);
}

/// A chain of layers a -> b, each layer reading its own weight.
struct Layers {
  Graph graph;
  std::vector<OpId> ops;
  explicit Layers(int layers) {
    TensorId x = tensor(graph, "x", TensorRole::input);
    for (int i = 0; i < layers; ++i)
      for (const char* part : {"a", "b"}) {
        const TensorId weight = tensor(graph, "w", TensorRole::weight, {8, 8});
        ops.push_back(op(graph, part + std::to_string(i), {x, weight}, TensorRole::activation,
                         {{"part", std::string(part)}}));
        x = made_by(graph, ops.back());
      }
  }
};

TEST(Signature, IsEqualForEqualLayers) {
  const Layers chain(4);
  const auto layer = [&](std::size_t i) {
    return chain.graph.signature({chain.ops[2 * i], chain.ops[2 * i + 1]});
  };
  EXPECT_EQ(layer(1), layer(2));
  EXPECT_NE(layer(0), layer(1)) << "the first reads an input from DRAM";
  EXPECT_NE(layer(2), layer(3)) << "nobody reads the last one's output";
  EXPECT_NE(chain.graph.signature({chain.ops[2]}), chain.graph.signature({chain.ops[3]})) << "attributes";
  EXPECT_NE(layer(1), chain.graph.signature({chain.ops[3], chain.ops[4]}));
}

TEST(Signature, TellsApartWhatCanMoveAMeasurement) {
  Graph graph;
  const TensorId x = tensor(graph, "x", TensorRole::input);
  const OpId a = op(graph, "a", {x});
  const OpId twice = op(graph, "t", {made_by(graph, a), made_by(graph, a)});
  const OpId two = op(graph, "u", {made_by(graph, a), x});
  const OpId out = op(graph, "o", {made_by(graph, a), made_by(graph, a)}, TensorRole::output);
  EXPECT_NE(graph.signature({twice}), graph.signature({two}));
  EXPECT_NE(graph.signature({twice}), graph.signature({out}));
  const std::string before = graph.signature({twice, two});
  graph.add_control_edge(twice, two);
  EXPECT_NE(graph.signature({twice, two}), before);
  EXPECT_EQ(graph.signature({twice}), graph.signature({twice}));
}

TEST(Signature, SeesAttributesShapesAndTypes) {
  const auto signature = [](DataType type, std::vector<std::uint32_t> shape, Attribute attribute) {
    Graph graph;
    const TensorId x = graph.add_tensor({"x", type, TensorRole::input, std::move(shape), {}, {}});
    return graph.signature({op(graph, "a", {x}, TensorRole::output, {{"f", std::move(attribute)}})});
  };
  const std::string base = signature(DataType::fp16, {4, 8}, std::int64_t{1});
  EXPECT_NE(base, signature(DataType::bf16, {4, 8}, std::int64_t{1}));
  EXPECT_NE(base, signature(DataType::fp16, {8, 4}, std::int64_t{1}));
  EXPECT_NE(base, signature(DataType::fp16, {4, 8}, 1.0));
  EXPECT_NE(base, signature(DataType::fp16, {4, 8}, std::vector<std::int64_t>{1}));
}

}  // namespace
}  // namespace dfsim
