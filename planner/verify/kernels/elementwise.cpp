// planner/verify/kernels/elementwise.cpp: functions of each element of one or two tensors.
#include <algorithm>
#include <cmath>
#include <map>

#include "planner/ops/blocks.h"
#include "planner/verify/boxes.h"
#include "planner/verify/kernel.h"

namespace dfsim {

namespace {

float gelu(float x) { return 0.5f * x * (1 + std::erf(x * 0.70710678f)); }

using Unary = float (*)(float);
using Binary = float (*)(float, float);

// `scale` is a product with the attribute `factor`.
const std::map<std::string, Unary> kUnary{{"relu", [](float x) { return x > 0 ? x : 0; }},
                                          {"gelu", gelu},
                                          {"tanh", [](float x) { return std::tanh(x); }},
                                          {"sigmoid", [](float x) { return 1 / (1 + std::exp(-x)); }},
                                          {"exp", [](float x) { return std::exp(x); }}};
const std::map<std::string, Binary> kBinary{{"add", [](float x, float y) { return x + y; }},
                                            {"sub", [](float x, float y) { return x - y; }},
                                            {"mul", [](float x, float y) { return x * y; }},
                                            {"div", [](float x, float y) { return x / y; }},
                                            {"max", [](float x, float y) { return x < y ? y : x; }}};

/// Values of an operand, element by element of the output block: counted from the last dimension, an extent
/// of 1 and a missing dimension are stretched.
class Stretched {
 public:
  Stretched(const KernelOp& op, std::size_t input, const Box& block, Operands& operands) {
    const Tensor& tensor = op.input(input);
    const std::size_t first = block.rank - tensor.shape.size();
    const auto& shape = op.output(0).shape;
    std::vector<Span> spans;
    if (tensor.has_samples()) spans.push_back(span_of(block, 0));
    for (std::size_t d = 0; d < tensor.shape.size(); ++d)
      spans.push_back(tensor.shape[d] == 1 && shape[first - 1 + d] != 1 ? whole(1)
                                                                        : span_of(block, first + d));
    const Box box = box_of(spans);
    values_ = operands.values(input, box);
    const auto strides = strides_of(box);
    const std::size_t lead = tensor.has_samples() ? 1 : 0;
    if (lead == 1) stride_[0] = strides[0];
    for (std::size_t d = 0; d < tensor.shape.size(); ++d)
      if (tensor.shape[d] != 1 || shape[first - 1 + d] == 1) stride_[first + d] = strides[lead + d];
    block_ = block;
  }

  /// Values of row `row` of the block (all dimensions but the last, row-major); neighbours are step() apart.
  const float* row(std::uint64_t row) const {
    std::uint64_t at = 0;
    for (std::uint8_t d = block_.rank - 1u; d-- > 0;) {
      at += row % block_.extent[d] * stride_[d];
      row /= block_.extent[d];
    }
    return values_ + at;
  }
  std::uint64_t step() const { return stride_[block_.rank - 1u]; }

 private:
  Box block_;
  const float* values_ = nullptr;
  std::array<std::uint64_t, kMaxRank> stride_{};
};

/// Iteration space: that of the output.
class ElementwiseKernel final : public Kernel {
 public:
  void run(const KernelOp& op, const Box& block, const std::vector<OutputBlock>& outputs,
           Operands& operands) const override {
    const std::string function = op.op().text("function", "");
    if (const auto unary = kUnary.find(function); unary != kUnary.end()) {
      const float* x = operands.values(0, block);
      std::transform(x, x + block.elements(), outputs[0].values, unary->second);
    } else if (function == "scale") {
      const float* x = operands.values(0, block);
      const auto factor = static_cast<float>(number_of(op.op(), "factor", 1));
      std::transform(x, x + block.elements(), outputs[0].values, [&](float v) { return v * factor; });
    } else if (function == "batch_norm") {
      combine(op, 0, 1, block, outputs[0].values, operands, kBinary.at("mul"));
      shift(op, block, outputs[0].values, operands);
    } else {
      combine(op, 0, 1, block, outputs[0].values, operands, kBinary.at(function));
    }
  }

  Distribution parameter(const KernelOp& op, std::size_t input) const override {
    const std::string function = op.op().text("function", "");
    const bool factor = function == "div" || (function == "batch_norm" && input == 1);
    if (factor) return {1, 0.1};  // away from 0
    if (function == "batch_norm") return {0, 0.1};
    return {0, 1};
  }

 private:
  static void combine(const KernelOp& op, std::size_t left, std::size_t right, const Box& block, float* out,
                      Operands& operands, Binary function) {
    const Stretched a(op, left, block, operands), b(op, right, block, operands);
    const std::uint32_t length = block.extent[block.rank - 1u];
    for (std::uint64_t row = 0; row < block.elements() / length; ++row) {
      const float *x = a.row(row), *y = b.row(row);
      for (std::uint32_t i = 0; i < length; ++i) *out++ = function(x[i * a.step()], y[i * b.step()]);
    }
  }
  static void shift(const KernelOp& op, const Box& block, float* out, Operands& operands) {
    const Stretched b(op, 2, block, operands);
    const std::uint32_t length = block.extent[block.rank - 1u];
    for (std::uint64_t row = 0; row < block.elements() / length; ++row) {
      const float* y = b.row(row);
      for (std::uint32_t i = 0; i < length; ++i) *out++ += y[i * b.step()];
    }
  }
};

}  // namespace

const Registration<Kernel, ElementwiseKernel> kElementwiseKernel{"elementwise", "functions of elements"};

}  // namespace dfsim
