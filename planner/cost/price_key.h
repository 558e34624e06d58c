// planner/cost/price_key.h: what a price depends on, as a key.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "planner/graph/graph.h"
#include "planner/plan/plan.h"
#include "sim/api/hardware.h"

namespace dfsim {

/// Everything outside of graph and plan that can change a measurement.
struct PriceContext {
  std::uint32_t samples = 8;
  std::uint32_t periods = 3;  ///< of whole plans
  std::uint64_t seed = 1;
  std::string simulator_version;
};

/// Keys of equal content are equal whatever the names, and whatever the place in graph and mesh as far as
/// that provably does not matter. `named` adds names and exact places: an answer that quotes them (why
/// something is infeasible) is kept under that key.
struct PriceKey {
  std::string content;
  std::string named;
};

class PriceKeys {
 public:
  PriceKeys(const Graph& graph, const HardwareSpec& hardware, const PriceContext& context);

  PriceKey stage(const Stage& stage) const;
  PriceKey transfer(const Stage& producer, const Stage& consumer) const;
  PriceKey plan(const Plan& plan) const;

  /// Where a stage sits, as far as it matters. On a 2-D mesh with dimension-order routing (x first) all
  /// traffic of a box of PEs that has ports in its own rows stays in these rows, because lowering then uses
  /// no other port (DramHomes::ports_of). Moving the box along y together with equal ports moves the whole
  /// run: then the y offset is left out. Otherwise the exact place.
  std::string position_class(const Stage& stage) const;

 private:
  std::string operators_text(const std::vector<OpId>& ops) const;
  std::string names_text(const std::vector<const Stage*>& stages) const;
  PriceKey key(const char* kind, const std::string& content, const std::vector<const Stage*>& stages) const;
  bool plain_mesh(NocId noc) const;

  const Graph& graph_;
  const HardwareSpec& hardware_;
  std::string base_;
  bool equal_ports_ = true;
};

}  // namespace dfsim
