// The map of the hardware: one picture per NoC (and layer), drawn three times over; the page shows one.
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <functional>

#include "planner/report/html/sections.h"
#include "planner/report/html/svg.h"
#include "planner/report/html/text.h"
#include "planner/report/html/time_slider.h"

namespace dfsim::html {

namespace {

constexpr double kMargin = 44, kPort = 16, kArrow = 5;
constexpr double kMostPitch = 92, kLeastPitch = 58, kWanted = 640;  ///< from PE to PE; width of a map
constexpr double kTileShare = 0.62;                                 ///< share of the pitch that the PE takes
constexpr std::array<const char*, 3> kViews{"utilisation", "stalls", "bytes"};
constexpr std::array<const char*, kStallCauses> kShort{"bank", "dram", "credit", "grant", "dep", "idle"};

double share(std::uint64_t part, std::uint64_t whole) {
  return whole == 0 ? 0 : static_cast<double>(part) / static_cast<double>(whole);
}

/// One layer of one NoC.
class Layer {
 public:
  Layer(const ReportData& data, std::uint32_t noc, std::uint32_t z)
      : data_(data), spec_(data.hardware->nocs[noc]), noc_(noc), z_(z) {
    pitch_ = std::clamp(kWanted / spec_.graph.extent[0], kLeastPitch, kMostPitch);
    tile_ = std::round(kTileShare * pitch_);
    gap_ = pitch_ - tile_;
    for (const PeData& pe : data.pes) most_pe_bytes_ = std::max(most_pe_bytes_, pe.bytes());
    for (const LinkData& link : data.links) most_flits_ = std::max(most_flits_, link.flits);
    for (const PortData& port : data.ports)
      most_port_bytes_ = std::max(most_port_bytes_, port.read + port.write);
  }

  std::string draw() {
    const auto& extent = spec_.graph.extent;
    const std::string name =
        extent[2] > 1 ? fmt::format("chip{}, z = {}", noc_, z_) : fmt::format("chip{}", noc_);
    Svg svg(
        fmt::format("map{}-{}", noc_, z_), 2 * kMargin + extent[0] * pitch_ - gap_,
        2 * kMargin + extent[1] * pitch_ - gap_ + 22, "Map of " + name,
        "PEs as squares, links between their routers as arrows, memory and Ethernet ports as small squares "
        "beside their router. The values are in the tables PEs, Links and Memory ports.");
    svg.text(kMargin, 12, name + ": x to the right, y down", Anchor::start, 13);
    for (std::size_t view = 0; view < kViews.size(); ++view) {
      svg.open(fmt::format("view-{}", kViews[view]));
      for (std::size_t i = 0; i < data_.links.size(); ++i)
        if (data_.links[i].noc == noc_)
          thing(svg, view, "link", i, [&] { draw_link(svg, data_.links[i], view); });
      for (std::size_t i = 0; i < data_.pes.size(); ++i)
        if (data_.pes[i].noc == noc_ && data_.pes[i].z == z_)
          thing(svg, view, "pe", i, [&] { draw_pe(svg, data_.pes[i], view); });
      draw_ports(svg, view);
      svg.close();
    }
    return svg.finish();
  }

 private:
  double left(std::uint32_t x) const { return kMargin + x * pitch_; }
  double top(std::uint32_t y) const { return kMargin + 14 + y * pitch_; }

  /// Only the first view changes with time.
  template <class Draw>
  static void thing(Svg& svg, std::size_t view, const char* kind, std::size_t index, Draw draw) {
    if (view == 0) svg.open_thing(kind, index);
    draw();
    if (view == 0) svg.close();
  }

