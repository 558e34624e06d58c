#include "planner/verify/pe_memory.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "planner/verify/boxes.h"
#include "sim/base/errors.h"

namespace dfsim {

namespace {

constexpr float kEmpty = std::numeric_limits<float>::quiet_NaN();

}  // namespace

bool is_no_value(float value) { return std::isnan(value); }

std::uint64_t PeMemory::first_cell(const Place& place) const {
  return (place.micro_tensor->address + std::uint64_t{place.slot} * place.micro_tensor->bytes) / cell_bytes_;
}

void PeMemory::grow(std::uint64_t cells) {
  if (cells * cell_bytes_ > bytes_)
    throw SimulationError("verify: an address behind the end of a scratchpad");
  if (cells > cells_.size())
    cells_.resize(std::min(bytes_ / cell_bytes_, std::max<std::uint64_t>(cells, 2 * cells_.size())), kEmpty);
}

void PeMemory::write(const Place& place, const Box& box, const float* values) {
  const std::uint64_t first = first_cell(place), width = place.element_bytes / cell_bytes_;
  grow(first + place.micro_tensor->box.elements() * width);
  for_each_run(box, place.micro_tensor->box, box,
               [&](std::uint64_t at, std::uint64_t from, std::uint64_t length) {
                 float* cell = cells_.data() + first + at * width;
                 if (width == 1) {
                   std::copy_n(values + from, length, cell);
                   return;
                 }
                 for (std::uint64_t i = 0; i < length; ++i) {
                   *cell++ = values[from + i];
                   for (std::uint64_t rear = 1; rear < width; ++rear) *cell++ = kEmpty;
                 }
               });
}

void PeMemory::clear(const Place& place, const Box& box) {
  const std::uint64_t first = first_cell(place), width = place.element_bytes / cell_bytes_;
  for_each_run(box, place.micro_tensor->box, box, [&](std::uint64_t at, std::uint64_t, std::uint64_t length) {
    const std::uint64_t begin = std::min<std::uint64_t>(cells_.size(), first + at * width);
    const std::uint64_t end = std::min<std::uint64_t>(cells_.size(), first + (at + length) * width);
    std::fill(cells_.begin() + static_cast<std::ptrdiff_t>(begin),
              cells_.begin() + static_cast<std::ptrdiff_t>(end), kEmpty);
  });
}

void PeMemory::read(const Place& place, const Box& box, const Box& into, float* values) const {
  const std::uint64_t first = first_cell(place), width = place.element_bytes / cell_bytes_;
  for_each_run(box.intersection(into), place.micro_tensor->box, into,
               [&](std::uint64_t at, std::uint64_t to, std::uint64_t length) {
                 if (width == 1 && first + at + length <= cells_.size()) {
                   std::copy_n(cells_.data() + first + at, length, values + to);
                   return;
                 }
                 for (std::uint64_t i = 0; i < length; ++i) {
                   const std::uint64_t cell = first + (at + i) * width;
                   // A narrower element on top of the rear has destroyed the number as well.
                   bool whole = cell + width <= cells_.size();
                   for (std::uint64_t rear = 1; whole && rear < width; ++rear)
                     whole = std::isnan(cells_[cell + rear]);
                   values[to + i] = whole ? cells_[cell] : kEmpty;
                 }
               });
}

}  // namespace dfsim
