// planner/app/sweep_points.h: from --vary to the points of a sweep, each with its inputs read and checked.
#pragma once

#include <string>
#include <vector>

#include "planner/app/inputs.h"
#include "planner/app/options.h"
#include "planner/report/sweep.h"

namespace dfsim {

struct SweepOptions : PlanOptions {
  std::vector<std::string> vary;  ///< "noc.dims=4x4,8x8" each
};

/// A point before it is run.
struct SweepTask {
  SweepPoint point;      ///< all that is known without a run
  PlanOptions options;   ///< of the run: its overrides, its folder
  std::string identity;  ///< changes with everything that can change the result
  double peak_macs = 0;  ///< per cycle of all matrix units
};

/// Values are separated by commas outside of brackets and quotes. Throws InputError for what is no
/// `key=value,value`, names a key or a value twice, or makes too many points.
std::vector<SweepKey> sweep_keys(const std::vector<std::string>& vary);

/// A point per combination, the last key varying fastest; `out` is the folder of the sweep. Reads the inputs
/// of each, so that mistakes are found before anything runs: throws InputError with those of all points.
std::vector<SweepTask> sweep_tasks(const SweepOptions& options, const std::vector<SweepKey>& keys,
                                   const std::string& out, Sweep& sweep);

}  // namespace dfsim