  void draw_pe(Svg& svg, const PeData& pe, std::size_t view) {
    const double busy = share(pe.busy, data_.cycles), stalled = share(pe.stalled(), data_.cycles);
    double value = busy;
    std::string label = percent_text(static_cast<double>(pe.busy), static_cast<double>(data_.cycles)), second;
    if (view == 1) {
      value = stalled;
      label = percent_text(static_cast<double>(pe.stalled()), static_cast<double>(data_.cycles));
      second = kShort[static_cast<std::size_t>(pe.worst())];
    } else if (view == 2) {
      value = share(pe.bytes(), most_pe_bytes_);
      label = short_number(static_cast<double>(pe.bytes())) + "B";
    }
    std::string tip =
        fmt::format("PE {},{}: busy {}", pe.x, pe.y,
                    percent_text(static_cast<double>(pe.busy), static_cast<double>(data_.cycles)));
    if (view == 1)
      for (std::size_t c = 0; c < kStallCauses; ++c)
        if (pe.stalls[c] > 0)
          tip +=
              fmt::format(", {} {}", to_string(static_cast<StallCause>(c)),
                          percent_text(static_cast<double>(pe.stalls[c]), static_cast<double>(data_.cycles)));
    if (view == 2)
      tip +=
          fmt::format("; sent {}, received {}, loaded {}, stored {}",
                      bytes_text(static_cast<double>(pe.sent)), bytes_text(static_cast<double>(pe.received)),
                      bytes_text(static_cast<double>(pe.loaded)), bytes_text(static_cast<double>(pe.stored)));
    svg.rect(left(pe.x), top(pe.y), tile_, tile_, shade(value), tip, "#555");
    const double middle = left(pe.x) + tile_ / 2;
    svg.text(middle, top(pe.y) + tile_ / 2 + (second.empty() ? 4 : -1), label, Anchor::middle, 10,
             text_on_shade(value));
    if (!second.empty())
      svg.text(middle, top(pe.y) + tile_ / 2 + 12, second, Anchor::middle, 9, text_on_shade(value));
  }

  /// The two directions of a channel lie side by side; a channel that closes a ring is drawn as a short line
  /// at each of its ends.
  void draw_link(Svg& svg, const LinkData& link, std::size_t view) {
    const auto a = spec_.graph.coordinates(RouterId(link.from)),
               b = spec_.graph.coordinates(RouterId(link.to));
    if (a[2] != z_ || b[2] != z_) return;
    const bool along_x = a[1] == b[1];
    const bool positive = along_x ? b[0] > a[0] : b[1] > a[1];
    const std::uint32_t apart =
        along_x ? (positive ? b[0] - a[0] : a[0] - b[0]) : (positive ? b[1] - a[1] : a[1] - b[1]);
    const bool wraps = apart > 1;
    const double direction = positive != wraps ? 1 : -1;
    const double side = (direction > 0 ? -1 : 1) * 6.0;
    const double ax = left(a[0]) + tile_ / 2, ay = top(a[1]) + tile_ / 2;
    const double half = tile_ / 2, length = gap_ - 2;
    const double x1 = along_x ? ax + direction * (half + 1) : ax - side;
    const double y1 = along_x ? ay + side : ay + direction * (half + 1);
    const double x2 = along_x ? x1 + direction * length : x1, y2 = along_x ? y1 : y1 + direction * length;
    const double busy = share(link.flits, data_.cycles);
    const double value = view == 2 ? share(link.flits, most_flits_) : busy;
    const std::string colour = view == 1 ? "#c8c8c8" : shade(value);
    const std::string tip =
        fmt::format("link {},{} > {},{}: busy {}, {} in flits", a[0], a[1], b[0], b[1],
                    percent_text(static_cast<double>(link.flits), static_cast<double>(data_.cycles)),
                    bytes_text(static_cast<double>(link.flits) * spec_.link_width_bytes));
    const double wing = kArrow - 1;
    const double bx = along_x ? x2 - direction * kArrow : x2, by = along_x ? y2 : y2 - direction * kArrow;
    const std::string head = along_x ? fmt::format("M{:.1f} {:.1f}L{:.1f} {:.1f}L{:.1f} {:.1f}Z", x2, y2, bx,
                                                   by - wing, bx, by + wing)
                                     : fmt::format("M{:.1f} {:.1f}L{:.1f} {:.1f}L{:.1f} {:.1f}Z", x2, y2,
                                                   bx - wing, by, bx + wing, by);
    svg.line(x1, y1, bx, by, colour, view == 1 ? 2 : 2 + 3 * value, tip);
    svg.path(head, colour);
  }

