// planner/verify/program_map.h: which tensors and operators of a graph those of a program are.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "planner/graph/graph.h"
#include "sim/api/program.h"

namespace dfsim {

/// Found by name; types and shapes must agree.
class ProgramMap {
 public:
  /// Throws ModelError naming `file` with everything that the graph does not have.
  ProgramMap(const Program& program, const Graph& graph, const std::string& file);

  TensorId tensor(TensorId in_program) const { return tensors_[in_program.value()]; }
  OpId op(OpId in_program) const { return ops_[in_program.value()]; }
  std::uint32_t element_bytes(TensorId in_program) const { return element_bytes_[in_program.value()]; }
  std::uint32_t element_bytes(const MicroTensor& micro_tensor) const {
    return micro_tensor.partial ? kPartialBytes : element_bytes(micro_tensor.tensor);
  }
  /// Bytes of the smallest element.
  std::uint32_t smallest_element() const;

  static constexpr std::uint32_t kPartialBytes = 4;

 private:
  std::vector<TensorId> tensors_;
  std::vector<OpId> ops_;
  std::vector<std::uint32_t> element_bytes_;
};

/// Matrix and vector micro-ops, and loads that gather rows (they read the row numbers).
inline bool computes(const MicroOp& op) {
  return op.kind == MicroOpKind::matmul || op.kind == MicroOpKind::vector ||
         (op.kind == MicroOpKind::load && op.reads.size() > 0);
}

}  // namespace dfsim
