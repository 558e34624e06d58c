// Positions on the grid, absolute or relative to its extent.
#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <set>

#include "sim/hw/sections.h"
#include "sim/hw/topology/topology.h"

namespace dfsim {
namespace {

struct NamedPlace {
  std::string name;
  std::uint32_t (*at)(std::uint32_t size);
};

std::uint32_t first(std::uint32_t) { return 0; }
std::uint32_t last(std::uint32_t size) { return size - 1; }
std::uint32_t low_middle(std::uint32_t size) { return (size - 1) / 2; }
std::uint32_t high_middle(std::uint32_t size) { return size / 2; }

/// Names of positions along x, y and z. x grows to the east, y to the north.
const std::vector<NamedPlace>& named_places(std::size_t dimension) {
  static const std::vector<NamedPlace> x{
      {"west", first}, {"center_west", low_middle}, {"center_east", high_middle}, {"east", last}};
  static const std::vector<NamedPlace> y{
      {"south", first}, {"center_south", low_middle}, {"center_north", high_middle}, {"north", last}};
  static const std::vector<NamedPlace> z{
      {"bottom", first}, {"center_bottom", low_middle}, {"center_top", high_middle}, {"top", last}};
  return dimension == 0 ? x : dimension == 1 ? y : z;
}

/// One coordinate: a number below the extent, or a name.
std::optional<std::uint32_t> read_coordinate(const YamlValue& value, std::size_t dimension,
                                             const LinkGraph& graph) {
  const std::uint32_t size = graph.extent[dimension];
  if (value.is_scalar()) {
    const std::string& text = value.node()->scalar;
    std::vector<std::string> names;
    for (const NamedPlace& place : named_places(dimension)) {
      if (place.name == text) return place.at(size);
      names.push_back(place.name);
    }
    std::uint32_t number = 0;
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
    if (error == std::errc() && end == text.data() + text.size()) {
      if (number < size) return number;
      value.error(
          fmt::format("{}: {} = {} is outside the grid of {} routers", value.path(), "xyz"[dimension], number,
                      fmt::join(graph.extent.begin(), graph.extent.begin() + graph.dimensions, "x")),
          fmt::format("0 to {}, or {}", size - 1, fmt::join(names, ", ")));
      return std::nullopt;
    }
    const std::string nearest = nearest_name(text, names);
    value.error(fmt::format("{}: unknown position '{}' along {}", value.path(), text, "xyz"[dimension]),
                nearest.empty() ? fmt::format("known: 0 to {}, {}", size - 1, fmt::join(names, ", "))
                                : fmt::format("did you mean '{}'?", nearest));
    return std::nullopt;
  }
  value.string();  // reports the wrong type
  return std::nullopt;
}

/// Routers whose coordinate in `dimension` is one of those that `lines` lists.
void add_lines(const YamlValue& lines, std::size_t dimension, const LinkGraph& graph,
               std::set<RouterId>& routers) {
  for (const YamlValue& line : lines.items_or_one()) {
    const std::optional<std::uint32_t> at = read_coordinate(line, dimension, graph);
    if (!at) continue;
    for (std::uint32_t id = 0; id < graph.router_count(); ++id)
      if (graph.coordinates(RouterId(id))[dimension] == *at) routers.insert(RouterId(id));
  }
}

}  // namespace

std::vector<std::uint32_t> read_extent(const YamlValue& value, const std::string& topology) {
  std::vector<std::uint32_t> extent;
  const std::string expected = "expected the routers per dimension, such as 8x8, [8, 8] or 4x4x2";
  if (value.is_scalar()) {
    const std::string& text = value.node()->scalar;
    const char* at = text.data();
    const char* const end = text.data() + text.size();
    while (true) {
      std::uint32_t size = 0;
      const auto [stop, error] = std::from_chars(at, end, size);
      if (error != std::errc() || (stop != end && *stop != 'x')) {
        value.error(fmt::format("{}: {}, found '{}'", value.path(), expected, text));
        return {};
      }
      extent.push_back(size);
      if (stop == end) break;
      at = stop + 1;
    }
  } else {
    for (const YamlValue& size : value.items())
      extent.push_back(static_cast<std::uint32_t>(size.integer(0, 1'000'000'000, 1)));
  }
  if (const std::string reason = refuse_extent(topology, extent); !reason.empty()) {
    value.error(fmt::format("{} = {}: {}", value.path(), fmt::join(extent, "x"), reason));
    return {};
  }
  return extent;
}

std::optional<RouterId> read_place(const YamlValue& place, const LinkGraph& graph) {
  const std::vector<YamlValue> coordinates = place.items_or_one();
  if (place.is_mapping() || coordinates.size() != graph.dimensions) {
    place.error(fmt::format("{}: expected {} coordinate{} for a {} of {} dimension{}", place.path(),
                            graph.dimensions, graph.dimensions == 1 ? "" : "s", graph.topology,
                            graph.dimensions, graph.dimensions == 1 ? "" : "s"),
                "for example [0, 3] or [west, center_north]");
    return std::nullopt;
  }
  std::array<std::uint32_t, 3> at{};
  bool good = true;
  for (std::size_t d = 0; d < coordinates.size(); ++d) {
    const std::optional<std::uint32_t> coordinate = read_coordinate(coordinates[d], d, graph);
    good = good && coordinate;
    at[d] = coordinate.value_or(0);
  }
  if (!good) return std::nullopt;
  return graph.router_at(at[0], at[1], at[2]);
}

std::vector<RouterId> read_places(const YamlValue& ports, const LinkGraph& graph) {
  std::vector<RouterId> result;
  if (ports.is_mapping()) {
    const YamlValue columns = ports["columns"], rows = ports["rows"];
    if (graph.topology == "ring" || graph.dimensions == 3)
      ports.error(
          fmt::format("{}: columns and rows mean nothing on a ring or in three dimensions", ports.path()),
          "list the coordinates: ports: [[0, 0, 0], [3, 3, 1]]");
    std::set<RouterId> routers;
    add_lines(columns, 0, graph, routers);
    if (rows && graph.dimensions == 1)
      rows.error(fmt::format("{}: one dimension has no rows", rows.path()));
    else
      add_lines(rows, 1, graph, routers);
    result.assign(routers.begin(), routers.end());
    return result;
  }
  std::set<RouterId> seen;
  for (const YamlValue& place : ports.items()) {
    const std::optional<RouterId> router = read_place(place, graph);
    if (!router) continue;
    if (!seen.insert(*router).second)
      place.error(fmt::format("{}: a port is at this router already", place.path()));
    else
      result.push_back(*router);
  }
  return result;
}

}  // namespace dfsim
