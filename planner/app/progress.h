// planner/app/progress.h: what a long command says on stderr while it works.
#pragma once

#include <chrono>
#include <cstdint>
#include <optional>
#include <string>

namespace dfsim {

enum class Verbosity : std::uint8_t { quiet, normal, verbose };

/// Lines that stay, in a pipe as on a terminal; and on a terminal a last line with a bar that is drawn again
/// and again. Nothing of either when quiet. Colours only on a terminal that has them, and not with NO_COLOR
/// set (no-color.org).
class Progress {
 public:
  explicit Progress(Verbosity verbosity);
  ~Progress();  ///< takes the bar away
  Progress(const Progress&) = delete;
  Progress& operator=(const Progress&) = delete;

  void line(const std::string& text);
  void detail(const std::string& text);  ///< a line, if verbose
  /// Draws the bar, ten times a second at most. `share` between 0 and 1; none: not known.
  void bar(std::optional<double> share, const std::string& text);
  double seconds() const;  ///< since this was made

 private:
  void clear();
  Verbosity verbosity_;
  bool terminal_, colours_;
  bool drawn_ = false;
  std::chrono::steady_clock::time_point begin_, last_;
};

/// "1:02:03", "2:03", "3 s"
std::string duration_text(double seconds);

/// Whether stderr is a terminal that shows colours, and the user has not set NO_COLOR.
bool colours_on_stderr();

}  // namespace dfsim
