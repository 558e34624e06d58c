// planner/verify/fault.h: what is wrong with a program that computes something else than its graph.
#pragma once

#include <cstdint>
#include <optional>
#include <stdexcept>
#include <string>

#include "sim/api/program.h"
#include "sim/base/units.h"

namespace dfsim {

/// The first thing found wrong. `what` says it in words; the rest says where, as far as it is known.
struct Fault {
  std::string what;
  std::string stage, op;  ///< names
  std::string pe;         ///< "chip0.pe_1_2"
  std::string micro_op;   ///< "matmul #12"
  std::uint32_t period = 0;
  std::string tensor;
  std::optional<Box> region;                              ///< the micro-tensor
  std::optional<std::array<std::uint32_t, kMaxRank>> at;  ///< the element of `tensor`, sample first
  std::optional<double> expected, got;

  /// One or two lines for people.
  std::string to_string() const;
};

/// Leaves the execution at the first fault. Thrown with `what` alone by the parts that know no more; the
/// executor adds the place.
class FaultFound : public std::runtime_error {
 public:
  explicit FaultFound(Fault fault) : std::runtime_error(fault.what), fault(std::move(fault)) {}
  explicit FaultFound(const std::string& what) : std::runtime_error(what) { fault.what = what; }
  Fault fault;
};

}  // namespace dfsim
