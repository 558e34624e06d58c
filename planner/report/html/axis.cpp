#include "planner/report/html/axis.h"

#include <algorithm>
#include <cmath>

namespace dfsim::html {

Axis::Axis(double low, double high, double from, double to, bool logarithmic)
    : low_(low), high_(high), from_(from), to_(to), logarithmic_(logarithmic) {}

double Axis::at(double value) const {
  const double part = logarithmic_ ? (std::log10(std::max(value, low_)) - std::log10(low_)) /
                                         (std::log10(high_) - std::log10(low_))
                                   : (value - low_) / (high_ - low_);
  return from_ + part * (to_ - from_);
}

std::vector<double> Axis::ticks(int count) const {
  std::vector<double> values;
  if (logarithmic_) {
    for (double power = std::ceil(std::log10(low_)); power <= std::floor(std::log10(high_) + 1e-9); ++power)
      values.push_back(std::pow(10, power));
    return values;
  }
  const double rough = (high_ - low_) / count;
  const double power = std::pow(10, std::floor(std::log10(rough)));
  const double digits = rough / power;
  const double step = power * (digits <= 1 ? 1 : digits <= 2 ? 2 : digits <= 5 ? 5 : 10);
  for (double i = std::ceil(low_ / step - 1e-9); i * step <= high_ * (1 + 1e-9); ++i)
    values.push_back(i * step + 0.0);  // never -0
  return values;
}

}  // namespace dfsim::html
