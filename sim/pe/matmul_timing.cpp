#include "sim/pe/matmul_timing.h"

#include <algorithm>
#include <cmath>

namespace dfsim {

namespace {

constexpr std::uint64_t kPartialSumBytes = 4;

struct Mapping {
  std::uint64_t on_rows, on_columns, streamed;
};

Mapping mapping(Dataflow dataflow, const MatmulWork& work) {
  switch (dataflow) {
    case Dataflow::output_stationary:
      return {work.m, work.n, work.k};
    case Dataflow::weight_stationary:
      return {work.k, work.n, work.m};
    case Dataflow::input_stationary:
      return {work.k, work.m, work.n};
  }
  return {};
}

std::uint64_t scaled(std::uint64_t cycles, double factor) {
  if (factor == 1.0) return cycles;
  return static_cast<std::uint64_t>(std::ceil(static_cast<double>(cycles) * factor));
}

double cycles_per_step(const MatrixUnitSpec& spec, DataType type) {
  const auto it = spec.cycles_per_step.find(type);
  return it == spec.cycles_per_step.end() ? 1.0 : it->second;
}

}  // namespace

MatmulTiming matmul_timing(const MatrixUnitSpec& spec, const MatmulWork& work) {
  const std::uint64_t rows = spec.rows, columns = spec.columns;
  const Mapping map = mapping(spec.dataflow, work);
  const std::uint64_t row_folds = ceil_div(map.on_rows, rows),
                      column_folds = ceil_div(map.on_columns, columns);
  MatmulTiming timing;
  timing.folds = work.count * row_folds * column_folds;
  timing.streamed = map.streamed;
  if (timing.folds == 0 || map.streamed == 0) return {};
  timing.mapping_util = static_cast<double>(map.on_rows * map.on_columns) /
                        static_cast<double>(row_folds * rows * column_folds * columns);

  const bool loads_stationary = spec.dataflow != Dataflow::output_stationary;
  const std::uint64_t one_fold = map.streamed + rows + columns - 2 + (loads_stationary ? rows : 0);
  const double factor = cycles_per_step(spec, work.type);
  if (spec.folds == FoldMode::serial) {
    timing.cycles_per_fold = scaled(one_fold, factor);
    timing.total_cycles = scaled(timing.folds * one_fold, factor);
    timing.issue_cycles = timing.total_cycles;
  } else {
    const std::uint64_t step = std::max(map.streamed, rows);
    timing.cycles_per_fold = scaled(step, factor);
    timing.total_cycles = scaled((timing.folds - 1) * step + one_fold, factor);
    timing.issue_cycles = std::min(scaled(timing.folds * step, factor), timing.total_cycles);
  }
  return timing;
}

MatmulTraffic matmul_traffic(const MatrixUnitSpec& spec, const MatmulWork& work) {
  const std::uint64_t m = work.m, n = work.n, k = work.k, rows = spec.rows, columns = spec.columns;
  const std::uint64_t element = bytes_of(work.type).count();
  std::uint64_t inputs = m * k, weights = k * n, passes = 1;
  switch (spec.dataflow) {
    case Dataflow::output_stationary:
      inputs *= ceil_div(n, columns);
      weights *= ceil_div(m, rows);
      break;
    case Dataflow::weight_stationary:
      inputs *= ceil_div(n, columns);
      passes = ceil_div(k, rows);
      break;
    case Dataflow::input_stationary:
      weights *= ceil_div(m, columns);
      passes = ceil_div(k, rows);
      break;
  }
  const std::uint64_t sums = m * n * kPartialSumBytes;
  const std::uint64_t read_passes = work.accumulate ? passes : passes - std::min<std::uint64_t>(passes, 1);
  MatmulTraffic traffic;
  traffic.read_bytes = work.count * ((inputs + weights) * element + read_passes * sums);
  traffic.write_bytes = work.count * passes * sums;
  return traffic;
}

std::uint64_t vector_cycles(const VectorUnitSpec& spec, double cycles_per_group, std::uint64_t elements) {
  const std::uint64_t groups = ceil_div<std::uint64_t>(elements, std::max(spec.lanes, 1u));
  return std::max<std::uint64_t>(1, spec.startup_cycles + scaled(groups, cycles_per_group));
}

}  // namespace dfsim
