// planner/verify/pe_memory.h: a scratchpad that holds numbers, by address.
#pragma once

#include <cstdint>
#include <vector>

#include "sim/api/program.h"

namespace dfsim {

/// Numbers at the addresses that the program gives its micro-tensors. A micro-tensor is stored row-major over
/// its box. One cell stands for as many bytes as the program's smallest element; a wider element has its
/// number in its first cell and marks the others. So what is overwritten, by whichever micro-tensor, is gone.
class PeMemory {
 public:
  /// A micro-tensor in one of its slots.
  struct Place {
    const MicroTensor* micro_tensor = nullptr;
    std::uint32_t element_bytes = 2;
    std::uint32_t slot = 0;
  };

  /// `cell_bytes` divides every address and element size used.
  PeMemory(std::uint32_t cell_bytes, std::uint64_t bytes) : cell_bytes_(cell_bytes), bytes_(bytes) {}

  /// Writes the part `box` of the micro-tensor; `values` is row-major over `box`.
  void write(const Place& place, const Box& box, const float* values);
  /// The part `box` of the micro-tensor holds nothing any more.
  void clear(const Place& place, const Box& box);
  /// Copies what `box`, a part of the micro-tensor, and `into` have in common to `values`, row-major over
  /// `into`. Cells that hold no number give a not-a-number.
  void read(const Place& place, const Box& box, const Box& into, float* values) const;

 private:
  std::uint64_t first_cell(const Place& place) const;
  void grow(std::uint64_t cells);

  std::uint32_t cell_bytes_;
  std::uint64_t bytes_;
  std::vector<float> cells_;
};

/// Never written, or the rear of a wider element.
bool is_no_value(float value);

}  // namespace dfsim
