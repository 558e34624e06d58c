// tests/planner/intra_stage/fixture.h: small graphs, real chips and an oracle that adds up made-up prices.
#pragma once

#include <gtest/gtest.h>

#include <functional>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include "planner/cost/cost_oracle.h"
#include "planner/cost/lower_bound.h"
#include "planner/plan/plan_text.h"
#include "sim/base/hash.h"
#include "sim/hw/hardware_config.h"
#include "tests/planner/ops/build.h"

namespace dfsim::test {

inline HardwareSpec chip(const std::string& name) {
  return load_hardware(std::string(DFSIM_SOURCE_DIR) + "/configs/" + name);
}

inline PeGroup rectangle(std::uint32_t x, std::uint32_t y, std::uint32_t width, std::uint32_t height,
                         std::uint32_t noc = 0) {
  Submesh submesh;
  submesh.noc = NocId(noc);
  submesh.x = x, submesh.y = y, submesh.width = width, submesh.height = height;
  return {{submesh}};
}

inline StageProposal whole(const Graph& graph, PeGroup group) {
  StageProposal proposal;
  for (std::uint32_t op = 0; op < graph.operators().size(); ++op) proposal.operators.emplace_back(op);
  proposal.group = std::move(group);
  return proposal;
}

inline TensorId output_of(const Graph& graph, OpId op) { return graph.op(op).outputs.front(); }

/// matmul, relu, matmul, relu ... of equal widths.
inline Graph mlp(std::uint32_t layers, std::uint32_t rows, std::uint32_t features) {
  Graph graph;
  TensorId x = add_input(graph, "x", {rows, features});
  for (std::uint32_t layer = 0; layer < layers; ++layer) {
    x = output_of(graph, add_operator(graph, "matmul", {x}, {{"out_features", std::int64_t{features}}},
                                      "fc" + std::to_string(layer)));
    x = output_of(graph, add_operator(graph, "elementwise", {x}, {{"function", std::string("relu")}},
                                      "relu" + std::to_string(layer)));
  }
  return graph;
}

/// One encoder layer: attention by head, feed-forward, two residual sums with layer norm.
inline Graph encoder(std::uint32_t layers, std::uint32_t rows, std::uint32_t hidden, std::uint32_t heads) {
  Graph graph;
  TensorId x = add_input(graph, "x", {rows, hidden});
  const auto dense = [&](TensorId in, std::uint32_t features, const std::string& name) {
    return output_of(graph,
                     add_operator(graph, "matmul", {in}, {{"out_features", std::int64_t{features}}}, name));
  };
  const auto simple = [&](const std::string& kind, std::vector<TensorId> in, Attributes attributes,
                          const std::string& name) {
    return output_of(graph, add_operator(graph, kind, std::move(in), std::move(attributes), name));
  };
  for (std::uint32_t layer = 0; layer < layers; ++layer) {
    const std::string l = std::to_string(layer) + ".";
    const TensorId q = dense(x, hidden, l + "q"), k = dense(x, hidden, l + "k"),
                   v = dense(x, hidden, l + "v");
    const TensorId scores = simple("batched_matmul", {q, k},
                                   {{"heads", std::int64_t{heads}}, {"transpose_b", true}}, l + "scores");
    const TensorId p = simple("softmax", {scores}, {}, l + "softmax");
    const TensorId context = simple("batched_matmul", {p, v},
                                    {{"heads", std::int64_t{heads}}, {"merge_heads", true}}, l + "context");
    const TensorId o = dense(context, hidden, l + "o");
    const TensorId sum = simple("elementwise", {x, o}, {{"function", std::string("add")}}, l + "add");
    const TensorId norm = simple("layer_norm", {sum}, {}, l + "norm");
    const TensorId up = dense(norm, 4 * hidden, l + "ff1");
    const TensorId act = simple("elementwise", {up}, {{"function", std::string("gelu")}}, l + "gelu");
    const TensorId down = dense(act, hidden, l + "ff2");
    const TensorId sum2 = simple("elementwise", {norm, down}, {{"function", std::string("add")}}, l + "add2");
    x = simple("layer_norm", {sum2}, {}, l + "norm2");
  }
  return graph;
}

/// Prices made up from the bound and a hash of the candidate: never below the bound, and additive: a stage
/// costs the sum of its operators alone and of the re-slicing between them (0 where nothing moves).
class AdditiveOracle : public CostOracle {
 public:
  AdditiveOracle(const Graph& graph, const HardwareSpec& hardware, std::uint32_t samples)
      : graph_(graph), hardware_(hardware), bounds_(graph, hardware, samples), samples_(samples) {}

