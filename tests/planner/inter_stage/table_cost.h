// tests/planner/inter_stage/table_cost.h: doubles for the searches: a row of layers, a bare NoC, prices from
// a function.
#pragma once

#include <algorithm>
#include <functional>
#include <limits>
#include <string>

#include "planner/graph/graph.h"
#include "planner/plan/execution_cost.h"
#include "sim/api/hardware.h"

namespace dfsim::testing {

/// Layers in a row; a layer's weight has as many bytes as the layer, so that layers of equal size are equal.
inline Graph chain(const std::vector<std::uint32_t>& sizes) {
  Graph graph;
  const auto tensor = [&](const std::string& name, TensorRole role, std::uint32_t elements) {
    Tensor tensor;
    tensor.name = name;
    tensor.type = DataType::int8;
    tensor.role = role;
    tensor.shape = {elements};
    return graph.add_tensor(std::move(tensor));
  };
  TensorId before = tensor("in", TensorRole::input, 16);
  for (std::size_t i = 0; i < sizes.size(); ++i) {
    const std::string name = "layer" + std::to_string(i);
    const bool last = i + 1 == sizes.size();
    const TensorId weight = tensor(name + ".weight", TensorRole::weight, sizes[i]);
    const TensorId after = tensor(name + ".out", last ? TensorRole::output : TensorRole::activation, 16);
    Operator op;
    op.name = name;
    op.kind = "layer";
    op.inputs = {before, weight};
    op.outputs = {after};
    graph.add_operator(std::move(op));
    before = after;
  }
  return graph;
}

inline HardwareSpec bare_mesh(std::uint32_t x, std::uint32_t y, std::uint32_t nocs = 1) {
  HardwareSpec hardware;
  for (std::uint32_t n = 0; n < nocs; ++n) {
    NocSpec noc;
    noc.graph.topology = "mesh";
    noc.graph.extent = {x, y, 1};
    hardware.nocs.push_back(noc);
    for (std::uint32_t i = 0; i < x * y; ++i)
      hardware.pes.push_back(
          {.noc = NocId(n), .router = RouterId(i), .endpoint = EndpointId(i), .x = i % x, .y = i / x});
  }
  return hardware;
}

/// Prices from a function of (first layer, last layer, shape): cycles, or infinity where nothing fits.
class TableCost : public ExecutionCost {
 public:
  using Table = std::function<double(std::uint32_t first, std::uint32_t last, const Submesh& shape)>;
  explicit TableCost(Table table) : table_(std::move(table)) {}
  KnownPrice stage(const StageProposal& stage) const override {
    const double cycles = table_(stage.operators.front().value(), stage.operators.back().value(),
                                 stage.group.submeshes.front());
    return {cycles, cycles, PriceBasis::measured};
  }
  KnownPrice transfer(const StageProposal&, const StageProposal&) const override {
    return {0, 0, PriceBasis::measured};
  }

 private:
  Table table_;
};

inline constexpr double kDoesNotFit = std::numeric_limits<double>::infinity();

}  // namespace dfsim::testing
