#include "tests/planner/verify/random_case.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <functional>
#include <map>
#include <numeric>
#include <stdexcept>

#include "planner/intra_stage/operator_candidates.h"
#include "planner/ops/operator.h"
#include "sim/base/hash.h"
#include "sim/base/rng.h"
#include "tests/planner/ops/build.h"

namespace dfsim::test {

namespace {

class CaseBuilder {
 public:
  CaseBuilder(const std::string& kind, std::uint64_t seed, const HardwareSpec& hardware)
      : rng_(seed, std::stoull(content_hash(kind).substr(0, 15), nullptr, 16)), hardware_(hardware) {
    result_.graph.name = kind;
  }

  RandomCase build(const std::string& kind) {
    static const std::map<std::string, void (CaseBuilder::*)()> kinds{
        {"matmul", &CaseBuilder::matmul},           {"batched_matmul", &CaseBuilder::batched_matmul},
        {"conv2d", &CaseBuilder::conv2d},           {"pooling", &CaseBuilder::pooling},
        {"elementwise", &CaseBuilder::elementwise}, {"softmax", &CaseBuilder::softmax},
        {"layer_norm", &CaseBuilder::layer_norm},   {"embedding", &CaseBuilder::embedding},
        {"reshape", &CaseBuilder::reshape},         {"transpose", &CaseBuilder::transpose},
        {"concat", &CaseBuilder::concat},           {"split", &CaseBuilder::split},
        {"select", &CaseBuilder::select},           {"copy", &CaseBuilder::copy}};
    const auto found = kinds.find(kind);
    if (found == kinds.end())
      throw std::logic_error("random_case.cpp has no shapes for the kind '" + kind + "'");
    (this->*found->second)();
    draw_plan();
    return std::move(result_);
  }

 private:
  std::uint32_t between(std::uint32_t least, std::uint32_t most) {
    return least + static_cast<std::uint32_t>(rng_.below(most - least + 1));
  }
  bool one_in(std::uint32_t n) { return rng_.below(n) == 0; }
  template <class T>
  const T& any(const std::vector<T>& list) {
    return list[rng_.below(list.size())];
  }
  /// Small, often a prime or a power of two.
  std::uint32_t extent() {
    return any<std::uint32_t>({1, 2, 3, 4, 5, 6, 7, 8, 11, 12, 13, 16, 17, 23, 31, 37});
  }
  Shape shape(std::size_t least_rank, std::size_t most_rank) {
    Shape result(between(static_cast<std::uint32_t>(least_rank), static_cast<std::uint32_t>(most_rank)));
    for (std::uint32_t& e : result) e = result.size() > 3 ? between(1, 5) : extent();
    return result;
  }

  // -------------------------------------------------------------------------------------------- the graph

  TensorId input(const Shape& shape, DataType type = DataType::fp16) {
    const TensorId id =
        add_input(result_.graph, fmt::format("x{}", result_.graph.tensors().size()), shape, type);
    if (type == DataType::int32 || one_in(3)) return id;
    return simple(id, TensorRole::activation);
  }
  TensorId simple(TensorId x, TensorRole role) {
    const std::string name = fmt::format("simple{}", result_.graph.operators().size());
    const std::string function = any<std::string>({"relu", "tanh", "scale"});
    Attributes attributes{{"function", function}};
    if (function == "scale") attributes["factor"] = 0.75;
    const OpId op = add_operator(result_.graph, "elementwise", {x}, attributes, name, role);
    return result_.graph.op(op).outputs[0];
  }
  /// The operator itself. Its outputs leave the network at once or behind another operator, or both.
  void op(const std::string& kind, std::vector<TensorId> inputs, Attributes attributes) {
    Graph& graph = result_.graph;
    const OpId id = add_operator(graph, kind, std::move(inputs), std::move(attributes), "op");
    for (const TensorId output : graph.op(id).outputs) {
      const bool followed = !one_in(3);
      if (!followed || one_in(4)) graph.tensor(output).role = TensorRole::output;
      if (followed) simple(output, TensorRole::output);
    }
  }

