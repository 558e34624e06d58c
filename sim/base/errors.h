// sim/base/errors.h: what can go wrong, and how it is said.
#pragma once

#include <stdexcept>
#include <string>
#include <vector>

namespace dfsim {

/// Where in the input something stands. Lines and columns count from 1; 0 means unknown (for example --set).
struct SourceLocation {
  std::string file;
  int line = 0;
  int column = 0;
  bool operator==(const SourceLocation&) const = default;
};

/// One mistake in the input: what is wrong, where, and how to mend it.
struct Diagnostic {
  SourceLocation where;
  std::string what;
  std::string hint;  ///< printed indented on a line of its own; may be empty

  /// `file:line:col: error: what` and, if there is a hint, a second line with it.
  std::string to_string() const;
};

/// All mistakes found in the input. Only `main` prints it; exit code 2.
class InputError : public std::runtime_error {
 public:
  explicit InputError(std::vector<Diagnostic> diagnostics);
  const std::vector<Diagnostic>& diagnostics() const { return diagnostics_; }

 private:
  std::vector<Diagnostic> diagnostics_;
};

/// A mistake in a hardware description.
class ConfigError : public InputError {
 public:
  using InputError::InputError;
};

/// A mistake in a model, plan or program file.
class ModelError : public InputError {
 public:
  using InputError::InputError;
};

/// A broken invariant of the simulator or planner: our bug. Exit code 1.
class SimulationError : public std::logic_error {
 public:
  using std::logic_error::logic_error;
};

/// Collects mistakes so that a file is reported in one go.
class Diagnostics {
 public:
  void error(SourceLocation where, std::string what, std::string hint = {});
  bool empty() const { return list_.empty(); }
  const std::vector<Diagnostic>& list() const { return list_; }

  /// Throws `Error` with everything collected, sorted by file, line and column, if there is anything.
  template <class Error>
  void throw_if_any() const {
    if (!list_.empty()) throw Error(sorted());
  }

 private:
  std::vector<Diagnostic> sorted() const;
  std::vector<Diagnostic> list_;
};

/// The name of `known` nearest to `name` by edit distance, or empty if none is near (more than a third of its
/// letters differ).
std::string nearest_name(const std::string& name, const std::vector<std::string>& known);

}  // namespace dfsim
