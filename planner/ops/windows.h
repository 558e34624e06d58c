// planner/ops/windows.h: sliding windows of convolutions and pooling over rows and columns.
#pragma once

#include <array>
#include <cstdint>
#include <string>

#include "planner/ops/blocks.h"

namespace dfsim {

/// Window, step and border along rows (0) and columns (1).
/// Not modelled: dilation, and borders that differ between the two ends of a dimension.
struct Windows {
  std::array<std::uint32_t, 2> kernel{1, 1};
  std::array<std::uint32_t, 2> stride{1, 1};
  std::array<std::uint32_t, 2> pad{0, 0};

  std::uint64_t area() const { return std::uint64_t{kernel[0]} * kernel[1]; }
  /// Number of window positions over `extent` elements; 0 if the window does not fit.
  std::uint32_t positions(std::size_t dimension, std::uint32_t extent) const;
  /// The elements of [0, extent) under the window positions `positions`, which must not be empty: with the
  /// halo, without the border.
  Span covered(std::size_t dimension, Span positions, std::uint32_t extent) const;
};

/// The attributes kernel, stride and pad (an integer, or two for rows and columns).
std::vector<AttributeSpec> window_attributes(bool kernel_required);
/// Reads them. `stride_is_kernel`: windows do not overlap unless stated.
Windows windows_of(const Operator& op, bool stride_is_kernel);
/// What is wrong with them for an input of rows x columns; empty if nothing.
std::string window_error(const Operator& op, std::uint32_t rows, std::uint32_t columns,
                         bool stride_is_kernel);

}  // namespace dfsim
