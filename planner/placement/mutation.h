// planner/placement/mutation.h: drawing mutants of an assignment, governed by mutation factors.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "planner/placement/structure.h"
#include "sim/base/rng.h"

namespace dfsim {

class Mutation {
 public:
  explicit Mutation(const HeterogeneousStructure& structure);

  const std::vector<MovingUnit>& units() const { return units_; }
  const std::vector<std::size_t>& neighbours(std::size_t unit) const { return neighbours_[unit]; }
  std::uint32_t processor_of(std::size_t unit, const Assignment& at) const {
    return at[units_[unit].members.front()];
  }
  void put(std::size_t unit, std::uint32_t processor, Assignment& at) const;

  /// One random move of `at`: a unit drawn by its factor goes elsewhere, alone, with a neighbour, with the
  /// run of neighbours on its processor, or in exchange for another unit. `factors` by unit, not all 0. May
  /// give `at`.
  Assignment mutate(const Assignment& at, const std::vector<double>& factors, Rng& rng) const;

 private:
  std::size_t draw_unit(const std::vector<double>& factors, Rng& rng) const;
  std::uint32_t draw_processor(std::size_t unit, Rng& rng) const;
  void move_run(std::size_t unit, std::uint32_t processor, Assignment& at, Rng& rng) const;
  void exchange(std::size_t a, std::size_t b, Assignment& at) const;

  std::vector<MovingUnit> units_;
  std::vector<std::vector<std::size_t>> neighbours_;  ///< by unit, over edges
};

/// An assignment that is supported and fits the memories, as much as possible on `preferred`; none if
/// first-fit in descending order of memory finds none.
std::optional<Assignment> mostly_on(std::uint32_t preferred, const HeterogeneousStructure& structure,
                                    const std::vector<MovingUnit>& units);

}  // namespace dfsim
