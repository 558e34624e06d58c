// sim/api/program_json.h: programs as JSON. Compact (flat arrays of numbers per PE), exact: reading what was
// written gives an equal Program.
#pragma once

#include <string>

#include "sim/api/program.h"

namespace dfsim {

inline constexpr int kProgramJsonVersion = 1;

/// The file's layout is described in docs/program.md. Text is escaped; the order of everything is that of the
/// Program.
std::string program_to_json(const Program& program);

/// Throws ModelError naming `file` and the place in it (a JSON pointer) if the text is no program: syntax,
/// missing or unknown keys, wrong types, numbers out of range. What the numbers refer to is checked by the
/// simulator's loader.
Program program_from_json(const std::string& text, const std::string& file);

}  // namespace dfsim
