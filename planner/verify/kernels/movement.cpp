// planner/verify/kernels/movement.cpp: operators that only move elements: copy, reshape, transpose, concat,
// split, select and embedding.
#include <algorithm>

#include "planner/ops/blocks.h"
#include "planner/verify/boxes.h"
#include "planner/verify/fault.h"
#include "planner/verify/kernel.h"

namespace dfsim {

namespace {

/// Calls f(index) for every element of `box`, row-major.
template <class F>
void for_each_index(const Box& box, F f) {
  if (box.empty()) return;
  std::array<std::uint32_t, kMaxRank> index = box.offset;
  for (;;) {
    f(index);
    std::uint8_t d = box.rank;
    for (; d > 0; --d) {
      if (++index[d - 1] < box.offset[d - 1] + box.extent[d - 1]) break;
      index[d - 1] = box.offset[d - 1];
    }
    if (d == 0) return;
  }
}

class CopyKernel final : public Kernel {
 public:
  void run(const KernelOp&, const Box& block, const std::vector<OutputBlock>& outputs,
           Operands& operands) const override {
    std::copy_n(operands.values(0, block), block.elements(), outputs[0].values);
  }
};

/// Element by element: the place in the input follows from the place in the row-major order of a sample.
class ReshapeKernel final : public Kernel {
 public:
  void run(const KernelOp& op, const Box& block, const std::vector<OutputBlock>& outputs,
           Operands& operands) const override {
    const auto &in = op.input(0).shape, &out = op.output(0).shape;
    const Box box = operands.read(0, block.elements());
    const float* values = operands.values(0, box);
    float* to = outputs[0].values;
    for_each_index(block, [&](const std::array<std::uint32_t, kMaxRank>& index) {
      std::uint64_t flat = 0;
      for (std::size_t d = 0; d < out.size(); ++d) flat = flat * out[d] + index[d + 1];
      std::array<std::uint32_t, kMaxRank> source{index[0]};
      for (std::size_t d = in.size(); d-- > 0; flat /= in[d])
        source[d + 1] = static_cast<std::uint32_t>(flat % in[d]);
      for (std::uint8_t d = 0; d < box.rank; ++d)
        if (source[d] < box.offset[d] || source[d] >= box.offset[d] + box.extent[d])
          throw FaultFound("reshape reads an element outside of " + box.to_string());
      *to++ = values[position_in(box, source)];
    });
  }
};

class TransposeKernel final : public Kernel {
 public:
  void run(const KernelOp& op, const Box& block, const std::vector<OutputBlock>& outputs,
           Operands& operands) const override {
    const std::vector<std::int64_t> permutation = integers_of(op.op(), "permutation");
    std::vector<Span> spans(block.rank, span_of(block, 0));
    for (std::size_t d = 0; d < permutation.size(); ++d)
      spans[static_cast<std::size_t>(permutation[d]) + 1] = span_of(block, d + 1);
    const Box box = box_of(spans);
    const float* values = operands.values(0, box);
    const auto strides = strides_of(box);
    std::array<std::uint64_t, kMaxRank> stride{strides[0]};  // of the input, by dimension of the output
    for (std::size_t d = 0; d < permutation.size(); ++d)
      stride[d + 1] = strides[static_cast<std::size_t>(permutation[d]) + 1];
    float* to = outputs[0].values;
    for_each_index(block, [&](const std::array<std::uint32_t, kMaxRank>& index) {
      std::uint64_t at = 0;
      for (std::uint8_t d = 0; d < block.rank; ++d) at += (index[d] - block.offset[d]) * stride[d];
      *to++ = values[at];
    });
  }
};

class ConcatKernel final : public Kernel {
 public:
  void run(const KernelOp& op, const Box& block, const std::vector<OutputBlock>& outputs,
           Operands& operands) const override {
    const auto along = static_cast<std::size_t>(op.op().integer("axis", 0));
    std::uint32_t begin = 0;
    for (std::size_t input = 0; input < op.op().inputs.size(); ++input) {
      const std::uint32_t extent = op.input(input).shape[along];
      const Span part = common(span_of(block, along + 1), {begin, extent});
      if (part.extent > 0) {
        Box here = block;  // in coordinates of the output
        here.offset[along + 1] = part.offset;
        here.extent[along + 1] = part.extent;
        Box there = here;
        there.offset[along + 1] -= begin;
        copy_common(here, operands.values(input, there), block, outputs[0].values);
      }
      begin += extent;
    }
  }
};

/// Iteration space: that of the input.
class SplitKernel final : public Kernel {
 public:
  /// The outputs' blocks put together along the axis.
  Box block(const KernelOp& op, const std::vector<OutputBlock>& outputs, std::uint32_t,
            const Operands&) const override {
    const auto along = static_cast<std::size_t>(op.op().integer("axis", 0));
    Box whole_block = in_input(op, outputs[0], along);
    std::uint32_t end = whole_block.offset[along + 1] + whole_block.extent[along + 1];
    for (std::size_t i = 1; i < outputs.size(); ++i) {
      const Box part = in_input(op, outputs[i], along);
      if (part.offset[along + 1] != end) throw FaultFound("split writes parts that do not follow each other");
      end += part.extent[along + 1];
    }
    whole_block.extent[along + 1] = end - whole_block.offset[along + 1];
    return whole_block;
  }

