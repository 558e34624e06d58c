// planner/app/plan_inputs.h: a plan file with the hardware and the model it was made for.
#pragma once

#include <string>
#include <vector>

#include "planner/app/inputs.h"
#include "planner/report/plan_yaml.h"

namespace dfsim {

struct PlanInputs {
  std::string path;
  Inputs inputs;
  PlanFile file;
};

/// Reads the plan and what it refers to. A file whose content has another hash than the plan states is
/// refused; `overrides` change the hardware (or model) on purpose, afterwards. Throws InputError with all
/// mistakes.
PlanInputs load_plan(const std::string& path, const std::vector<std::string>& overrides);

}  // namespace dfsim
