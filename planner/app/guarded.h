// planner/app/guarded.h: the one place that prints errors and turns them into exit codes.
#pragma once

#include <functional>

namespace dfsim {

/// Exit code of `command`, which may throw.
int guarded(const std::function<int()>& command);

}  // namespace dfsim
