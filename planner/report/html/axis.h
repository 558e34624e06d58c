// planner/report/html/axis.h: values to places on a picture.
#pragma once

#include <vector>

namespace dfsim::html {

/// Values from `low` to `high` on places from `from` to `to` (to < from: upwards).
class Axis {
 public:
  /// Logarithmic: low > 0. high > low.
  Axis(double low, double high, double from, double to, bool logarithmic = false);
  double at(double value) const;
  /// About `count` round values (1, 2 or 5 times a power of ten); of a logarithmic axis powers of ten.
  std::vector<double> ticks(int count) const;

 private:
  double low_, high_, from_, to_;
  bool logarithmic_;
};

}  // namespace dfsim::html
