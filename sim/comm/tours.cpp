#include "sim/comm/tours.h"

namespace dfsim {

namespace {

/// There over the even places, back over the odd ones.
std::vector<std::uint32_t> line_tour(std::uint32_t length) {
  std::vector<std::uint32_t> tour;
  for (std::uint32_t i = 0; i < length; i += 2) tour.push_back(i);
  for (std::uint32_t i = length; i-- > 0;)
    if (i % 2 == 1) tour.push_back(i);
  return tour;
}

struct Spot {
  std::uint32_t x, y;
};

/// An even number of rows: to and fro over the columns from 1 on, and back along column 0.
std::vector<Spot> even_rows_tour(std::uint32_t columns, std::uint32_t rows) {
  std::vector<Spot> tour{{0, 0}};
  for (std::uint32_t y = 0; y < rows; ++y)
    for (std::uint32_t i = 1; i < columns; ++i) tour.push_back({y % 2 == 0 ? i : columns - i, y});
  for (std::uint32_t y = rows - 1; y > 0; --y) tour.push_back({0, y});
  return tour;
}

/// An odd number of rows and columns: the tour of all rows but the last runs along the one above it from
/// right to left. Every pair of PEs on that way takes the two below in; column 0 is left and costs two hops.
std::vector<Spot> odd_tour(std::uint32_t columns, std::uint32_t rows) {
  std::vector<Spot> tour;
  for (const Spot& spot : even_rows_tour(columns, rows - 1)) {
    tour.push_back(spot);
    if (spot.y != rows - 2) continue;
    const std::uint32_t from_right = columns - 1 - spot.x;
    if (spot.x == 0) {
      tour.push_back({0, rows - 1});
    } else if (from_right % 2 == 0) {
      tour.push_back({spot.x, rows - 1});
      tour.push_back({spot.x - 1, rows - 1});
    }
  }
  return tour;
}

}  // namespace

std::vector<std::uint32_t> closed_tour(std::uint32_t columns, std::uint32_t rows) {
  if (columns == 1 || rows == 1) return line_tour(columns * rows);
  const bool turned = rows % 2 == 1 && columns % 2 == 0;
  const std::vector<Spot> tour = turned          ? even_rows_tour(rows, columns)
                                 : rows % 2 == 0 ? even_rows_tour(columns, rows)
                                                 : odd_tour(columns, rows);
  std::vector<std::uint32_t> ranks;
  for (const Spot& spot : tour)
    ranks.push_back(turned ? spot.x * columns + spot.y : spot.y * columns + spot.x);
  return ranks;
}

std::vector<std::uint32_t> open_tour(std::uint32_t columns, std::uint32_t rows) {
  std::vector<std::uint32_t> ranks;
  for (std::uint32_t y = 0; y < rows; ++y)
    for (std::uint32_t i = 0; i < columns; ++i)
      ranks.push_back(y * columns + (y % 2 == 0 ? i : columns - 1 - i));
  return ranks;
}

}  // namespace dfsim
