// planner/app/guarded.h: errors to exit codes, in one place.
#pragma once

#include <functional>
#include <string>

namespace dfsim {

/// Runs `work` and gives its exit code; an exception becomes a code, and its text goes to `message`.
int exit_code_of(const std::function<int()>& work, std::string& message);

}  // namespace dfsim
