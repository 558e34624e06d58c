// planner/verify/kernels/pooling.cpp: maximum or average over windows of each channel.
#include <algorithm>
#include <limits>

#include "planner/ops/blocks.h"
#include "planner/ops/windows.h"
#include "planner/verify/kernel.h"

namespace dfsim {

namespace {

/// Iteration space b, c, row, column of the output; b, c if global. A maximum ignores the border; an average
/// counts its zeros, as all windows cost the same.
class PoolingKernel final : public Kernel {
 public:
  void run(const KernelOp& op, const Box& block, const std::vector<OutputBlock>& outputs,
           Operands& operands) const override {
    const auto& x = op.input(0).shape;
    const bool global = block.rank == 2;
    Windows windows = windows_of(op.op(), true);
    if (global) windows.kernel = windows.stride = {x[1], x[2]};
    const Span rows = global ? whole(1) : span_of(block, 2), columns = global ? whole(1) : span_of(block, 3);
    const Box box = box_of({span_of(block, 0), span_of(block, 1), held(windows, 0, rows, x[1]),
                            held(windows, 1, columns, x[2])});
    const float* input = operands.values(0, box);
    const bool maximum = op.op().text("function", "max") == "max";
    float* out = outputs[0].values;
    const std::uint64_t plane = std::uint64_t{box.extent[2]} * box.extent[3];
    for (std::uint64_t p = 0; p < std::uint64_t{block.extent[0]} * block.extent[1]; ++p)
      for (std::uint32_t r = rows.offset; r < rows.end(); ++r)
        for (std::uint32_t c = columns.offset; c < columns.end(); ++c)
          *out++ = window(windows, box, input + p * plane, r, c, maximum);
  }

 private:
  static Span window_range(const Windows& windows, std::size_t d, std::uint32_t position,
                           std::uint32_t extent) {
    const std::int64_t begin = std::int64_t{position} * windows.stride[d] - windows.pad[d];
    const auto from = static_cast<std::uint32_t>(std::max<std::int64_t>(begin, 0));
    const auto end = static_cast<std::uint32_t>(std::min<std::int64_t>(begin + windows.kernel[d], extent));
    return {from, end - from};
  }
  static Span held(const Windows& windows, std::size_t d, Span positions, std::uint32_t extent) {
    const std::uint32_t from = window_range(windows, d, positions.offset, extent).offset;
    return {from, window_range(windows, d, positions.end() - 1, extent).end() - from};
  }

  static float window(const Windows& windows, const Box& box, const float* plane, std::uint32_t row,
                      std::uint32_t column, bool maximum) {
    // The window reaches over the border of the tensor only where the box ends at it.
    const Span rows = common(window_range(windows, 0, row, box.offset[2] + box.extent[2]), span_of(box, 2));
    const Span columns =
        common(window_range(windows, 1, column, box.offset[3] + box.extent[3]), span_of(box, 3));
    float largest = -std::numeric_limits<float>::infinity();
    double sum = 0;
    for (std::uint32_t r = rows.offset; r < rows.end(); ++r)
      for (std::uint32_t c = columns.offset; c < columns.end(); ++c) {
        const float value = plane[std::uint64_t{r - box.offset[2]} * box.extent[3] + (c - box.offset[3])];
        largest = std::max(largest, value);
        sum += value;
      }
    return maximum ? largest : static_cast<float>(sum / static_cast<double>(windows.area()));
  }
};

}  // namespace

const Registration<Kernel, PoolingKernel> kPoolingKernel{"pooling", "maximum or average over windows"};

}  // namespace dfsim
