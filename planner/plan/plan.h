// planner/plan/plan.h: what the planner decides. Plain values, printable, comparable; a plan can be written
// by hand (plan.yaml, planner/report/plan_yaml.h).
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "planner/graph/graph.h"
#include "sim/api/hardware.h"
#include "sim/base/units.h"

namespace dfsim {

/// A box of PEs of one NoC: [x, x+width) x [y, y+height) x [z, z+depth).
struct Submesh {
  NocId noc;
  std::uint32_t x = 0, y = 0, z = 0;
  std::uint32_t width = 1, height = 1, depth = 1;
  std::uint32_t size() const { return width * height * depth; }
  bool overlaps(const Submesh& other) const;
  std::string to_string() const;  ///< "chip0[0:4,0:8]"
  auto operator<=>(const Submesh&) const = default;
};

/// PEs that work on one stage.
struct PeGroup {
  std::vector<Submesh> submeshes;
  std::uint32_t size() const;
  bool overlaps(const PeGroup& other) const;
  std::string to_string() const;
  /// Row by row of each submesh in turn.
  std::vector<PeId> pes(const HardwareSpec& hardware) const;
  auto operator<=>(const PeGroup&) const = default;
};

enum class PeOrder : std::uint8_t { row_major, column_major, snake };
std::string to_string(PeOrder order);

/// The outermost loop over the tiles of one PE's part. What a tile of the outer loops reads is read again by
/// all inner ones.
enum class OuterLoop : std::uint8_t {
  features,   ///< each tile of weights is used up before the next one comes
  reduction,  ///< so is each tile of the input (partial sums stay)
  rows  ///< samples and rows: each is complete, and on its way to its readers, while the next is worked on
};
std::string to_string(OuterLoop loop);

/// How one operator is cut and mapped onto its PE group. Axes are those of OperatorKind::axes, in that order.
struct OperatorCandidate {
  std::vector<std::uint32_t> spatial;   ///< parts per axis; the product is at most the size of the group
  std::vector<std::uint32_t> temporal;  ///< tiles per axis of one PE's part, one after another
  std::vector<std::uint32_t> nesting;   ///< axes from slowest to fastest over the PEs (a permutation)
  PeOrder order = PeOrder::row_major;   ///< how the PEs of the group are numbered
  OuterLoop outer = OuterLoop::features;

  std::uint32_t spatial_parts() const;
  std::string to_string(const std::vector<std::string>& axis_names) const;  ///< "b8 n2 | n24 | b,n row_major"
  auto operator<=>(const OperatorCandidate&) const = default;
};

struct IntraStageStrategy {
  std::vector<OperatorCandidate> operators;  ///< in the order of the stage's operators
  std::uint32_t sub_batches = 1;             ///< the samples of a period are worked on in this many parts
  bool weights_resident = false;             ///< loaded once, in the prologue
  auto operator<=>(const IntraStageStrategy&) const = default;
};

/// Operators that run, time-shared, on one PE group.
struct StageProposal {
  std::vector<OpId> operators;  ///< ascending
  PeGroup group;
  auto operator<=>(const StageProposal&) const = default;
};

/// Cut of the graph, cut of the hardware and the map between them. Groups are disjoint or equal; stages on
/// one group take turns in the order given.
struct InterStageStrategy {
  std::vector<StageProposal> stages;
  auto operator<=>(const InterStageStrategy&) const = default;
};

struct Stage {
  std::string name;
  std::vector<OpId> operators;
  PeGroup group;
  IntraStageStrategy strategy;
  bool operator==(const Stage&) const = default;
};

struct Plan {
  std::uint32_t samples = 8;  ///< of one period
  std::vector<Stage> stages;
  bool operator==(const Plan&) const = default;
  std::uint32_t distinct_groups() const;
};

/// "Does not fit" as a result: what is asked, what there is, and the lever.
struct Infeasible {
  std::string what;  ///< "stage 3, operator ff2: scratchpad of pe_2_1"
  std::uint64_t demand = 0, limit = 0;
  std::string unit;   ///< bytes, PEs ...
  std::string lever;  ///< "split K by 2 or use a larger group"
  std::string to_string() const;
};

}  // namespace dfsim
