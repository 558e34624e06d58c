#include "planner/app/program_file.h"

#include "sim/api/program_json.h"
#include "sim/base/errors.h"
#include "sim/base/files.h"

namespace dfsim {

void write_program(const std::string& path, const Program& program) {
  write_file_atomically(path, program_to_json(program));
}

Program read_program(const std::string& path) {
  std::string text;
  try {
    text = read_file(path);
  } catch (const FileError& error) {
    throw ModelError({{{path, 1, 1}, error.what(), {}}});
  }
  return program_from_json(text, path);
}

}  // namespace dfsim
