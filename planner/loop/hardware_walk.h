// planner/loop/hardware_walk.h: goals in which the hardware is updatable: which machines are planned for, and
// which of them is the answer.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "sim/api/hardware.h"

namespace dfsim {

struct HardwareAmount {
  std::uint64_t pes = 0;
  std::uint64_t sram_bytes = 0;  ///< all scratchpads
  std::uint64_t links = 0;       ///< of the NoCs
  bool operator==(const HardwareAmount&) const = default;
};

enum class Minimise : std::uint8_t { pes, sram, links };
std::uint64_t quantity(const HardwareAmount& amount, Minimise what);

/// A machine that could be built.
struct HardwarePoint {
  std::string name;
  HardwareAmount amount;
  double bound_cycles = 0;  ///< no plan on it is faster
};

/// What the planning loop measured on it: the best plan, run whole.
struct PointMeasurement {
  bool fits = true;  ///< some plan does
  double cycles = 0;
  double joules = 0;  ///< of as many samples as the cycles are for
};

enum class PointStatus : std::uint8_t {
  measured,
  does_not_fit,
  excluded,  ///< its bound alone shows that it cannot be the answer
  open,      ///< the answer was known before
};
std::string to_string(PointStatus status);

struct CurvePoint {
  HardwarePoint hardware;
  PointStatus status = PointStatus::open;
  PointMeasurement measurement;
  double cost = 0;  ///< if measured, under the prices of the hardware description; else its lower bound
  bool measured() const { return status == PointStatus::measured; }
};

struct WalkStep {
  std::size_t point = 0;
  std::string verdict;  ///< "within the limit: shrink"
};

/// The trade-off between hardware and time.
struct HardwareCurve {
  std::vector<CurvePoint> points;  ///< by the quantity that is minimised, ascending
  std::vector<WalkStep> steps;
  std::optional<std::size_t> chosen;
};

/// Plans for a machine and runs the winner whole. Must not depend on what was asked before.
using MeasurePoint = std::function<PointMeasurement(const HardwarePoint&)>;

/// Cost of `cycles` on a machine: per PE and cycle, per cycle, per joule.
double cost_of(const CostSpec& prices, const HardwareAmount& amount, double cycles, double joules);

struct WalkOptions {
  Minimise minimise = Minimise::pes;
  CostSpec prices = {};
  bool all = false;  ///< measure every point, also those that cannot be the answer
};

/// Goal hardware: least quantity whose measured time is at most `limit_cycles`.
///
/// The largest machine is measured first; if it is faster than the limit the hardware shrinks to the least
/// that the bounds allow, and grows from there while it is too slow. Machines whose bound exceeds the limit
/// are left out, all others below the answer are measured, so the answer is the least of all. What a machine
/// measures does not depend on the limit: relaxing it never raises the answer.
HardwareCurve least_hardware(std::vector<HardwarePoint> points, double limit_cycles,
                             const WalkOptions& options, const MeasurePoint& measure);

/// Goal cost: the least cost; or, with a limit, the first machine found that costs at most so much. Machines
/// whose cost at their bound reaches the best measured cost are left out.
HardwareCurve least_cost(std::vector<HardwarePoint> points, std::optional<double> cost_limit,
                         const WalkOptions& options, const MeasurePoint& measure);

}  // namespace dfsim
