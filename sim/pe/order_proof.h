// sim/pe/order_proof.h: does one micro-op of a PE wait for another, over several periods?
#pragma once

#include <cstdint>
#include <optional>
#include <utility>
#include <vector>

#include "sim/api/program.h"

namespace dfsim {

/// The list of a PE unrolled over `copies` periods. A node is a micro-op in one of them; prologue micro-ops
/// have one node. Every dependence leads to a smaller node. Micro-ops are asked about in ascending order of
/// nodes; what is not found near is settled at the end, many questions at a time.
class OrderProof {
 public:
  struct Question {
    std::uint32_t earlier = 0, later = 0;                            ///< nodes
    std::uint32_t micro_tensor_earlier = 0, micro_tensor_later = 0;  ///< for the report
  };

  OrderProof(const PeProgram& pe, std::uint32_t copies)
      : pe_(pe),
        per_period_(static_cast<std::uint32_t>(pe.ops.size()) - pe.prologue_ops),
        visited_(pe.prologue_ops + std::size_t{copies} * per_period_, 0) {}

  std::uint32_t node_of(std::uint32_t op, std::uint32_t copy) const {
    return op < pe_.prologue_ops ? op : op + copy * per_period_;
  }
  std::pair<std::uint32_t, std::uint32_t> op_and_copy(std::uint32_t node) const;
  bool in_first_copy(std::uint32_t node) const {
    return node >= pe_.prologue_ops && node < pe_.prologue_ops + per_period_;
  }

  /// Begins with the micro-op that all questions until the next call are about.
  void begin(std::uint32_t node);
  /// A direct dependence, or found on the way so far. No proof of the opposite.
  bool known_before(std::uint32_t node) const { return visited_[node] == stamp_; }
  void ask(std::uint32_t earlier, std::uint32_t micro_tensor_earlier, std::uint32_t micro_tensor_later) {
    if (!known_before(earlier)) open_.push_back({earlier, node_, micro_tensor_earlier, micro_tensor_later});
  }
  /// Ends with the present micro-op.
  void finish();
  /// The first question, by its later node, whose answer is no.
  std::optional<Question> settle();

 private:
  void expand(std::uint32_t node);
  std::uint64_t carried(std::uint32_t node, std::uint32_t first,
                        const std::vector<std::uint64_t>& reached) const;
  template <class F>
  void each_dependence(std::uint32_t node, F f) const;

  const PeProgram& pe_;
  std::uint32_t per_period_;
  std::vector<std::uint32_t> visited_;  ///< by node: stamp of the micro-op that found it
  std::uint32_t stamp_ = 0, node_ = 0;
  std::vector<std::uint32_t> todo_;
  std::vector<Question> open_;      ///< of the present micro-op
  std::vector<Question> deferred_;  ///< of all
};

}  // namespace dfsim
