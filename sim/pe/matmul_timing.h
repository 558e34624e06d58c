// sim/pe/matmul_timing.h: how long a matrix unit works on a micro-op and how many bytes it moves. Plain
// functions.
#pragma once

#include <cstdint>

#include "sim/api/hardware.h"
#include "sim/api/program.h"

namespace dfsim {

/// Cycles of one matmul micro-op whose operands are always there.
struct MatmulTiming {
  std::uint64_t folds = 0;            ///< array fills, over all products of the micro-op
  std::uint64_t streamed = 0;         ///< T: length of what streams through the array, per fold
  std::uint64_t cycles_per_fold = 0;  ///< serial: of one fold alone; pipelined: from fold to fold
  /// From the start until the last fold has been issued: another micro-op of the same operator may start
  /// then. Equals `total_cycles` with serial folds.
  std::uint64_t issue_cycles = 0;
  std::uint64_t total_cycles = 0;  ///< from the start to the last result, started on an empty pipeline
  double mapping_util = 0;         ///< share of array cells that hold work, averaged over the folds
};

/// Closed forms of SCALE-Sim v3 (serial), with R rows, C columns, F folds and T streamed:
///   output-stationary          F (T + R + C - 2)         F = ceil(m/R) ceil(n/C), T = k
///   weight-stationary          F (T + 2R + C - 2)        F = ceil(k/R) ceil(n/C), T = m
///   input-stationary           F (T + 2R + C - 2)        F = ceil(k/R) ceil(m/C), T = n
/// and pipelined, where the next fold's weights are loaded while this one streams:
///   (F - 1) max(T, R) + T + R + C - 2, and R more for weight- and input-stationary.
/// All are multiplied by `cycles_per_step` of the element type and rounded up (1 if the type is not in the
/// table). Sizes of 0 give 0 folds and 0 cycles.
MatmulTiming matmul_timing(const MatrixUnitSpec& spec, const MatmulWork& work);

/// Scratchpad bytes of one matmul micro-op.
struct MatmulTraffic {
  std::uint64_t read_bytes = 0;
  std::uint64_t write_bytes = 0;
};

/// Words moved between array and scratchpad as in SCALE-Sim v3 (os: ceil(n/C) m k inputs, ceil(m/R) k n
/// weights, m n outputs; ws: ceil(n/C) m k, k n, ceil(k/R) m n; is: m k, ceil(m/C) k n, ceil(k/R) m n).
/// Results are partial sums of 4 bytes; they are read again for every further fold along k, and for the first
/// one too if the micro-op accumulates.
MatmulTraffic matmul_traffic(const MatrixUnitSpec& spec, const MatmulWork& work);

/// startup + ceil(elements / lanes) * cycles_per_group, rounded up; at least 1.
std::uint64_t vector_cycles(const VectorUnitSpec& spec, double cycles_per_group, std::uint64_t elements);

}  // namespace dfsim
