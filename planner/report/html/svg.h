// planner/report/html/svg.h: pictures as SVG, written piece by piece. Presentation attributes only: the
// page's security policy forbids style attributes.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

namespace dfsim::html {

enum class Anchor : std::uint8_t { start, middle, end };

class Svg {
 public:
  /// `title` and `description` are read aloud in place of the picture. `id` is unique in the page.
  Svg(std::string id, double width, double height, const std::string& title, const std::string& description);

  /// Shapes may carry a `tip`, shown when pointed at.
  void rect(double x, double y, double width, double height, std::string_view fill, std::string_view tip = {},
            std::string_view stroke = {});
  void line(double x1, double y1, double x2, double y2, std::string_view stroke, double width = 1,
            std::string_view tip = {}, std::string_view dashes = {});
  void circle(double x, double y, double radius, std::string_view fill, std::string_view tip = {});
  /// Path data, filled or drawn as a line.
  void path(std::string_view data, std::string_view fill, std::string_view stroke = {}, double width = 1,
            std::string_view tip = {});
  void text(double x, double y, std::string_view content, Anchor anchor = Anchor::start, double size = 11,
            std::string_view fill = "#222");
  /// Everything until close() belongs to the CSS class `name`.
  void open(std::string_view name);
  /// Everything until close() is thing number `index` of its kind: data-<kind>="<index>", for the script.
  void open_thing(std::string_view kind, std::size_t index);
  void close();

  /// The element. Nothing can be added afterwards.
  std::string finish();

 private:
  void end_shape(const char* element, std::string_view tip);
  std::string out_;
};

/// A colour between dark blue and yellow for a share between 0 and 1, told apart by people who see no red or
/// no green, and in print by its lightness (the map "cividis" of Nunez, Anderton, Renslow, 2018, at nine
/// points).
std::string shade(double share);
/// Black or white, whichever is read better on shade(share).
std::string_view text_on_shade(double share);
/// Eight colours that can be told apart by everybody (Okabe and Ito, 2008).
std::string_view series_colour(std::size_t index);
/// Black or white, whichever is read better on series_colour(index).
std::string_view text_on_series(std::size_t index);

}  // namespace dfsim::html
