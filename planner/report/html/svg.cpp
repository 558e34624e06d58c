#include "planner/report/html/svg.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>

#include "planner/report/html/text.h"

namespace dfsim::html {

namespace {

/// At most two decimals, no zeros behind.
std::string number(double value) {
  std::string text = fmt::format("{:.2f}", value);
  while (text.back() == '0') text.pop_back();
  if (text.back() == '.') text.pop_back();
  return text == "-0" ? "0" : text;
}

struct Rgb {
  std::uint8_t red, green, blue;
};
constexpr std::array<Rgb, 9> kCividis{{{0, 34, 78},
                                       {26, 56, 111},
                                       {62, 77, 107},
                                       {91, 98, 110},
                                       {121, 120, 120},
                                       {151, 142, 116},
                                       {184, 167, 105},
                                       {219, 193, 84},
                                       {254, 232, 56}}};
constexpr std::array<std::string_view, 8> kOkabeIto{"#0072B2", "#E69F00", "#009E73", "#CC79A7",
                                                    "#56B4E9", "#D55E00", "#F0E442", "#595959"};

Rgb mixed(double share) {
  const double at = std::clamp(share, 0.0, 1.0) * (kCividis.size() - 1);
  const auto low = std::min(static_cast<std::size_t>(at), kCividis.size() - 2);
  const double part = at - static_cast<double>(low);
  const auto mix = [&](std::uint8_t a, std::uint8_t b) {
    return static_cast<std::uint8_t>(std::lround(a + (b - a) * part));
  };
  const Rgb &a = kCividis[low], &b = kCividis[low + 1];
  return {mix(a.red, b.red), mix(a.green, b.green), mix(a.blue, b.blue)};
}

}  // namespace

Svg::Svg(std::string id, double width, double height, const std::string& title,
         const std::string& description) {
  const std::string w = number(width), h = number(height);
  out_ = fmt::format(
      "<svg role=\"img\" aria-labelledby=\"{0}-t {0}-d\" viewBox=\"0 0 {1} {2}\" width=\"{1}\" "
      "height=\"{2}\"><title id=\"{0}-t\">{3}</title><desc id=\"{0}-d\">{4}</desc>\n",
      id, w, h, escaped(title), escaped(description));
}

void Svg::end_shape(const char* element, std::string_view tip) {
  if (tip.empty())
    out_ += "/>\n";
  else
    out_ += fmt::format("><title>{}</title></{}>\n", escaped(tip), element);
}

void Svg::rect(double x, double y, double width, double height, std::string_view fill, std::string_view tip,
               std::string_view stroke) {
  out_ += fmt::format("<rect x=\"{}\" y=\"{}\" width=\"{}\" height=\"{}\" fill=\"{}\"", number(x), number(y),
                      number(width), number(height), fill);
  if (!stroke.empty()) out_ += fmt::format(" stroke=\"{}\"", stroke);
  end_shape("rect", tip);
}

void Svg::line(double x1, double y1, double x2, double y2, std::string_view stroke, double width,
               std::string_view tip, std::string_view dashes) {
  out_ += fmt::format("<line x1=\"{}\" y1=\"{}\" x2=\"{}\" y2=\"{}\" stroke=\"{}\" stroke-width=\"{}\"",
                      number(x1), number(y1), number(x2), number(y2), stroke, number(width));
  if (!dashes.empty()) out_ += fmt::format(" stroke-dasharray=\"{}\"", dashes);
  end_shape("line", tip);
}

void Svg::circle(double x, double y, double radius, std::string_view fill, std::string_view tip) {
  out_ += fmt::format("<circle cx=\"{}\" cy=\"{}\" r=\"{}\" fill=\"{}\"", number(x), number(y),
                      number(radius), fill);
  end_shape("circle", tip);
}

void Svg::path(std::string_view data, std::string_view fill, std::string_view stroke, double width,
               std::string_view tip) {
  out_ += fmt::format("<path d=\"{}\" fill=\"{}\"", data, fill);
  if (!stroke.empty()) out_ += fmt::format(" stroke=\"{}\" stroke-width=\"{}\"", stroke, number(width));
  end_shape("path", tip);
}

void Svg::text(double x, double y, std::string_view content, Anchor anchor, double size,
               std::string_view fill) {
  constexpr std::array<const char*, 3> kNames{"start", "middle", "end"};
  out_ += fmt::format("<text x=\"{}\" y=\"{}\" text-anchor=\"{}\" font-size=\"{}\" fill=\"{}\">{}</text>\n",
                      number(x), number(y), kNames[static_cast<std::size_t>(anchor)], number(size), fill,
                      escaped(content));
}

void Svg::open(std::string_view name) { out_ += fmt::format("<g class=\"{}\">\n", name); }
void Svg::open_thing(std::string_view kind, std::size_t index) {
  out_ += fmt::format("<g data-{}=\"{}\">\n", kind, index);
}
void Svg::close() { out_ += "</g>\n"; }

std::string Svg::finish() {
  out_ += "</svg>\n";
  return std::move(out_);
}

std::string shade(double share) {
  const Rgb rgb = mixed(share);
  return fmt::format("#{:02x}{:02x}{:02x}", rgb.red, rgb.green, rgb.blue);
}

std::string_view text_on_shade(double share) { return share < 0.55 ? "#fff" : "#000"; }

std::string_view series_colour(std::size_t index) { return kOkabeIto[index % kOkabeIto.size()]; }

std::string_view text_on_series(std::size_t index) {
  const std::size_t i = index % kOkabeIto.size();
  return i == 0 || i == 7 ? "#fff" : "#000";  // the blue and the grey are the dark ones
}

}  // namespace dfsim::html
