// What a model file can say, and where what mistakes are found.
#include "planner/frontend/frontend.h"

#include <gtest/gtest.h>

#include "planner/frontend/expression.h"

namespace dfsim {
namespace {

/// A model of the given operators: the text of each, one a line from line 6 on, on an input x[4,8].
std::string with_operators(const std::string& operators, const std::string& outputs = "y") {
  return "name: test\ndimensions: {rows: 4, hidden: 8}\ninputs:\n  - {name: x, shape: [rows, "
         "hidden]}\noutputs: [" +
         outputs + "]\noperators:\n" + operators;
}

Graph graph_of(const std::string& text, const std::vector<std::string>& overrides = {}) {
  return read_model_text(text, "m.yaml", overrides).graph;
}

/// All messages for a wrong model.
std::string mistakes_in(const std::string& text, const std::vector<std::string>& overrides = {}) {
  try {
    read_model_text(text, "m.yaml", overrides);
  } catch (const ModelError& error) {
    return error.what();
  }
  return "none";
}

std::string mistakes_with(const std::string& operators, const std::string& outputs = "y") {
  return mistakes_in(with_operators(operators, outputs));
}

std::string order_of(const Graph& graph) {
  std::string names;
  for (const Operator& op : graph.operators()) names += (names.empty() ? "" : " ") + op.name;
  return names;
}

using Shape = std::vector<std::uint32_t>;

// ---------------------------------------------------------------- what it understands

TEST(Frontend, NamesTensorsLikeTheirOperators) {
  const Graph graph = graph_of(
      with_operators("  - {name: h, kind: matmul, inputs: x, out_features: 3 * hidden, outputs: [wide]}\n"
                     "  - {name: y, kind: elementwise, function: relu, inputs: [wide]}\n"));
  EXPECT_EQ(graph.name, "test");
  const Operator& h = graph.op(OpId(0));
  ASSERT_EQ(h.inputs.size(), 3u);
  EXPECT_EQ(graph.tensor(h.inputs[0]).role, TensorRole::input);
  EXPECT_EQ(graph.tensor(h.inputs[1]).name, "h.weight");
  EXPECT_EQ(graph.tensor(h.inputs[1]).shape, (Shape{8, 24}));
  EXPECT_EQ(graph.tensor(h.inputs[2]).name, "h.bias");
  EXPECT_EQ(graph.tensor(h.outputs[0]).name, "wide");
  EXPECT_EQ(graph.tensor(h.outputs[0]).role, TensorRole::activation);
  EXPECT_EQ(graph.tensor(graph.op(OpId(1)).outputs[0]).role, TensorRole::output);
  EXPECT_EQ(h.where, (SourceLocation{"m.yaml", 7, 5}));
}

TEST(Frontend, SortsTopologically) {
  const Graph graph =
      graph_of(with_operators("  - {name: y, kind: elementwise, function: add, inputs: [b, a]}\n"
                              "  - {name: b, kind: copy, inputs: [x]}\n"
                              "  - {name: c, kind: copy, inputs: [x]}\n"
                              "  - {name: a, kind: copy, inputs: [x], after: [c]}\n",
                              "y, c"));
  EXPECT_EQ(order_of(graph), "c a b y");
  EXPECT_EQ(graph.control_edges(), (std::vector{std::pair(OpId(0), OpId(1))}));
  EXPECT_EQ(graph.predecessors(OpId(1)), (std::vector{OpId(0)}));
}

TEST(Frontend, TheLongestWayComesFirstThenWhatHasJustBecomeReady) {
  const Graph graph =
      graph_of(with_operators("  - {name: value, kind: copy, inputs: [x]}\n"
                              "  - {name: query, kind: copy, inputs: [x]}\n"
                              "  - {name: key, kind: copy, inputs: [x]}\n"
                              "  - {name: scores, kind: elementwise, function: mul, inputs: [query, key]}\n"
                              "  - {name: weights, kind: copy, inputs: [scores]}\n"
                              "  - {name: y, kind: elementwise, function: mul, inputs: [weights, value]}\n"));
  EXPECT_EQ(order_of(graph), "query key scores weights value y");
}

TEST(Frontend, SeveralOutputsAreNumbered) {
  const Graph graph =
      graph_of(with_operators("  - {name: s, kind: split, inputs: [x], axis: 1, parts: 2}\n"
                              "  - {name: y, kind: elementwise, function: mul, inputs: [s.1, s.0]}\n"));
  EXPECT_EQ(graph.tensor(graph.op(OpId(1)).inputs[0]).name, "s.1");
  EXPECT_EQ(graph.tensor(graph.op(OpId(1)).inputs[1]).name, "s.0");
  EXPECT_EQ(mistakes_with("  - {name: s, kind: split, inputs: [x], axis: 1, parts: 2}\n"
                          "  - {name: y, kind: elementwise, function: mul, inputs: [s, s.2]}\n"),
            "m.yaml:8:58: error: 's' has 2 outputs; say which\n  's.0' is the first");
}

TEST(Frontend, TypesFollowTheData) {
  const Graph graph = graph_of(
      "data_type: bf16\ninputs:\n  - {name: ids, shape: [5], type: int32}\noutputs: [y]\noperators:\n"
      "  - {name: some, kind: select, inputs: [ids], range: [1, 3]}\n"
      "  - {name: y, kind: embedding, inputs: [some], rows: 10, columns: 6}\n");
  EXPECT_EQ(graph.name, "m");
  EXPECT_EQ(graph.tensor(graph.op(OpId(0)).outputs[0]).type, DataType::int32);
  EXPECT_EQ(graph.tensor(graph.op(OpId(1)).inputs[1]).type, DataType::bf16);
  EXPECT_EQ(graph.tensor(graph.op(OpId(1)).outputs[0]).type, DataType::bf16);
}

TEST(Repeat, CarriesATensorThroughNamedIterations) {
  const Graph graph =
      graph_of(with_operators("  - repeat:\n"
                              "      name: layer\n"
                              "      times: 3\n"
                              "      carry: {h: {first: x, next: relu}}\n"
                              "      operators:\n"
                              "        - {name: dense, kind: matmul, inputs: [h], out_features: 8}\n"
                              "        - {name: relu, kind: elementwise, function: relu, inputs: [dense]}\n"
                              "  - {name: y, kind: copy, inputs: [layer.h]}\n"));
  EXPECT_EQ(order_of(graph),
            "layer_0.dense layer_0.relu layer_1.dense layer_1.relu layer_2.dense layer_2.relu y");
  EXPECT_EQ(graph.predecessors(OpId(2)), (std::vector{OpId(1)}));
  EXPECT_EQ(graph.predecessors(OpId(6)), (std::vector{OpId(5)}));
  EXPECT_EQ(graph.signature({OpId(2), OpId(3)}), graph.signature({OpId(4), OpId(5)}));
}

TEST(Repeat, PutsTheIndexIntoNamesAndNumbers) {
  const Graph graph =
      graph_of(with_operators("  - {name: t_0, kind: copy, inputs: [x]}\n"
                              "  - repeat:\n"
                              "      times: 2\n"
                              "      index: k\n"
                              "      operators:\n"
                              "        - name: t_${k + 1}\n"
                              "          kind: matmul\n"
                              "          inputs: [\"t_${k}\"]\n"
                              "          out_features: hidden * (k + 1)\n",
                              "t_2"));
  EXPECT_EQ(order_of(graph), "t_0 t_1 t_2");
  EXPECT_EQ(graph.tensor(graph.op(OpId(2)).outputs[0]).shape, (Shape{4, 16}));
}

TEST(Repeat, NestsAndSeesWhatIsMadeAround) {
  const Graph graph = graph_of(with_operators(
      "  - repeat:\n"
      "      name: outer\n"
      "      times: 2\n"
      "      carry: {h: {first: x, next: inner.g}}\n"
      "      operators:\n"
      "        - {name: base, kind: copy, inputs: [h]}\n"
      "        - repeat:\n"
      "            name: inner\n"
      "            index: j\n"
      "            times: 2\n"
      "            carry: {g: {first: base, next: sum}}\n"
      "            operators:\n"
      "              - {name: sum, kind: elementwise, function: add, inputs: [g, base], after: [base]}\n",
      "outer.h"));
  EXPECT_EQ(order_of(graph),
            "outer_0.base outer_0.inner_0.sum outer_0.inner_1.sum outer_1.base outer_1.inner_0.sum "
            "outer_1.inner_1.sum");
  EXPECT_EQ(graph.predecessors(OpId(3)), (std::vector{OpId(2)}));
  EXPECT_EQ(graph.tensor(graph.op(OpId(5)).outputs[0]).role, TensorRole::output);
}

TEST(Overrides, ChangeDimensionsAndSingleKeys) {
  const std::string text =
      with_operators("  - {name: y, kind: matmul, inputs: [x], out_features: 2 * hidden}\n");
  const Graph graph =
      graph_of(text, {"model.hidden=16", "model.operators[0].bias=false", "pe.matrix.rows=8"});
  EXPECT_EQ(graph.op(OpId(0)).inputs.size(), 2u);
  EXPECT_EQ(graph.tensor(graph.op(OpId(0)).inputs[1]).shape, (Shape{16, 32}));
  EXPECT_EQ(mistakes_in(text, {"model.hiden=16"}),
            "--set model.hiden: error: unknown key 'hiden'\n  did you mean 'hidden'?");
  EXPECT_EQ(mistakes_in(text, {"model.hidden=-3"}),
            "--set model.hidden: error: dimensions.hidden: -3 is out of range, 1 to 2147483647");
}

TEST(Expression, ComputesWithDimensions) {
  const DimensionNames names{{"a", 6}, {"b_2", 4}};
  EXPECT_EQ(*evaluate("a * b_2 + 2", names), 26);
  EXPECT_EQ(*evaluate("2 + a*(b_2-1) / 9", names), 4);
  EXPECT_EQ(*evaluate("${a}-${b_2 - 5}", names), 7);
  EXPECT_EQ(*evaluate("-a", names), -6);
  EXPECT_EQ(*interpolate("x_${a + 1}.${b_2}", names), "x_7.4");
  EXPECT_EQ(evaluate("a / b_2", names).reason().what, "'a / b_2': 6 / 4 leaves a remainder");
  EXPECT_EQ(evaluate("a / (b_2 - 4)", names).reason().what, "'a / (b_2 - 4)': cannot divide 6 by 0");
  EXPECT_EQ(evaluate("b_3", names).reason().what, "'b_3': unknown dimension 'b_3'; did you mean 'b_2'?");
  for (const char* wrong : {"", "a b", "a +", "(a", "${a", "1.5", "3x", "a ** 2", "9999999999999999999",
                            "9223372036854775807 * 2", "-9223372036854775807 - 2"})
    EXPECT_FALSE(evaluate(wrong, names).ok()) << wrong;
  EXPECT_FALSE(evaluate(std::string(10'000, '('), names).ok());
  EXPECT_FALSE(interpolate("x_${a", names).ok());
}

// ---------------------------------------------------------------- what it refuses, and where

TEST(Mistakes, UnknownKind) {
  EXPECT_EQ(mistakes_with("  - {name: y, kind: matmull, inputs: [x], out_features: 8}\n"),
            "m.yaml:7:21: error: unknown kind of operator 'matmull'\n  did you mean 'matmul'?");
}

TEST(Mistakes, UnknownAttribute) {
  EXPECT_EQ(mistakes_with("  - {name: y, kind: matmul, inputs: [x], out_features: 8, bais: true}\n"),
            "m.yaml:7:59: error: unknown key 'bais' in 'operators[0]'\n  did you mean 'bias'?");
}

TEST(Mistakes, MissingAttributeAndMissingInputs) {
  EXPECT_EQ(mistakes_with("  - {name: y, kind: matmul, inputs: [x]}\n"),
            "m.yaml:7:5: error: missing key 'out_features' in 'operators[0]'");
  EXPECT_EQ(mistakes_with("  - {name: z, kind: copy}\n  - {name: y, kind: copy, inputs: [x]}\n", "y, z"),
            "m.yaml:7:5: error: missing key 'inputs' in 'operators[0]'\n"
            "m.yaml:7:5: error: copy 'z' takes 1 input, not 0");
  EXPECT_EQ(mistakes_with("  - {name: y, kind: batched_matmul, inputs: [x]}\n"),
            "m.yaml:7:5: error: batched_matmul 'y' takes 2 inputs, not 1");
}

TEST(Mistakes, WrongTypesAndChoices) {
  EXPECT_EQ(
      mistakes_with("  - {name: y, kind: matmul, inputs: [x], out_features: [8], bias: maybe}\n"),
      "m.yaml:7:56: error: operators[0].out_features: expected an integer from -2147483647 to 2147483647, "
      "found a list\n"
      "m.yaml:7:67: error: operators[0].bias: expected true or false, found 'maybe'");
  EXPECT_EQ(mistakes_with("  - {name: y, kind: elementwise, function: rely, inputs: [x]}\n").substr(0, 63),
            "m.yaml:7:44: error: operators[0].function: unknown value 'rely'");
}

TEST(Mistakes, ATensorNobodyMakes) {
  EXPECT_EQ(mistakes_with("  - {name: hidden, kind: copy, inputs: [x]}\n"
                          "  - {name: y, kind: copy, inputs: [hiden]}\n"),
            "m.yaml:8:36: error: nobody makes the tensor 'hiden' that 'y' reads\n  did you mean 'hidden'?");
}

TEST(Mistakes, AControlEdgeFromNowhere) {
  EXPECT_EQ(mistakes_with("  - {name: y, kind: copy, inputs: [x], after: [z]}\n"),
            "m.yaml:7:48: error: there is no operator 'z', after which 'y' is to run\n  did you mean 'y'?");
}

TEST(Mistakes, DuplicateNames) {
  EXPECT_EQ(mistakes_with("  - {name: y, kind: copy, inputs: [x]}\n  - {name: y, kind: copy, inputs: [x]}\n"),
            "m.yaml:8:5: error: there are two operators 'y'; the other is at m.yaml:7:5");
  EXPECT_EQ(mistakes_with("  - {name: x, kind: copy, inputs: [x]}\n  - {name: y, kind: copy, inputs: [x]}\n"),
            "m.yaml:7:5: error: there are two tensors 'x'; the other is at m.yaml:4:12");
  EXPECT_EQ(mistakes_with("  - repeat:\n      times: 3\n      operators:\n"
                          "        - {name: y, kind: copy, inputs: [x]}\n"),
            "m.yaml:10:11: error: there are two operators 'y'; the other is at m.yaml:10:11\n"
            "  give the repeat a name, or put its index into the name of the operator");
}

TEST(Mistakes, ACycleOfDataAndControlEdges) {
  EXPECT_EQ(mistakes_with("  - {name: a, kind: elementwise, function: add, inputs: [x, c]}\n"
                          "  - {name: b, kind: copy, inputs: [a]}\n"
                          "  - {name: c, kind: copy, inputs: [x], after: [b]}\n"
                          "  - {name: y, kind: copy, inputs: [b]}\n"),
            "m.yaml:7:5: error: operators wait for each other in a cycle: 'a' -> 'b' -> 'c' -> 'a'\n"
            "  an arrow leads from an operator to one that reads its output or runs after it");
  EXPECT_EQ(mistakes_with("  - {name: y, kind: elementwise, function: add, inputs: [x, y]}\n").substr(0, 78),
            "m.yaml:7:5: error: operators wait for each other in a cycle: 'y' -> 'y'\n  an a");
}

TEST(Mistakes, ShapesThatDoNotMultiply) {
  EXPECT_EQ(mistakes_in("inputs:\n  - {name: q, shape: [12, 384, 64]}\n  - {name: k, shape: [12, 32, 384]}\n"
                        "outputs: [qk]\noperators:\n  - {name: qk, kind: batched_matmul, inputs: [q, k]}\n"),
            "m.yaml:6:5: error: matmul 'qk' cannot multiply [12,384,64] by [12,32,384]: inner sizes 64 and "
            "32 differ");
}

TEST(Mistakes, UnusedInputsAndOperators) {
  EXPECT_EQ(
      mistakes_in("inputs:\n  - {name: x, shape: [4]}\n  - {name: z, shape: [4]}\noutputs: [y]\noperators:\n"
                  "  - {name: y, kind: copy, inputs: [x]}\n  - {name: w, kind: copy, inputs: [x]}\n"),
      "m.yaml:3:12: error: nobody reads the input 'z'\n"
      "m.yaml:7:5: error: nobody reads what 'w' makes\n  name it in outputs, or leave it out");
}

TEST(Mistakes, OutputsNobodyMakes) {
  EXPECT_EQ(mistakes_with("  - {name: scores, kind: copy, inputs: [x]}\n", "score, x, scores, scores"),
            "m.yaml:5:11: error: nobody makes the output 'score'\n  did you mean 'scores'?\n"
            "m.yaml:5:18: error: the output 'x' is an input of the model\n"
            "m.yaml:5:29: error: the output 'scores' is stated twice");
}

TEST(Mistakes, RepeatCounts) {
  const auto repeat = [](const std::string& times, const std::string& inner) {
    return mistakes_with("  - repeat:\n      name: r\n      times: " + times +
                             "\n      carry: {h: {first: x, next: c}}\n      operators:\n" + inner,
                         "r.h");
  };
  const std::string copy = "        - {name: c, kind: copy, inputs: [h]}\n";
  EXPECT_EQ(repeat("0", copy),
            "m.yaml:9:14: error: operators[0].repeat.times: 0 is out of range, 1 to 10000");
  EXPECT_EQ(repeat("10001", copy),
            "m.yaml:9:14: error: operators[0].repeat.times: 10001 is out of range, 1 to 10000");
  EXPECT_EQ(repeat("6000", copy + "        - {name: d, kind: copy, inputs: [h]}\n"),
            "m.yaml:12:11: error: more than 10000 operators after expanding repeats");
}

TEST(Mistakes, RepeatsOfNothing) {
  std::string text = "  - repeat:\n      times: 10000\n      operators: []\n";
  EXPECT_EQ(mistakes_with(text + "  - {name: y, kind: copy, inputs: [x]}\n"),
            "m.yaml:9:18: error: operators[0].repeat.operators: no operators");
}

TEST(Mistakes, CarryWithoutAName) {
  EXPECT_EQ(
      mistakes_with("  - repeat:\n      times: 2\n      carry: {h: {first: x, next: y}}\n      operators:\n"
                    "        - {name: \"t_${i}\", kind: copy, inputs: [h]}\n"
                    "  - {name: y, kind: copy, inputs: [x]}\n",
                    "t_0, t_1")
          .substr(0, 61),
      "m.yaml:9:14: error: carry needs a repeat with a name\n  what i");
}

TEST(Mistakes, UnknownDimensionsAndBadShapes) {
  EXPECT_EQ(
      mistakes_in("dimensions: {rows: 4}\ninputs:\n  - {name: x, shape: [row, 0]}\noutputs: [y]\noperators:\n"
                  "  - {name: y, kind: copy, inputs: [x]}\n"),
      "m.yaml:3:23: error: inputs[0].shape[0]: 'row': unknown dimension 'row'; did you mean 'rows'?\n"
      "m.yaml:3:28: error: inputs[0].shape[1]: 0 is out of range, 1 to 2147483647");
  EXPECT_EQ(mistakes_in("inputs:\n  - {name: x, shape: [1, 2, 3, 4, 5]}\noutputs: [y]\noperators:\n"
                        "  - {name: y, kind: copy, inputs: [x]}\n"),

            "m.yaml:2:12: error: input 'x': [1,2,3,4,5] has 5 dimensions; 1 to 4 are possible");
}

TEST(Mistakes, TensorsTooLarge) {
  EXPECT_EQ(mistakes_with("  - {name: y, kind: matmul, inputs: [x], out_features: 2147483647}\n"),
            "m.yaml:7:5: error: matmul 'y': [4,2147483647] has more than 2^31 elements");
}

TEST(Mistakes, MixedDataTypes) {
  EXPECT_EQ(
      mistakes_in("inputs:\n  - {name: a, shape: [4]}\n  - {name: b, shape: [4], type: int8}\noutputs: [y]\n"
                  "operators:\n  - {name: y, kind: elementwise, function: add, inputs: [a, b]}\n"),
      "m.yaml:6:5: error: elementwise 'y' mixes data types: 'a' is fp16, 'b' is int8");
}

TEST(Mistakes, ASyntaxErrorAndAMissingFile) {
  EXPECT_EQ(mistakes_in("name: [a\noperators: {}\n").substr(0, 7), "m.yaml:");
  EXPECT_THROW(read_model("no/such/model.yaml"), ModelError);
  EXPECT_NE(mistakes_in("").find("m.yaml:1:1: error:"), std::string::npos);
  EXPECT_NE(mistakes_in("operators: 5\ninputs: {a: b}\noutputs: [y]\n"), "none");
}

TEST(Mistakes, AnAliasBomb) {
  std::string text = "a0: &a0 [x, x, x, x, x, x, x, x, x, x]\n";
  for (int i = 1; i < 10; ++i) {
    const std::string before = "*a" + std::to_string(i - 1);
    text += "a" + std::to_string(i) + ": &a" + std::to_string(i) + " [" + before;
    for (int j = 1; j < 10; ++j) text += ", " + before;
    text += "]\n";
  }
  EXPECT_NE(mistakes_in(text).find("m.yaml:"), std::string::npos);
}

TEST(Mistakes, AreAllReportedAtOnceAndOncePerPlace) {
  EXPECT_EQ(
      mistakes_with("  - repeat:\n"
                    "      name: r\n"
                    "      times: 5\n"
                    "      carry: {h: {first: x, next: b}}\n"
                    "      operators:\n"
                    "        - {name: a, kind: matmul, inputs: [g], out_features: 8, typo: 1}\n"
                    "        - {name: b, kind: conv2d, inputs: [h], out_channels: 8, kernel: 1}\n"
                    "  - {name: y, kind: no_such, inputs: [r.h]}\n"),
      "m.yaml:12:44: error: nobody makes the tensor 'g' that 'r_0.a' reads\n  did you mean 'a'?\n"
      "m.yaml:12:65: error: unknown key 'typo' in 'operators[0].repeat.operators[0]'\n"
      "  known here: after, bias, in_features, inputs, kind, name, out_features, outputs\n"
      "m.yaml:13:11: error: conv2d 'r_0.b' takes [C,H,W], but 'x' is [4,8]\n"
      "m.yaml:14:21: error: unknown kind of operator 'no_such'\n"
      "  known: batched_matmul, concat, conv2d, copy, elementwise, embedding, layer_norm, matmul, pooling, "
      "reshape, select, softmax, split, transpose");
}

}  // namespace
}  // namespace dfsim
