// planner/verify/kernels/normalization.cpp: softmax and layer_norm over the last dimension.
#include <algorithm>
#include <cmath>

#include "planner/ops/blocks.h"
#include "planner/verify/fault.h"
#include "planner/verify/kernel.h"

namespace dfsim {

namespace {

/// Iteration space: that of the output, whose last dimension must be whole.
class RowKernel : public Kernel {
 public:
  Box block(const KernelOp& op, const std::vector<OutputBlock>& outputs, std::uint32_t,
            const Operands&) const override {
    const Box& box = outputs[0].box;
    if (box.extent[box.rank - 1u] != op.output(0).shape.back())
      throw FaultFound("'" + op.op().name + "' is computed on part of a row");
    return box;
  }
};

class SoftmaxKernel final : public RowKernel {
 public:
  void run(const KernelOp&, const Box& block, const std::vector<OutputBlock>& outputs,
           Operands& operands) const override {
    const float* x = operands.values(0, block);
    float* y = outputs[0].values;
    const std::uint32_t n = block.extent[block.rank - 1u];
    for (std::uint64_t row = 0; row < block.elements() / n; ++row, x += n, y += n) {
      const float largest = *std::max_element(x, x + n);
      double sum = 0;
      for (std::uint32_t i = 0; i < n; ++i) sum += y[i] = std::exp(x[i] - largest);
      const auto scale = static_cast<float>(1 / sum);
      for (std::uint32_t i = 0; i < n; ++i) y[i] *= scale;
    }
  }
};

class LayerNormKernel final : public RowKernel {
 public:
  static constexpr double kEpsilon = 1e-5;  ///< unless stated

  void run(const KernelOp& op, const Box& block, const std::vector<OutputBlock>& outputs,
           Operands& operands) const override {
    const std::uint32_t n = block.extent[block.rank - 1u];
    const float* x = operands.values(0, block);
    const float* gamma = operands.values(1, box_of({whole(n)}));
    const float* beta = operands.values(2, box_of({whole(n)}));
    const double epsilon = number_of(op.op(), "epsilon", kEpsilon);
    float* y = outputs[0].values;
    for (std::uint64_t row = 0; row < block.elements() / n; ++row, x += n, y += n) {
      double sum = 0, squares = 0;
      for (std::uint32_t i = 0; i < n; ++i) sum += x[i];
      const double mean = sum / n;
      for (std::uint32_t i = 0; i < n; ++i) squares += (x[i] - mean) * (x[i] - mean);
      const double scale = 1 / std::sqrt(squares / n + epsilon);
      for (std::uint32_t i = 0; i < n; ++i)
        y[i] = static_cast<float>((x[i] - mean) * scale) * gamma[i] + beta[i];
    }
  }

  Distribution parameter(const KernelOp&, std::size_t input) const override {
    return input == 1 ? Distribution{1, 0.1} : Distribution{0, 0.1};
  }
};

}  // namespace

const Registration<Kernel, SoftmaxKernel> kSoftmaxKernel{"softmax", "softmax of rows"};
const Registration<Kernel, LayerNormKernel> kLayerNormKernel{"layer_norm", "layer normalisation of rows"};

}  // namespace dfsim
