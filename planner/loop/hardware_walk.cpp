#include "planner/loop/hardware_walk.h"

#include <algorithm>
#include <tuple>

namespace dfsim {

namespace {

class Walk {
 public:
  Walk(std::vector<HardwarePoint> points, const WalkOptions& options, const MeasurePoint& measure)
      : options_(options), measure_(measure) {
    const auto key = [&](const HardwarePoint& point) {
      return std::tuple(quantity(point.amount, options.minimise), point.amount.pes, point.name);
    };
    std::sort(points.begin(), points.end(), [&](const auto& a, const auto& b) { return key(a) < key(b); });
    for (HardwarePoint& point : points) {
      CurvePoint on_curve;
      on_curve.cost = cost_of(options.prices, point.amount, point.bound_cycles, 0);
      on_curve.hardware = std::move(point);
      curve_.points.push_back(std::move(on_curve));
    }
  }

  HardwareCurve hardware(double limit) {
    auto& points = curve_.points;
    for (CurvePoint& point : points)
      if (point.hardware.bound_cycles > limit) point.status = PointStatus::excluded;
    const auto within = [&](const CurvePoint& point) {
      return point.measured() && point.measurement.cycles <= limit;
    };
    const auto say = [&](std::size_t i, const char* good, const char* bad) {
      curve_.steps.push_back({i, points[i].status == PointStatus::does_not_fit ? "no plan fits: grow"
                                 : within(points[i])                           ? good
                                                                               : bad});
    };
    if (!points.empty() && points.back().status == PointStatus::open) {
      measure(points.size() - 1);
      say(points.size() - 1, "within the limit: shrink", "slower than the limit: look at the others");
    }
    for (std::size_t i = 0; i < points.size() && !curve_.chosen; ++i) {
      if (points[i].status == PointStatus::open) {
        measure(i);
        say(i, "within the limit: the least", "slower than the limit: grow");
      }
      if (within(points[i])) curve_.chosen = i;
    }
    return finish();
  }

  HardwareCurve cost(std::optional<double> limit) {
    auto& points = curve_.points;
    std::vector<std::size_t> order(points.size());
    for (std::size_t i = 0; i < order.size(); ++i) order[i] = i;
    std::stable_sort(order.begin(), order.end(),
                     [&](std::size_t a, std::size_t b) { return points[a].cost < points[b].cost; });
    for (const std::size_t i : order) {
      if (curve_.chosen && limit && points[*curve_.chosen].cost <= *limit) break;
      if ((curve_.chosen && points[i].cost >= points[*curve_.chosen].cost) ||
          (limit && points[i].cost > *limit)) {
        points[i].status = PointStatus::excluded;
        continue;
      }
      measure(i);
      const bool better =
          points[i].measured() && (!curve_.chosen || points[i].cost < points[*curve_.chosen].cost);
      if (better) curve_.chosen = i;
      curve_.steps.push_back({i, points[i].status == PointStatus::does_not_fit ? "no plan fits"
                                 : better                                      ? "the least so far"
                                                                               : "costs more"});
    }
    finish();
    if (options_.all && !limit) choose_cheapest();
    if (limit && curve_.chosen && points[*curve_.chosen].cost > *limit) curve_.chosen.reset();
    return curve_;
  }

 private:
  void measure(std::size_t index) {
    CurvePoint& point = curve_.points[index];
    point.measurement = measure_(point.hardware);
    point.status = point.measurement.fits ? PointStatus::measured : PointStatus::does_not_fit;
    if (point.measured())
      point.cost =
          cost_of(options_.prices, point.hardware.amount, point.measurement.cycles, point.measurement.joules);
  }
  HardwareCurve finish() {
    if (!options_.all) return curve_;
    for (std::size_t i = 0; i < curve_.points.size(); ++i)
      if (curve_.points[i].status == PointStatus::open || curve_.points[i].status == PointStatus::excluded) {
        measure(i);
        curve_.steps.push_back({i, "for the curve"});
      }
    return curve_;
  }
  void choose_cheapest() {
    for (std::size_t i = 0; i < curve_.points.size(); ++i)
      if (curve_.points[i].measured() &&
          (!curve_.chosen || curve_.points[i].cost < curve_.points[*curve_.chosen].cost))
        curve_.chosen = i;
  }

  const WalkOptions& options_;
  const MeasurePoint& measure_;
  HardwareCurve curve_;
};

}  // namespace

std::uint64_t quantity(const HardwareAmount& amount, Minimise what) {
  switch (what) {
    case Minimise::pes:
      return amount.pes;
    case Minimise::sram:
      return amount.sram_bytes;
    case Minimise::links:
      break;
  }
  return amount.links;
}

std::string to_string(PointStatus status) {
  switch (status) {
    case PointStatus::measured:
      return "measured";
    case PointStatus::does_not_fit:
      return "does_not_fit";
    case PointStatus::excluded:
      return "excluded";
    case PointStatus::open:
      return "open";
  }
  return "unknown";
}

double cost_of(const CostSpec& prices, const HardwareAmount& amount, double cycles, double joules) {
  return prices.per_pe_cycle * static_cast<double>(amount.pes) * cycles + prices.per_cycle * cycles +
         prices.per_joule * joules;
}

HardwareCurve least_hardware(std::vector<HardwarePoint> points, double limit_cycles,
                             const WalkOptions& options, const MeasurePoint& measure) {
  return Walk(std::move(points), options, measure).hardware(limit_cycles);
}

HardwareCurve least_cost(std::vector<HardwarePoint> points, std::optional<double> cost_limit,
                         const WalkOptions& options, const MeasurePoint& measure) {
  return Walk(std::move(points), options, measure).cost(cost_limit);
}

}  // namespace dfsim
