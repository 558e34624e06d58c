// planner/lower/tile_chain.h: operators of a stage that are written tile by tile in turn, so that vector work
// follows each tile of the matrix unit at once.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <utility>
#include <vector>

#include "planner/graph/graph.h"
#include "planner/lower/mapping.h"

namespace dfsim {

/// A unit works through its list in order. Written one after the other, the operators of a block would keep
/// the vector unit at the last tile of a sum before the first tile of the relu behind it. So an operator of
/// the vector unit *follows* the one before it, if each of its tiles reads of the chain only what the same PE
/// has completed by then: then the tiles of all are written in the order in which their inputs are complete.
class TileChain {
 public:
  struct Tile {
    std::size_t member, tile;
    bool operator==(const Tile&) const = default;
  };

  explicit TileChain(const Graph& graph) : graph_(graph) {}

  /// Appends an operator; false if it does not follow those of the chain. The first always does. `mapping`
  /// must live as long as the chain.
  bool add(OpId op, const OperatorMapping& mapping);

  std::size_t size() const { return members_.size(); }
  /// Every tile of every member once; those of a member in their order.
  std::vector<Tile> order() const;

 private:
  /// Part of an output at one PE, complete after a step.
  struct Completed {
    Box box;
    std::size_t step;
  };
  struct Member {
    OpId op;
    const OperatorMapping* mapping;
    std::vector<std::size_t> step;  ///< by tile, ascending
  };

  bool may_follow(OpId op, const OperatorMapping& mapping) const;
  std::optional<std::size_t> complete_at(TensorId tensor, PeId pe, const Box& box) const;
  std::optional<std::vector<std::size_t>> steps_of(OpId op, const OperatorMapping& mapping) const;
  void note_outputs(const Member& member);

  const Graph& graph_;
  std::vector<Member> members_;
  std::size_t noted_ = 0;  ///< members whose outputs are in completed_
  std::map<TensorId, std::map<PeId, std::vector<Completed>>> completed_;
};

}  // namespace dfsim