  void matmul() {
    const bool vector = one_in(4);
    const Shape x = vector ? Shape{extent()} : Shape{extent(), extent()};
    op("matmul", {input(x)}, {{"out_features", std::int64_t{extent()}}, {"bias", !one_in(3)}});
  }
  void batched_matmul() {
    const std::int64_t heads = between(1, 5);
    const std::uint32_t h = static_cast<std::uint32_t>(heads), m = extent(), n = extent(), k = extent();
    const auto operand = [&](std::uint32_t rows, std::uint32_t columns) {
      return one_in(2) ? Shape{h, rows, columns} : Shape{rows, h * columns};
    };
    const bool transposed = one_in(2);
    const TensorId a = input(operand(m, k));
    const TensorId b = input(transposed ? operand(n, k) : operand(k, n));
    op("batched_matmul", {a, b},
       {{"heads", heads}, {"transpose_b", transposed}, {"merge_heads", one_in(2)}, {"scale", 0.5}});
  }
  void conv2d() {
    const std::uint32_t groups = one_in(3) ? between(2, 3) : 1;
    const std::uint32_t kernel_h = between(1, 3), kernel_w = one_in(2) ? kernel_h : between(1, 3);
    const Shape x{groups * between(1, 7), between(kernel_h, 13), between(kernel_w, 9)};
    op("conv2d", {input(x)},
       {{"out_channels", std::int64_t{groups * between(1, 9)}},
        {"kernel", Integers{kernel_h, kernel_w}},
        {"stride", Integers{between(1, 3), between(1, 2)}},
        {"pad", Integers{between(0, kernel_h - 1), between(0, kernel_w - 1)}},
        {"groups", std::int64_t{groups}},
        {"bias", !one_in(3)}});
  }
  void pooling() {
    const std::string function = any<std::string>({"max", "average"});
    const std::uint32_t kernel = between(1, 3);
    const Shape x{extent(), between(kernel, 13), between(kernel, 9)};
    if (one_in(4)) return op("pooling", {input(x)}, {{"function", function}, {"global", true}});
    op("pooling", {input(x)},
       {{"function", function},
        {"kernel", std::int64_t{kernel}},
        {"stride", std::int64_t{between(1, 3)}},
        {"pad", std::int64_t{between(0, kernel - 1)}}});
  }
  void elementwise() {
    const Shape x = shape(1, 3);
    if (one_in(3))
      return op("elementwise", {input(x)},
                {{"function", any<std::string>({"relu", "gelu", "tanh", "sigmoid", "exp"})}});
    if (one_in(5)) return op("elementwise", {input(x)}, {{"function", std::string("batch_norm")}});
    Shape second(x.begin() + between(0, static_cast<std::uint32_t>(x.size() - 1)), x.end());
    for (std::uint32_t& e : second)
      if (one_in(3)) e = 1;
    const bool parameter = one_in(2);
    const std::string function = any<std::string>({"add", "sub", "mul", "max"});
    if (parameter)
      return op("elementwise", {input(x)},
                {{"function", one_in(3) ? "div" : function},
                 {"parameter", true},
                 {"parameter_shape", Integers(second.begin(), second.end())}});
    const TensorId first = input(x);
    op("elementwise", {first, second == x && one_in(2) ? first : input(second)}, {{"function", function}});
  }
  void softmax() { op("softmax", {input(shape(1, 3))}, {}); }
  void layer_norm() { op("layer_norm", {input(shape(1, 3))}, {}); }
  void copy() { op("copy", {input(shape(1, 4))}, {}); }
  void embedding() {
    op("embedding", {input({extent()}, DataType::int32)},
       {{"rows", std::int64_t{extent()}}, {"columns", std::int64_t{extent()}}});
  }
  void reshape() {
    const Shape in = shape(1, 4);
    const std::uint32_t all = std::accumulate(in.begin(), in.end(), 1u, std::multiplies<>());
    Integers out;
    std::uint32_t left = all;
    while (out.size() < 3 && left > 1 && !one_in(4)) {
      std::vector<std::uint32_t> divisors;
      for (std::uint32_t d = 1; d <= left; ++d)
        if (left % d == 0) divisors.push_back(d);
      out.push_back(any(divisors));
      left /= static_cast<std::uint32_t>(out.back());
    }
    out.push_back(left);
    op("reshape", {input(in)}, {{"shape", out}});
  }
  void transpose() {
    const Shape x = shape(1, 4);
    Integers permutation(x.size());
    std::iota(permutation.begin(), permutation.end(), 0);
    for (std::size_t i = permutation.size(); i-- > 1;)
      std::swap(permutation[i], permutation[rng_.below(i + 1)]);
    op("transpose", {input(x)}, {{"permutation", permutation}});
  }
  void concat() {
    const Shape x = shape(1, 3);
    const auto axis = static_cast<std::size_t>(rng_.below(x.size()));
    std::vector<TensorId> inputs{input(x)};
    while (inputs.size() < 2 || (inputs.size() < 4 && one_in(2))) {
      Shape next = x;
      next[axis] = extent();
      inputs.push_back(input(next));
    }
    op("concat", inputs, {{"axis", static_cast<std::int64_t>(axis)}});
  }
  void split() {
    Shape x = shape(1, 3);
    const auto axis = static_cast<std::size_t>(rng_.below(x.size()));
    Integers sizes(between(1, 4));
    for (std::int64_t& size : sizes) size = extent();
    x[axis] = static_cast<std::uint32_t>(std::accumulate(sizes.begin(), sizes.end(), std::int64_t{0}));
    op("split", {input(x)}, {{"axis", static_cast<std::int64_t>(axis)}, {"sizes", sizes}});
  }
  void select() {
    const Shape x = shape(1, 3);
    if (x.size() > 1 && one_in(2))
      return op("select", {input(x)}, {{"index", std::int64_t{between(0, x[0] - 1)}}});
    const std::uint32_t from = between(0, x[0] - 1);
    op("select", {input(x)}, {{"range", Integers{from, between(from + 1, x[0])}}});
  }

