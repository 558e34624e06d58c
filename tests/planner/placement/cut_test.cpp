#include "planner/placement/cut.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>
#include <map>

#include "planner/frontend/frontend.h"
#include "planner/placement/load.h"
#include "planner/placement/simulated_server.h"
#include "planner/placement/subgraph_file.h"

namespace dfsim {
namespace {

// Case P8: o0 -> ... -> o6 with a skip edge o1 -> o4.
const char* const kP8 =
    "inputs: [{name: x, shape: [8]}]\n"
    "outputs: [o6]\n"
    "operators:\n"
    "  - {name: o0, kind: elementwise, function: relu, inputs: [x]}\n"
    "  - {name: o1, kind: elementwise, function: relu, inputs: [o0]}\n"
    "  - {name: o2, kind: elementwise, function: gelu, inputs: [o1]}\n"
    "  - {name: o3, kind: elementwise, function: relu, inputs: [o2]}\n"
    "  - {name: o4, kind: elementwise, function: add, inputs: [o3, o1]}\n"
    "  - {name: o5, kind: elementwise, function: relu, inputs: [o4]}\n"
    "  - {name: o6, kind: elementwise, function: relu, inputs: [o5]}\n";

const std::vector<std::string> kProcessors{"cpu", "gpu", "card"};
std::string anything(std::size_t, OpId) { return {}; }

Graph p8() { return read_model_text(kP8, "p8.yaml").graph; }

CutConstraints constraints(const std::string& text) {
  Diagnostics diagnostics;
  const YamlDocument document = load_yaml_text(text, "c.yaml", {}, diagnostics);
  diagnostics.throw_if_any<ModelError>();
  const CutConstraints result = read_cut_constraints(document.root(), kProcessors);
  document.finish();
  diagnostics.throw_if_any<ModelError>();
  return result;
}

// "0 | 1 | 2 3 4 | 5 | 6"
std::string cut_text(const std::string& rules, const OperatorSupport& support = anything) {
  const Cut cut = cut_graph(p8(), constraints(rules), kProcessors, support);
  std::string text;
  for (const CutSubgraph& one : cut.subgraphs) {
    text += text.empty() ? "" : " |";
    for (const OpId op : one.operators) text += (text.empty() ? "" : " ") + std::to_string(op.value());
  }
  return text;
}

std::string refusal_of(const std::string& rules, const OperatorSupport& support = anything) {
  try {
    return "cut: " + cut_text(rules, support);
  } catch (const ModelError& error) {
    return error.what();
  }
}

TEST(Cut, CutsCaseP8WhereOneTensorCrosses) {
  EXPECT_EQ(cut_text("max_crossing_tensors: 1"), "0 | 1 | 2 3 4 | 5 | 6");
  EXPECT_EQ(cut_text("max_crossing_tensors: 2"), "0 | 1 | 2 | 3 | 4 | 5 | 6");
}

TEST(Cut, NeverCutsInsideAPattern) {
  EXPECT_EQ(cut_text("never_inside: [[elementwise:add, elementwise:relu]]"), "0 | 1 | 2 3 4 5 | 6");
  EXPECT_EQ(cut_text("never_inside: [['elementwise:relu', 'elementwise:gelu']]"), "0 | 1 2 3 4 | 5 | 6");
}

TEST(Cut, KeepsSizes) {
  EXPECT_EQ(cut_text("min_operators: 2"), "0 1 | 2 3 4 | 5 6");
  EXPECT_EQ(cut_text("max_subgraphs: 2"), "0 1 2 3 4 | 5 6");
}

TEST(Cut, SeparatesOperatorsPinnedApart) {
  EXPECT_EQ(
      cut_text(
          "max_subgraphs: 2\npinned: [{operators: o0, processor: cpu}, {operators: o1, processor: gpu}]"),
      "0 | 1 2 3 4 5 6");
  const Cut cut =
      cut_graph(p8(), constraints("pinned: [{operators: 'o*', processor: gpu}]"), kProcessors, anything);
  for (const CutSubgraph& one : cut.subgraphs)
    EXPECT_EQ(one.allowed, (std::vector<bool>{false, true, false}));
  EXPECT_NE(cut.subgraphs[0].refused[0].find("pinned elsewhere at c.yaml:1:10"), std::string::npos);
}

TEST(Cut, SeparatesWhatNoProcessorRunsTogether) {
  // The card runs the first four only, the others run the rest only.
  const auto support = [](std::size_t processor, OpId op) -> std::string {
    return (processor == 2) == (op.value() < 2) ? "" : "no";
  };
  EXPECT_EQ(cut_text("max_subgraphs: 2", support), "0 1 | 2 3 4 5 6");
}

TEST(Cut, GroupsThatStayTogether) {
  const Cut cut = cut_graph(p8(), constraints("together: [[o0, o5]]"), kProcessors, anything);
  EXPECT_EQ(cut.together, (std::vector<std::vector<std::size_t>>{{0, 3}}));
}

TEST(Cut, ExplainsWhyThereIsNoCut) {
  const std::string said = refusal_of("never_inside: [[elementwise, elementwise]]");
  EXPECT_NE(said.find("c.yaml:1:1: error: no cut of 'p8' into at least two sub-graphs"), std::string::npos)
      << said;
  EXPECT_NE(said.find("there would be a cut without never_inside"), std::string::npos) << said;
  EXPECT_NE(refusal_of("min_operators: 4").find("there would be a cut without min_operators"),
            std::string::npos)
      << refusal_of("min_operators: 4");
  EXPECT_NE(refusal_of("max_operators: 2").find("without max_crossing_tensors, or max_operators"),
            std::string::npos)
      << refusal_of("max_operators: 2");
}

TEST(Cut, LocatesRulesThatCannotBe) {
  EXPECT_NE(refusal_of("pinned: [{operators: o9, processor: cpu}]")
                .find("c.yaml:1:10: error: no operator of 'p8' is called 'o9'"),
            std::string::npos);
  EXPECT_NE(refusal_of("pinned: [{operators: o1, processor: tpu}]").find("unknown processor 'tpu'"),
            std::string::npos);
  const std::string twice =
      refusal_of("pinned:\n  - {operators: o1, processor: cpu}\n  - {operators: 'o*', processor: gpu}\n");
  EXPECT_NE(twice.find("c.yaml:3:5: error: this leaves no processor for elementwise 'o1'"), std::string::npos)
      << twice;
  EXPECT_NE(twice.find("contradicts the rule at c.yaml:2:5"), std::string::npos) << twice;
  EXPECT_NE(refusal_of("never_inside: [[matmull, softmax]]").find("did you mean 'matmul'"),
            std::string::npos);
  EXPECT_NE(refusal_of("min_operators: 5\nmax_operators: 3").find("c.yaml:1:16: error"), std::string::npos);
  EXPECT_NE(refusal_of("max_crossing: 1").find("max_crossing_tensors"), std::string::npos);
}

TEST(Cut, SaysWhichOperatorNoProcessorRuns) {
  const std::string said = refusal_of("min_operators: 1", [](std::size_t, OpId op) -> std::string {
    return op.value() == 2 ? "it does not support elementwise" : "";
  });
  EXPECT_NE(said.find("p8.yaml:6:5: error: no processor can run elementwise 'o2'"), std::string::npos)
      << said;
}

TEST(Cut, RefusesAGraphOfOneOperator) {
  const Graph graph = load_model(DFSIM_SOURCE_DIR "/models/matmul_2x2.yaml");
  EXPECT_THROW(cut_graph(graph, {}, kProcessors, anything), ModelError);
}

TEST(Cut, MatchesNames) {
  EXPECT_TRUE(matches("*", "anything"));
  EXPECT_TRUE(matches("layer_*.norm", "layer_3.norm"));
  EXPECT_TRUE(matches("a*b*c", "a_b_b_c"));
  EXPECT_FALSE(matches("layer_*.norm", "layer_3.norm2"));
  EXPECT_FALSE(matches("o1", "o11"));
}

// The files of the sub-graphs, loaded as models, are the graph: every operator once with the same attributes
// and shapes, every tensor between two of them an output of one and an input of another.
class SubgraphFiles : public testing::TestWithParam<std::string> {};

TEST_P(SubgraphFiles, UnionIsTheGraph) {
  const Graph graph = load_model(std::string(DFSIM_SOURCE_DIR "/models/") + GetParam());
  for (const std::uint32_t crossing : {1u, 3u}) {
    CutConstraints rules;
    rules.max_crossing_tensors = crossing;
    const Cut cut = cut_graph(graph, rules, kProcessors, anything);
    EXPECT_GE(cut.subgraphs.size(), 2u);
    std::map<std::string, std::size_t> operators;
    std::map<std::string, std::size_t> made_by;
    std::vector<Graph> parts;
    for (std::size_t i = 0; i < cut.subgraphs.size(); ++i) {
      const std::string text = subgraph_model(graph, cut.subgraphs[i], cut.subgraphs[i].name);
      parts.push_back(read_model_text(text, cut.subgraphs[i].name + ".yaml").graph);
      for (const Operator& op : parts[i].operators())
        EXPECT_TRUE(operators.emplace(op.name, i).second) << op.name;
      for (const Tensor& tensor : parts[i].tensors())
        if (tensor.role == TensorRole::output) {
          EXPECT_TRUE(made_by.emplace(tensor.name, i).second) << tensor.name;
        }
    }
    ASSERT_EQ(operators.size(), graph.operators().size());
    std::map<std::string, const Tensor*> tensors;
    for (const Tensor& tensor : graph.tensors()) tensors[tensor.name] = &tensor;
    std::size_t crossings = 0;
    for (std::size_t i = 0; i < parts.size(); ++i) {
      for (std::uint32_t o = 0; o < parts[i].operators().size(); ++o) {
        const Operator &part = parts[i].op(OpId(o)), &whole = graph.op(cut.subgraphs[i].operators[o]);
        EXPECT_EQ(part.name, whole.name);
        EXPECT_EQ(part.kind, whole.kind);
        EXPECT_EQ(part.attributes, whole.attributes);
        ASSERT_EQ(part.inputs.size(), whole.inputs.size());
        for (std::size_t k = 0; k < part.inputs.size(); ++k)
          EXPECT_EQ(parts[i].tensor(part.inputs[k]).name, graph.tensor(whole.inputs[k]).name);
      }
      for (const Tensor& tensor : parts[i].tensors()) {
        ASSERT_TRUE(tensors.count(tensor.name)) << tensor.name;
        EXPECT_EQ(tensor.shape, tensors[tensor.name]->shape);
        EXPECT_EQ(tensor.type, tensors[tensor.name]->type);
        if (tensor.role != TensorRole::input || tensors[tensor.name]->role == TensorRole::input) continue;
        ++crossings;
        ASSERT_TRUE(made_by.count(tensor.name)) << tensor.name;
        EXPECT_LT(made_by[tensor.name], i);
      }
    }
    EXPECT_GE(crossings, cut.subgraphs.size() - 1);
  }
}

std::vector<std::string> models() {
  std::vector<std::string> names;
  for (const auto& entry : std::filesystem::directory_iterator(DFSIM_SOURCE_DIR "/models"))
    // One operator cannot be cut.
    if (entry.path().extension() == ".yaml" && entry.path().stem() != "matmul_2x2")
      names.push_back(entry.path().filename().string());
  std::sort(names.begin(), names.end());
  return names;
}
INSTANTIATE_TEST_SUITE_P(Models, SubgraphFiles, testing::ValuesIn(models()),
                         [](const auto& info) { return info.param.substr(0, info.param.find('.')); });

TEST(SubgraphFile, HoldsItsNote) {
  const Graph graph = p8();
  const Cut cut = cut_graph(graph, constraints("max_subgraphs: 2"), kProcessors, anything);
  ServerSpec server;
  for (const std::string& name : kProcessors) {
    server.processors.emplace_back();
    server.processors.back().name = name;
  }
  const HeterogeneousStructure structure = structure_of(graph, cut, server, Objective::latency);
  const YamlNode note = subgraph_note(graph, cut, 1, structure, {"x86", "cuda", "mesh"});
  const std::string text = subgraph_model(graph, cut.subgraphs[1], "p8_g1", note);
  EXPECT_NO_THROW(read_model_text(text, "g1.yaml"));
  EXPECT_NE(text.find("architectures: [x86, cuda, mesh]"), std::string::npos) << text;
  EXPECT_NE(text.find("tensor: o4"), std::string::npos) << text;
  EXPECT_NE(text.find("from: g0"), std::string::npos) << text;
  EXPECT_NE(text.find("mutation_factor: 0.5"), std::string::npos) << text;  // all three, mean traffic
}

}  // namespace
}  // namespace dfsim
