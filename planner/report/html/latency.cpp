#include <fmt/format.h>

#include <algorithm>
#include <numeric>

#include "planner/report/html/axis.h"
#include "planner/report/html/sections.h"
#include "planner/report/html/svg.h"
#include "planner/report/html/text.h"

namespace dfsim::html {

namespace {

constexpr double kLeft = 80, kTop = 30, kWidth = 640, kHeight = 200, kBottom = 40;

struct Histogram {
  std::vector<std::uint64_t> from, packets, in_network;  ///< one more `from` than buckets
};

Histogram histogram_of(const nlohmann::ordered_json& json) {
  Histogram h;
  h.from = json.at("from_cycles").get<std::vector<std::uint64_t>>();
  h.packets = json.at("packets").get<std::vector<std::uint64_t>>();
  h.in_network = json.at("in_network").get<std::vector<std::uint64_t>>();
  if (h.from.size() != h.packets.size() || h.from.size() != h.in_network.size())
    throw std::runtime_error("activity.json: wrong number of buckets of packet_latency");
  if (!h.from.empty()) h.from.push_back(h.from.back() + std::max<std::uint64_t>(1, h.from.back() / 4));
  return h;
}

std::uint64_t sum(const std::vector<std::uint64_t>& list) {
  return std::accumulate(list.begin(), list.end(), std::uint64_t{0});
}

/// The least latency of the bucket in which the given share of the packets is reached.
std::uint64_t percentile(const Histogram& h, const std::vector<std::uint64_t>& counts, double share) {
  const double wanted = share * static_cast<double>(sum(counts));
  double seen = 0;
  for (std::size_t b = 0; b < counts.size(); ++b) {
    seen += static_cast<double>(counts[b]);
    if (seen >= wanted) return h.from[b];
  }
  return 0;
}

std::string picture(const Histogram& h) {
  const auto first = std::find_if(h.packets.begin(), h.packets.end(), [](std::uint64_t n) { return n > 0; });
  const auto network =
      std::find_if(h.in_network.begin(), h.in_network.end(), [](std::uint64_t n) { return n > 0; });
  const std::size_t begin =
      static_cast<std::size_t>(std::min(first - h.packets.begin(), network - h.in_network.begin()));
  const std::size_t buckets = h.packets.size() - begin;
  const double most =
      static_cast<double>(std::max(*std::max_element(h.packets.begin(), h.packets.end()),
                                   *std::max_element(h.in_network.begin(), h.in_network.end())));
  const Axis y(0, most * 1.05, kTop + kHeight, kTop);
  const double step = kWidth / static_cast<double>(buckets);
  Svg svg("latency-p", kLeft + kWidth + 40, kTop + kHeight + kBottom, "Packets by latency",
          "Two bars per bucket of latency: from the creation of a packet, and from its head's entering the "
          "network, to "
          "the arrival of its tail.");
  for (const double tick : y.ticks(5)) {
    svg.line(kLeft, y.at(tick), kLeft + kWidth, y.at(tick), "#ddd");
    svg.text(kLeft - 6, y.at(tick) + 4, short_number(tick), Anchor::end, 10);
  }
  const std::size_t label_every = std::max<std::size_t>(1, buckets / 12);
  for (std::size_t b = 0; b < buckets; ++b) {
    const double x = kLeft + step * static_cast<double>(b);
    const std::uint64_t from = h.from[begin + b], until = h.from[begin + b + 1];
    const auto bar = [&](std::size_t series, std::uint64_t packets, const char* what) {
      const double top = y.at(static_cast<double>(packets));
      svg.rect(x + (0.08 + 0.42 * static_cast<double>(series)) * step, top, 0.42 * step, kTop + kHeight - top,
               series_colour(series),
               fmt::format("{} to {} cycles {}: {} packets", from, until - 1, what, grouped(packets)));
    };
    bar(0, h.packets[begin + b], "since creation");
    bar(1, h.in_network[begin + b], "in the network");
    if (b % label_every == 0)
      svg.text(x, kTop + kHeight + 16, short_number(static_cast<double>(from)), Anchor::start, 10);
  }
  svg.text(kLeft + kWidth, kTop + kHeight + 32, "cycles, at least", Anchor::end);
  svg.text(kLeft - 60, 14, "packets");
  svg.rect(kLeft + 60, 4, 12, 12, series_colour(0), {}, "#333");
  svg.text(kLeft + 76, 14, "since creation");
  svg.rect(kLeft + 190, 4, 12, 12, series_colour(1), {}, "#333");
  svg.text(kLeft + 206, 14, "in the network");
  return svg.finish();
}

}  // namespace

std::string latency_section(const ReportData& data) {
  const bool known = !data.activity.is_null() && data.activity.contains("packet_latency");
  const Histogram h = known ? histogram_of(data.activity.at("packet_latency")) : Histogram{};
  if (sum(h.packets) == 0)
    return section("latency", "Packet latency", "<p>No packets with data were recorded for this run.</p>\n");
  std::string body = fmt::format(
      "<p>Half of the {} data packets of the run took at least {} cycles from their creation to the arrival "
      "of their tail, "
      "one in a hundred at least {}; in the network, without the wait in the source queue, {} and {}. "
      "Buckets are a quarter "
      "of a doubling wide.</p>\n",
      grouped(sum(h.packets)), percentile(h, h.packets, 0.5), percentile(h, h.packets, 0.99),
      percentile(h, h.in_network, 0.5), percentile(h, h.in_network, 0.99));
  body += picture(h);
  std::vector<std::vector<std::string>> rows;
  for (std::size_t b = 0; b < h.packets.size(); ++b)
    if (h.packets[b] + h.in_network[b] > 0)
      rows.push_back({fmt::format("{} to {}", h.from[b], h.from[b + 1] - 1), grouped(h.packets[b]),
                      grouped(h.in_network[b])});
  body += "<details><summary>Packets by latency as a table</summary>\n" +
          table("Packets by latency", {"cycles", "since creation", "in the network"}, rows) + "</details>\n";
  return section("latency", "Packet latency", body);
}

}  // namespace dfsim::html
