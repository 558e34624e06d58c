#include "planner/app/progress.h"

#include <fmt/format.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <string_view>

namespace dfsim {

namespace {

constexpr std::chrono::milliseconds kRedraw{100};
constexpr int kBarCells = 24;

bool is_terminal() {
  const char* term = std::getenv("TERM");
  return ::isatty(STDERR_FILENO) == 1 && term && std::string_view(term) != "dumb";
}

std::size_t columns() {
  winsize size{};
  if (::ioctl(STDERR_FILENO, TIOCGWINSZ, &size) == 0 && size.ws_col > 0) return size.ws_col;
  return 80;
}

std::string cells(double share) {
  const int full = static_cast<int>(std::lround(std::clamp(share, 0.0, 1.0) * kBarCells));
  return std::string(static_cast<std::size_t>(full), '#') +
         std::string(static_cast<std::size_t>(kBarCells - full), '.');
}

}  // namespace

bool colours_on_stderr() {
  const char* no_colour = std::getenv("NO_COLOR");
  return is_terminal() && !(no_colour && *no_colour);
}

std::string duration_text(double seconds) {
  const auto whole = static_cast<std::uint64_t>(std::max(0.0, seconds) + 0.5);
  if (whole < 60) return fmt::format("{} s", whole);
  if (whole < 3600) return fmt::format("{}:{:02}", whole / 60, whole % 60);
  return fmt::format("{}:{:02}:{:02}", whole / 3600, whole / 60 % 60, whole % 60);
}

Progress::Progress(Verbosity verbosity)
    : verbosity_(verbosity),
      terminal_(is_terminal()),
      colours_(colours_on_stderr()),
      begin_(std::chrono::steady_clock::now()),
      last_(begin_ - kRedraw) {}

Progress::~Progress() { clear(); }

void Progress::clear() {
  if (!drawn_) return;
  std::fputs("\r\x1b[K", stderr);
  std::fflush(stderr);
  drawn_ = false;
}

void Progress::line(const std::string& text) {
  if (verbosity_ == Verbosity::quiet) return;
  clear();
  fmt::print(stderr, "{}\n", text);
}

void Progress::detail(const std::string& text) {
  if (verbosity_ == Verbosity::verbose) line(text);
}

void Progress::bar(std::optional<double> share, const std::string& text) {
  if (verbosity_ == Verbosity::quiet || !terminal_) return;
  const auto now = std::chrono::steady_clock::now();
  if (now - last_ < kRedraw) return;
  last_ = now;
  std::string drawn = share ? fmt::format("[{}] {:3.0f} % {}", cells(*share), 100 * *share, text)
                            : fmt::format("[{}] {}", std::string(kBarCells, '-'), text);
  drawn.resize(std::min(drawn.size(), columns() - 1));
  const bool colour = colours_ && drawn.size() > kBarCells + 2;
  if (colour)
    drawn = fmt::format("\x1b[36m{}\x1b[0m{}", drawn.substr(0, kBarCells + 2), drawn.substr(kBarCells + 2));
  fmt::print(stderr, "\r{}\x1b[K", drawn);
  std::fflush(stderr);
  drawn_ = true;
}

double Progress::seconds() const {
  return std::chrono::duration<double>(std::chrono::steady_clock::now() - begin_).count();
}

}  // namespace dfsim
