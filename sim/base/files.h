// sim/base/files.h: whole files in, whole files out, and where input files are looked for.
#pragma once

#include <optional>
#include <stdexcept>
#include <string>
#include <vector>

namespace dfsim {

/// A file could not be read or written; the text names the file and the system's reason.
class FileError : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

/// The bytes of `path`. Throws FileError if it cannot be read or is a folder.
std::string read_file(const std::string& path);

/// Writes `content` under a temporary name in the folder of `path` and renames it, so that a reader, or a
/// kill at any moment, sees the old file or the new one, never a part. Makes missing folders. Throws
/// FileError.
void write_file_atomically(const std::string& path, const std::string& content);

/// Every place where find_input_file looks, in order: the name as given; and, for a name without a folder,
/// `folder`/ below the current folder, then for each folder of $DFSIM_PATH (separated by ':') that folder and
/// `folder`/ below it, then <prefix>/share/dfsim/`folder`, where <prefix>/bin holds `executable`. Each place
/// is also tried with ".yaml" appended if the name does not end so.
std::vector<std::string> input_file_candidates(const std::string& name, const std::string& folder,
                                               const std::string& executable = {});

/// The first candidate that is a file, for example find_input_file("mesh8x8.yaml", "configs"). `executable`
/// empty: the running program. None if there is no such file: report the name with input_file_candidates().
std::optional<std::string> find_input_file(const std::string& name, const std::string& folder,
                                           const std::string& executable = {});

}  // namespace dfsim