  /// Memory ports outside the edge nearest to their router, Ethernet ports and bridges to the host on the
  /// other side of it.
  void draw_ports(Svg& svg, std::size_t view) {
    for (const EndpointSpec& endpoint : spec_.endpoints) {
      if (endpoint.kind == EndpointKind::pe) continue;
      const auto at = spec_.graph.coordinates(endpoint.router);
      if (at[2] != z_) continue;
      const bool ethernet = endpoint.kind == EndpointKind::ethernet_port;
      const bool bridge = endpoint.kind == EndpointKind::host_bridge;
      const auto [x, y] = port_place(at[0], at[1], ethernet || bridge);
      double value = 0;
      std::string tip = fmt::format("{} {} at router {},{}",
                                    ethernet ? "Ethernet port"
                                    : bridge ? "bridge to the host, port"
                                             : "memory port",
                                    endpoint.index, at[0], at[1]);
      const auto port = std::find_if(data_.ports.begin(), data_.ports.end(),
                                     [&](const PortData& p) { return p.port == endpoint.index; });
      const bool known = !ethernet && port != data_.ports.end();
      if (known) {
        value =
            view == 2 ? share(port->read + port->write, most_port_bytes_) : share(port->busy, data_.cycles);
        tip += fmt::format(": busy {}, read {}, written {}",
                           percent_text(static_cast<double>(port->busy), static_cast<double>(data_.cycles)),
                           bytes_text(static_cast<double>(port->read)),
                           bytes_text(static_cast<double>(port->write)));
      }
      const bool plain = !known || view == 1;
      const bool changes = known && view == 0;
      if (changes) svg.open_thing("port", static_cast<std::size_t>(port - data_.ports.begin()));
      svg.rect(x, y, kPort, kPort, plain ? "#e4e4e4" : shade(value), tip, ethernet ? "#0072B2" : "#222");
      svg.text(x + kPort / 2, y + kPort / 2 + 3,
               ethernet ? "E"
               : bridge ? "H"
                        : "M",
               Anchor::middle, 9, plain ? "#222" : text_on_shade(value));
      if (changes) svg.close();
    }
  }
  std::pair<double, double> port_place(std::uint32_t x, std::uint32_t y, bool ethernet) const {
    const auto& extent = spec_.graph.extent;
    const double near = 8 + kPort, offset = ethernet ? tile_ - kPort : 0;
    if (x == 0) return {left(x) - near, top(y) + offset};
    if (x + 1 == extent[0]) return {left(x) + tile_ + 8, top(y) + offset};
    if (y == 0) return {left(x) + offset, top(y) - near};
    if (y + 1 == extent[1]) return {left(x) + offset, top(y) + tile_ + 8};
    return {left(x) + tile_ - kPort / 2, top(y) + tile_ - kPort / 2};
  }

  const ReportData& data_;
  const NocSpec& spec_;
  std::uint32_t noc_, z_;
  double pitch_ = 0, tile_ = 0, gap_ = 0;
  std::uint64_t most_pe_bytes_ = 0, most_flits_ = 0, most_port_bytes_ = 0;
};

std::string legend() {
  Svg svg("map-legend", 420, 26, "Colour scale",
          "From dark, nothing, to light, all cycles or the most bytes.");
  for (int i = 0; i < 32; ++i) svg.rect(70 + i * 6, 4, 6, 14, shade(i / 31.0));
  svg.text(66, 15, "0", Anchor::end);
  svg.text(268, 15, "100 % / most", Anchor::start);
  return svg.finish();
}

}  // namespace

std::string map_section(const ReportData& data) {
  std::string body =
      "<p>Share of the cycles of the whole run. Arrows are directed links, M memory ports, E "
      "Ethernet ports. Point at anything for its numbers.</p>\n";
  // The inputs stand before what they show: the style sheet does the switching, without a script.
  body += "<div class=\"switch\">\n";
  for (const char* view : kViews)
    body += fmt::format(
        "<input type=\"radio\" name=\"map-view\" id=\"show-{0}\"{1}><label for=\"show-{0}\">{0}</label>\n",
        view, view == kViews[0] ? " checked" : "");
  body += legend() + time_slider(data);
  body += "<div class=\"maps\">\n";
  for (std::uint32_t n = 0; n < data.hardware->nocs.size(); ++n)
    for (std::uint32_t z = 0; z < data.hardware->nocs[n].graph.extent[2]; ++z)
      body += Layer(data, n, z).draw();
  body +=
      "</div>\n<p class=\"hint\">utilisation: cycles in which a PE computed, a link carried a flit, a port "
      "moved data. stalls: cycles in which a PE did not compute, and the most frequent cause (bank, dram, "
      "credit, grant, dep, idle). bytes: what went in and out, against the most of a kind.</p>\n</div>\n";
  return section("map", "Map", body);
}

}  // namespace dfsim::html