  // -------------------------------------------------------------------------------------------- the plan

  /// Columns from x on, at most `most_width`, of one NoC or of two.
  PeGroup group(std::uint32_t x, std::uint32_t most_width) {
    PeGroup result;
    const auto nocs = static_cast<std::uint32_t>(hardware_.nocs.size());
    const std::uint32_t first = between(0, nocs - 1), count = between(1, nocs - first);
    for (std::uint32_t noc = first; noc < first + count; ++noc) {
      Submesh submesh;
      submesh.noc = NocId(noc);
      submesh.x = x;
      submesh.width = between(1, most_width);
      submesh.height = between(1, 4);
      submesh.y = between(0, 4 - submesh.height);
      result.submeshes.push_back(submesh);
    }
    return result;
  }

  /// All stages on one group, or the first ones on one and the others on another beside it.
  void draw_plan() {
    Graph& graph = result_.graph;
    const auto types = std::vector<DataType>{DataType::fp16, DataType::fp16, DataType::fp32, DataType::int8};
    const DataType type = any(types);
    for (std::uint32_t t = 0; t < graph.tensors().size(); ++t)
      if (Tensor& tensor = graph.tensor(TensorId(t)); tensor.type != DataType::int32) tensor.type = type;
    result_.plan.samples = between(1, 5);
    const bool apart = one_in(2);
    const PeGroup left = group(0, apart ? 2 : 4);
    const PeGroup right = apart ? group(2, 2) : left;
    const auto ops = static_cast<std::uint32_t>(graph.operators().size());
    const std::uint32_t cut = ops > 1 && (apart || one_in(2)) ? between(1, ops - 1) : ops;
    add_stage(0, cut, left);
    if (cut < ops) add_stage(cut, ops, right);
    if (ops > 1 && one_in(4)) {
      const std::uint32_t before = between(0, ops - 2);
      graph.add_control_edge(OpId(before), OpId(between(before + 1, ops - 1)));
    }
    describe(type);
  }

