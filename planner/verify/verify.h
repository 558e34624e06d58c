// planner/verify/verify.h: does a program compute what its graph says? Runs it on numbers and compares.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "planner/graph/graph.h"
#include "planner/verify/fault.h"
#include "planner/verify/reference.h"
#include "sim/api/hardware.h"
#include "sim/api/program.h"

namespace dfsim {

struct VerifyOptions {
  std::uint64_t seed = 1;     ///< of inputs, weights and the order of execution
  std::uint32_t periods = 2;  ///< executed; two overlap and have different data
  std::uint32_t orders = 1;   ///< executions, each in an order of its own
  /// Largest allowed max|a - b| / max|b| of a tensor. A float32 sum of n products in any order is within
  /// (n - 1) 2^-24 sum|x_i y_i| of the exact value (Higham, "Accuracy and Stability of Numerical Algorithms",
  /// section 3.1); roundings being independent, it grows like sqrt(n): about 3e-6 for n = 3072, and more over
  /// the layers of a network. Mistakes are of the order of 1.
  double tolerance = 1e-4;
};

/// How well a tensor agrees.
struct TensorAgreement {
  std::string tensor;
  double largest_error = 0;   ///< max|a - b| over all micro-tensors of it, in all periods
  double largest_value = 0;   ///< max|b|
  double relative_error = 0;  ///< the quotient
};

struct StageAgreement {
  std::string stage;
  TensorAgreement worst;  ///< the tensor with the largest relative error, of those that the stage computes
};

struct Verification {
  std::optional<Fault> fault;            ///< none: the program computes what the graph says
  std::vector<TensorAgreement> outputs;  ///< of the network
  std::vector<StageAgreement> stages;
  std::uint64_t micro_ops = 0;                 ///< executed in one order, all periods
  std::vector<std::uint64_t> primitive_bytes;  ///< moved in all periods, by Program::primitives
};

/// Holds the reference of one graph, and executes programs of it.
class Verifier {
 public:
  /// Computes the reference for `samples` samples of a period.
  Verifier(const Graph& graph, std::uint32_t samples, const VerifyOptions& options);

  /// `program` has passed the loader's checks of indices (sim/pe/program_check.h) and has the same number of
  /// samples. `file` is its name in messages. `order_seed` and its successors draw the orders of execution.
  /// Throws ModelError if the program is of another graph; what is wrong with the computation is in the
  /// result.
  Verification run(const Program& program, const HardwareSpec& hardware, const std::string& file,
                   std::uint64_t order_seed) const;

 private:
  const Graph& graph_;
  VerifyOptions options_;
  std::uint32_t samples_;
  Reference reference_;
};

}  // namespace dfsim