  void run(const KernelOp& op, const Box&, const std::vector<OutputBlock>& outputs,
           Operands& operands) const override {
    const auto along = static_cast<std::size_t>(op.op().integer("axis", 0));
    for (const OutputBlock& output : outputs)
      std::copy_n(operands.values(0, in_input(op, output, along)), output.box.elements(), output.values);
  }

 private:
  static Box in_input(const KernelOp& op, const OutputBlock& output, std::size_t along) {
    Box box = output.box;
    for (std::size_t before = 0; before < output.output; ++before)
      box.offset[along + 1] += op.output(before).shape[along];
    return box;
  }
};

class SelectKernel final : public Kernel {
 public:
  void run(const KernelOp& op, const Box& block, const std::vector<OutputBlock>& outputs,
           Operands& operands) const override {
    const std::vector<std::int64_t> range = integers_of(op.op(), "range");
    Box box = block;
    if (range.empty()) {
      // The dimension of the index comes between the samples and the rest.
      for (std::uint8_t d = box.rank++; d > 1; --d) {
        box.offset[d] = box.offset[d - 1u];
        box.extent[d] = box.extent[d - 1u];
      }
      box.offset[1] = static_cast<std::uint32_t>(op.op().integer("index", 0));
      box.extent[1] = 1;
    } else {
      box.offset[1] += static_cast<std::uint32_t>(range[0]);
    }
    std::copy_n(operands.values(0, box), block.elements(), outputs[0].values);
  }
};

/// Input 0 holds row numbers, input 1 is the table.
class EmbeddingKernel final : public Kernel {
 public:
  void run(const KernelOp& op, const Box& block, const std::vector<OutputBlock>& outputs,
           Operands& operands) const override {
    const float* numbers = operands.values(0, box_of({span_of(block, 0), span_of(block, 1)}));
    const Span columns = span_of(block, 2);
    float* to = outputs[0].values;
    for (std::uint64_t i = 0; i < std::uint64_t{block.extent[0]} * block.extent[1]; ++i) {
      if (!(numbers[i] >= 0 && numbers[i] < static_cast<float>(op.input(1).shape[0])))
        throw FaultFound("the table has no row of the number read");
      const auto row = static_cast<std::uint32_t>(numbers[i]);
      to = std::copy_n(operands.values(1, box_of({{row, 1}, columns})), columns.extent, to);
    }
  }
};

}  // namespace

const Registration<Kernel, CopyKernel> kCopyKernel{"copy", "the same values"};
const Registration<Kernel, ReshapeKernel> kReshapeKernel{"reshape", "the same values in order"};
const Registration<Kernel, TransposeKernel> kTransposeKernel{"transpose", "dimensions in another order"};
const Registration<Kernel, ConcatKernel> kConcatKernel{"concat", "one behind the other"};
const Registration<Kernel, SplitKernel> kSplitKernel{"split", "cut along one dimension"};
const Registration<Kernel, SelectKernel> kSelectKernel{"select", "some rows"};
const Registration<Kernel, EmbeddingKernel> kEmbeddingKernel{"embedding", "rows of a table"};

}  // namespace dfsim
