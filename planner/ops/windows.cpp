// planner/ops/windows.cpp: see windows.h.
#include "planner/ops/windows.h"

#include <fmt/format.h>

#include <algorithm>

namespace dfsim {

namespace {

constexpr std::int64_t kLargest = 1 << 20;  ///< of kernel, stride and pad

std::array<std::uint32_t, 2> pair_of(const Operator& op, const std::string& name, std::int64_t otherwise) {
  const std::vector<std::int64_t> values = integers_of(op, name, {otherwise});
  return {static_cast<std::uint32_t>(values.front()), static_cast<std::uint32_t>(values.back())};
}

std::string pair_error(const Operator& op, const std::string& name, std::int64_t least) {
  const std::vector<std::int64_t> values = integers_of(op, name, {least});
  if (values.empty() || values.size() > 2)
    return fmt::format("{} '{}': {} is one integer or two (rows, columns), not {}", op.kind, op.name, name,
                       values.size());
  for (const std::int64_t value : values)
    if (value < least || value > kLargest)
      return fmt::format("{} '{}': {} must be from {} to {}, not {}", op.kind, op.name, name, least, kLargest,
                         value);
  return {};
}

}  // namespace

std::uint32_t Windows::positions(std::size_t d, std::uint32_t extent) const {
  const std::uint64_t padded = std::uint64_t{extent} + 2 * std::uint64_t{pad[d]};
  return padded < kernel[d] ? 0 : static_cast<std::uint32_t>((padded - kernel[d]) / stride[d] + 1);
}

Span Windows::covered(std::size_t d, Span positions, std::uint32_t extent) const {
  const std::uint64_t first = std::uint64_t{positions.offset} * stride[d];  // both count the border
  const std::uint64_t last = (std::uint64_t{positions.end()} - 1) * stride[d] + kernel[d];
  const std::uint64_t begin = std::max<std::uint64_t>(first, pad[d]) - pad[d];
  const std::uint64_t end = std::min<std::uint64_t>(last - pad[d], extent);  // pad < kernel, so last > pad
  return {static_cast<std::uint32_t>(begin), static_cast<std::uint32_t>(end - begin)};
}

std::vector<AttributeSpec> window_attributes(bool kernel_required) {
  return {{"kernel",
           AttributeType::integers,
           kernel_required,
           "rows and columns of the window (one number: both)",
           {}},
          {"stride", AttributeType::integers, false, "step of the window", {}},
          {"pad", AttributeType::integers, false, "zeros on each side; less than the kernel", {}}};
}

Windows windows_of(const Operator& op, bool stride_is_kernel) {
  Windows windows;
  windows.kernel = pair_of(op, "kernel", 1);
  windows.pad = pair_of(op, "pad", 0);
  windows.stride = pair_of(op, "stride", 1);
  if (stride_is_kernel && op.attributes.find("stride") == op.attributes.end())
    windows.stride = windows.kernel;
  return windows;
}

std::string window_error(const Operator& op, std::uint32_t rows, std::uint32_t columns,
                         bool stride_is_kernel) {
  for (const auto& [name, least] : {std::pair{"kernel", 1}, {"stride", 1}, {"pad", 0}})
    if (std::string error = pair_error(op, name, least); !error.empty()) return error;
  const Windows windows = windows_of(op, stride_is_kernel);
  for (std::size_t d = 0; d < 2; ++d) {
    if (windows.pad[d] >= windows.kernel[d])
      return fmt::format("{} '{}': pad {} must be less than the kernel's {}", op.kind, op.name,
                         windows.pad[d], windows.kernel[d]);
    if (const std::uint32_t extent = d == 0 ? rows : columns; windows.positions(d, extent) == 0)
      return fmt::format("{} '{}': a window of {} {} does not fit into {} with pad {}", op.kind, op.name,
                         windows.kernel[d], d == 0 ? "rows" : "columns", extent, windows.pad[d]);
  }
  return {};
}

}  // namespace dfsim
