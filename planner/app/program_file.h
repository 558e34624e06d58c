// planner/app/program_file.h: program.json on disk.
#pragma once

#include <string>

#include "sim/api/program.h"

namespace dfsim {

/// Throws FileError.
void write_program(const std::string& path, const Program& program);
/// Throws ModelError for a file that is missing or holds no program.
Program read_program(const std::string& path);

}  // namespace dfsim