  void add_stage(std::uint32_t first, std::uint32_t end, const PeGroup& group) {
    Stage stage;
    stage.name = fmt::format("stage{}", result_.plan.stages.size());
    for (std::uint32_t op = first; op < end; ++op) stage.operators.emplace_back(op);
    stage.group = group;
    stage.strategy.sub_batches = between(1, result_.plan.samples);
    stage.strategy.weights_resident = one_in(3);
    const std::uint32_t batch = ceil_div(result_.plan.samples, stage.strategy.sub_batches);
    if (one_in(2)) {
      const StageProposal proposal{stage.operators, group};
      CandidateRequest request;
      request.proposal = &proposal;
      request.samples = batch;
      request.weights_resident = stage.strategy.weights_resident;
      const StageClasses classes = form_candidates(result_.graph, hardware_, request);
      for (const OpId op : stage.operators)
        stage.strategy.operators.push_back(any(classes.classes[classes.class_of.at(op)].candidates));
    } else {
      for (const OpId op : stage.operators)
        stage.strategy.operators.push_back(free_candidate(op, group, batch));
    }
    result_.plan.stages.push_back(std::move(stage));
  }

  OperatorCandidate free_candidate(OpId op, const PeGroup& group, std::uint32_t samples) {
    const std::vector<Axis> axes = kind_of(result_.graph.op(op)).axes(result_.graph, op, samples);
    OperatorCandidate candidate;
    candidate.spatial.assign(axes.size(), 1);
    candidate.temporal.assign(axes.size(), 1);
    candidate.nesting.resize(axes.size());
    std::iota(candidate.nesting.begin(), candidate.nesting.end(), 0u);
    for (std::size_t i = axes.size(); i-- > 1;)
      std::swap(candidate.nesting[i], candidate.nesting[rng_.below(i + 1)]);
    std::uint32_t left = group.size();
    for (const std::uint32_t a : candidate.nesting) {
      if (!axes[a].splittable) continue;
      if (!one_in(3)) candidate.spatial[a] = between(1, std::min(left, axes[a].extent));
      left /= candidate.spatial[a];
      if (one_in(2)) candidate.temporal[a] = between(1, std::min(4u, axes[a].extent));
    }
    candidate.order = any<PeOrder>({PeOrder::row_major, PeOrder::column_major, PeOrder::snake});
    candidate.outer = any<OuterLoop>({OuterLoop::features, OuterLoop::reduction, OuterLoop::rows});
    return candidate;
  }

  void describe(DataType type) {
    std::string& text = result_.description;
    text = fmt::format("{} samples, {}", result_.plan.samples, to_string(type));
    for (const auto& [before, later] : result_.graph.control_edges())
      text += fmt::format(", {} before {}", result_.graph.op(before).name, result_.graph.op(later).name);
    for (const Stage& stage : result_.plan.stages) {
      text += fmt::format("\n  {} on {}, {} sub-batches{}", stage.name, stage.group.to_string(),
                          stage.strategy.sub_batches,
                          stage.strategy.weights_resident ? ", weights resident" : "");
      for (std::size_t i = 0; i < stage.operators.size(); ++i) {
        const Operator& op = result_.graph.op(stage.operators[i]);
        std::vector<std::string> axes;
        for (const Axis& axis : kind_of(op).axes(result_.graph, stage.operators[i], 1))
          axes.push_back(axis.name);
        text += fmt::format("\n    {} ({}):", op.name, op.kind);
        for (const TensorId input : op.inputs)
          text += fmt::format(" {}[{}]", result_.graph.tensor(input).name,
                              fmt::join(result_.graph.tensor(input).shape, ","));
        text += fmt::format(" -> [{}]; {}", fmt::join(result_.graph.tensor(op.outputs[0]).shape, ","),
                            stage.strategy.operators[i].to_string(axes));
      }
    }
  }

  Rng rng_;
  const HardwareSpec& hardware_;
  RandomCase result_;
};

}  // namespace

RandomCase random_case(const std::string& kind, std::uint64_t seed, const HardwareSpec& hardware) {
  return CaseBuilder(kind, seed, hardware).build(kind);
}

}  // namespace dfsim::test
