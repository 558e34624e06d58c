#include "planner/verify/kernel.h"

#include <algorithm>
#include <cmath>
#include <map>
#include <memory>

#include "sim/base/errors.h"

namespace dfsim {

namespace {

using Kernels = std::map<std::string, std::unique_ptr<Kernel>>;

Kernels make_kernels() {
  Kernels kernels;
  for (const auto& [name, entry] : KernelRegistry::instance().entries()) kernels.emplace(name, entry.make());
  return kernels;
}

}  // namespace

const Kernel& kernel_of(const Operator& op) {
  static const Kernels kernels = make_kernels();  // stateless: one of each serves all
  const auto it = kernels.find(op.kind);
  if (it == kernels.end())
    throw SimulationError("verify: no kernel for the kind '" + op.kind + "' of operator '" + op.name + "'");
  return *it->second;
}

Box Kernel::block(const KernelOp&, const std::vector<OutputBlock>& outputs, std::uint32_t,
                  const Operands&) const {
  return outputs.front().box;
}

double weight_deviation(const KernelOp& op, std::uint64_t fan_in) {
  const std::vector<OpId>& consumers = op.output(0).consumers;
  const bool before_relu = std::any_of(consumers.begin(), consumers.end(), [&](OpId id) {
    return op.graph.op(id).text("function", "") == "relu";
  });
  return std::sqrt((before_relu ? 2.0 : 1.0) / static_cast<double>(fan_in));
}

}  // namespace dfsim
