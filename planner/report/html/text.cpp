#include "planner/report/html/text.h"

#include <fmt/format.h>

#include <array>
#include <cmath>
#include <nlohmann/json.hpp>

#include "sim/base/html.h"

namespace dfsim::html {

namespace {

/// Through the JSON library, which replaces what is no UTF-8.
std::string valid_utf8(std::string_view text) {
  using nlohmann::json;
  const std::string quoted = json(std::string(text)).dump(-1, ' ', false, json::error_handler_t::replace);
  return json::parse(quoted).get<std::string>();
}

struct Scale {
  double factor;
  const char* unit;
};

template <std::size_t N>
std::string scaled(double value, const std::array<Scale, N>& scales) {
  for (const Scale& scale : scales)
    if (std::abs(value) >= scale.factor) return fmt::format("{:.3g}{}", value / scale.factor, scale.unit);
  return fmt::format("{:.3g}{}", value / scales.back().factor, scales.back().unit);
}

}  // namespace

std::string escaped(std::string_view text) { return html_escaped(valid_utf8(text)); }

std::string script_safe(std::string json) {
  std::string out;
  out.reserve(json.size());
  for (const char c : json) {
    if (c == '<' || c == '>' || c == '&')
      out += fmt::format("\\u{:04x}", static_cast<unsigned>(c));
    else
      out += c;
  }
  return out;
}

std::string grouped(std::uint64_t value) {
  std::string text = std::to_string(value);
  for (std::ptrdiff_t at = std::ssize(text) - 3; at > 0; at -= 3)
    text.insert(static_cast<std::size_t>(at), ",");
  return text;
}

std::string time_text(double cycles, std::uint64_t clock_period_ps) {
  static constexpr std::array<Scale, 4> kScales{{{1e9, " s"}, {1e6, " ms"}, {1e3, " us"}, {1, " ns"}}};
  return scaled(cycles * static_cast<double>(clock_period_ps) / 1000.0, kScales);
}

std::string bytes_text(double bytes) {
  static constexpr std::array<Scale, 4> kScales{
      {{1073741824.0, " GiB"}, {1048576.0, " MiB"}, {1024.0, " KiB"}, {1, " B"}}};
  return scaled(bytes, kScales);
}

std::string energy_text(double picojoules) {
  static constexpr std::array<Scale, 4> kScales{{{1e12, " J"}, {1e9, " mJ"}, {1e6, " uJ"}, {1, " pJ"}}};
  return scaled(picojoules, kScales);
}

std::string percent_text(double part, double whole) {
  if (whole <= 0) return "-";
  const double percent = 100 * part / whole;
  return fmt::format("{:.{}f} %", percent, percent != 0 && percent < 9.95 ? 1 : 0);
}

std::string short_number(double value) {
  static constexpr std::array<Scale, 5> kScales{{{1e12, "T"}, {1e9, "G"}, {1e6, "M"}, {1e3, "k"}, {1, ""}}};
  return scaled(value, kScales);
}

}  // namespace dfsim::html