  std::vector<PriceAnswer> price_stages(const std::vector<Stage>& stages, const PriceLimit& limit) override {
    std::vector<PriceAnswer> answers;
    for (const Stage& stage : stages) {
      const bool probe = limit.period_cycles == 1;
      if (!probe) ++runs, ran.push_back(stage);
      PriceAnswer answer;
      if (refuse && refuse(stage)) {
        answer.status = PriceStatus::infeasible;
        answer.reason = "refused";
      } else {
        answer.price = price(stage);
        if ((limit.period_cycles && answer.price.period_cycles > limit.period_cycles) ||
            (limit.latency_cycles && answer.price.latency_cycles > limit.latency_cycles)) {
          answer.status = PriceStatus::stopped;
          answer.price = {};
        }
      }
      answers.push_back(answer);
    }
    return answers;
  }
  std::vector<PriceAnswer> price_transfers(const std::vector<std::pair<Stage, Stage>>& pairs) override {
    std::vector<PriceAnswer> answers;
    for (const auto& [from, to] : pairs) {
      ++transfers;
      const std::uint64_t cycles = transfer(from, to);
      answers.push_back({PriceStatus::executed, {cycles, cycles}, false, "", ""});
    }
    return answers;
  }
  std::vector<PlanAnswer> measure_plans(const std::vector<Plan>& plans) override {
    return std::vector<PlanAnswer>(plans.size());
  }

  StagePrice price(const Stage& stage) const {
    StagePrice sum;
    const auto add = [&](std::uint64_t latency, std::uint64_t period) {
      sum.latency_cycles += latency;
      sum.period_cycles += period;
    };
    for (std::size_t i = 0; i < stage.operators.size(); ++i) {
      const Stage one = alone(stage, i);
      const StagePrice own = price_alone(one);
      add(own.latency_cycles, own.period_cycles);
      for (std::size_t j = 0; j < i; ++j)
        if (feeds(stage.operators[j], stage.operators[i])) {
          const std::uint64_t moving = transfer(alone(stage, j), one);
          add(moving, moving);
        }
    }
    return sum;
  }
  std::uint64_t transfer(const Stage& from, const Stage& to) const {
    const auto [known, fresh] = transfers_.emplace(nameless_text(from) + " to " + nameless_text(to), 0);
    if (!fresh) return known->second;
    const auto layout = [&](const Stage& stage) {
      return layout_of(graph_, hardware_, stage.operators[0], stage.group, stage.strategy.operators[0], 0,
                       samples_);
    };
    const MovedBytes moved = moved_bytes(graph_, layout(from), layout(to));
    return known->second = moved.total == 0 ? 0 : bounds_.transfer(moved).period_cycles * 2 + 20;
  }

  std::function<bool(const Stage&)> refuse;
  std::uint64_t runs = 0, transfers = 0;
  std::vector<Stage> ran;

 private:
  Stage alone(const Stage& stage, std::size_t index) const {
    Stage one = stage;
    one.operators = {stage.operators[index]};
    one.strategy.operators = {stage.strategy.operators[index]};
    one.strategy.weights_resident = stage.strategy.weights_resident && has_weights(one.operators[0]);
    return one;
  }
  bool has_weights(OpId op) const {
    for (const TensorId input : graph_.op(op).inputs)
      if (graph_.tensor(input).role == TensorRole::weight) return true;
    return false;
  }
  bool feeds(OpId from, OpId to) const {
    for (const TensorId input : graph_.op(to).inputs)
      if (graph_.tensor(input).producer == from) return true;
    return false;
  }
  /// The bound and up to 30 % more, the same for equal operators.
  StagePrice price_alone(const Stage& one) const {
    TextWriter text;
    write(text, one.strategy);
    write(text, one.group);
    const std::string key = graph_.signature(one.operators) + text.str();
    const auto [known, fresh] = alone_.emplace(key, StagePrice{});
    if (!fresh) return known->second;
    const StagePrice bound = bounds_.stage(one);
    const std::uint64_t drawn = std::stoull(content_hash(key).substr(0, 8), nullptr, 16) % 300;
    const std::uint64_t more = bound.period_cycles * drawn / 1000 + drawn;
    return known->second = {bound.latency_cycles + more, bound.period_cycles + more};
  }

  const Graph& graph_;
  const HardwareSpec& hardware_;
  LowerBounds bounds_;
  std::uint32_t samples_;
  mutable std::map<std::string, StagePrice> alone_;
  mutable std::map<std::string, std::uint64_t> transfers_;
};

}  // namespace dfsim::test
