// planner/report/sweep.h: one model on many chips: what each point measured, which points are worth having,
// and the files and the text made of it.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "planner/plan/execution_cost.h"
#include "sim/api/hardware.h"

namespace dfsim {

/// A key of the config (or, behind "model.", of the model) and the values that it takes.
struct SweepKey {
  std::string name;
  std::vector<std::string> values;
  bool operator==(const SweepKey&) const = default;
};

enum class SweepStatus : std::uint8_t { measured, no_plan, failed };
std::string to_string(SweepStatus status);

/// What is known of a measured point. Times in cycles of `clock_period_ps`.
struct SweepFigures {
  std::uint64_t clock_period_ps = 1000;
  double interval_cycles = 0;        ///< per sample
  std::uint64_t latency_cycles = 0;  ///< of the first period
  double period_over_bound = 0;      ///< measured period over its lower bound; 0: no bound
  double utilisation = 0;            ///< of the peak of all matrix units, 0 to 1
  double energy_pj_per_sample = 0;   ///< of the whole run, its cold start included
  std::uint64_t stages = 0;
  std::string busiest_unit;
  double busiest_share = 0;  ///< of the cycles of the run
  bool operator==(const SweepFigures&) const = default;
};

struct SweepPoint {
  std::string name;                 ///< "noc.dims=4x4,dma.channels=2"
  std::string folder;               ///< of its files, below the output folder
  std::vector<std::string> values;  ///< one per key
  std::uint64_t pes = 0, memory_ports = 0;
  double area_mm2 = 0;
  SweepStatus status = SweepStatus::failed;
  std::string reason;    ///< of one that was not measured
  SweepFigures figures;  ///< of one that was
  bool operator==(const SweepPoint&) const = default;
};

struct Sweep {
  std::string hardware, model, version;
  Objective objective = Objective::interval;
  std::uint32_t samples = 8;
  std::vector<SweepKey> keys;
  std::vector<SweepPoint> points;  ///< the last key varies fastest

  /// Microseconds of the objective: between two samples, or of the first period.
  double time_us(const SweepPoint& point) const;
};

/// Of one point among the others; only of measured ones.
struct SweepJudgement {
  bool pareto = false;  ///< no other point is at least as good in time, PEs, energy and area
  std::optional<std::size_t> dominated_by;  ///< the first point that is, and better in one
  double speedup = 0;                       ///< over the baseline
  double efficiency = 0;                    ///< speedup over the ratio of PEs
};

/// The smallest measured chip, with its values of the keys that do not change the number of PEs: scaling is
/// judged against it. None if nothing was measured.
std::optional<std::size_t> sweep_baseline(const Sweep& sweep, std::size_t point);
std::vector<SweepJudgement> judge(const Sweep& sweep);
/// The architect's question, answered in one line.
std::string sweep_answer(const Sweep& sweep);

/// A point as its point.json holds it; `identity` says of which inputs and which dfsim.
std::string sweep_point_json(const Sweep& sweep, const SweepPoint& point, const std::string& identity);
/// The point of a point.json with this identity; none if it has another, or is none of this version.
std::optional<SweepPoint> read_sweep_point(const std::string& text, const std::string& identity);
/// Takes the figures of a finished run from its measurement.json; `peak_macs` per cycle of all matrix units.
/// Throws std::exception if it is none.
SweepFigures sweep_figures(const std::string& measurement_json, double peak_macs);

std::string sweep_json(const Sweep& sweep);
std::string sweep_csv(const Sweep& sweep);
std::string sweep_html(const Sweep& sweep);
std::string sweep_text(const Sweep& sweep);

}  // namespace dfsim
