// planner/lower/pe_builder.h: the list of one PE, written in program order; addresses and dependences follow
// by themselves.
#pragma once

#include <cstdint>
#include <deque>
#include <map>
#include <optional>
#include <set>
#include <stdexcept>
#include <utility>
#include <vector>

#include "planner/lower/scratchpad_map.h"
#include "sim/api/program.h"

namespace dfsim {

/// Leaves the lowering when a micro-tensor finds no room; becomes an Infeasible at the door of the room
/// (lower.cpp).
struct ScratchpadFull : std::runtime_error {
  ScratchpadFull(PeId full_pe, std::uint64_t needed, std::uint64_t available)
      : std::runtime_error("scratchpad full"), pe(full_pe), demand(needed), free(available) {}
  PeId pe;
  std::uint64_t demand, free;
};

/// How places in one scratchpad are chosen.
struct ScratchpadSetup {
  PlacePolicy policy = PlacePolicy::packed;
  bool own_places = true;  ///< for what comes a period ahead
  ScratchpadUses foreseen = {};
};

enum class Placement : std::uint8_t {
  lowest,
  stream,
  sum,      ///< made and used up here at once
  passing,  ///< a piece from another PE: should come early, but lives as long as its reader takes
  /// Nobody else gets the place: after its release it waits for the next micro-tensor of the same tensor and
  /// size. So the next period's data may come while this period's other work goes on.
  reserved
};

/// Micro-ops are emitted in an order that would be right if they ran one after the other. Dependences are
/// derived from what they read and write: after the writers of what is read, after readers and writers of
/// what is overwritten, and after all that used the same addresses for another micro-tensor before. `finish`
/// adds those on the period before and leaves out what others imply.
class PeBuilder {
 public:
  explicit PeBuilder(PeId pe, std::uint64_t scratchpad_bytes, ScratchpadSetup setup = {});

  /// For what may come a period ahead: a place of its own if there is room for such places, else `other`.
  Placement ahead_or(Placement other) const { return own_places_ ? Placement::reserved : other; }

  /// A new micro-tensor; throws ScratchpadFull.
  std::uint32_t allocate(TensorId tensor, const Box& box, std::uint32_t bytes, Placement placement,
                         bool partial, bool resident);
  /// A micro-tensor that takes over the place of `old`, which has the same box and is dead after its accesses
  /// box by box.
  std::uint32_t take_over(std::uint32_t old, TensorId tensor);
  /// The place may be used again by what is allocated later.
  void release(std::uint32_t micro_tensor);

  /// Appends a micro-op and returns its index. Ranges of `op` are filled here; `after` are further micro-ops
  /// to wait for.
  std::uint32_t emit(MicroOp op, const std::vector<Access>& reads, const std::vector<Access>& writes,
                     const std::vector<std::uint32_t>& after = {});
  /// Micro-ops emitted from here on belong to the period.
  void end_prologue() { program_.prologue_ops = static_cast<std::uint32_t>(program_.ops.size()); }

  /// Its place is kept for the next of its kind.
  bool reserved(std::uint32_t micro_tensor) const { return in_reserved_.contains(micro_tensor); }
  const MicroTensor& micro_tensor(std::uint32_t index) const { return program_.micro_tensors[index]; }
  PeId pe() const { return program_.pe; }
  bool empty() const { return program_.ops.empty(); }
  std::uint32_t size() const { return static_cast<std::uint32_t>(program_.ops.size()); }
  std::uint64_t peak_bytes() const { return peak_bytes_; }
  const ScratchpadUses& scratchpad_uses() const { return map_.uses(); }

  PeProgram finish();

 private:
  struct Use {
    std::uint32_t op;
    Box box;
    bool write;
  };
  struct History {
    std::vector<Use> uses;                    // not implied by later ones
    std::vector<std::uint32_t> predecessors;  // micro-tensors that had (part of) the same addresses before
    bool same_geometry = false;               // the one predecessor has the same box: compare boxes
    std::vector<std::pair<std::uint32_t, std::uint32_t>>
        untouched;  // addresses not used before in this period
    std::vector<Use> first_writes;
  };
  struct Reserved {
    std::uint32_t places = 0;        // made so far
    std::deque<std::uint32_t> free;  // micro-tensors whose place waits, longest first
  };
  struct Occupant {
    std::uint32_t end;
    std::uint32_t micro_tensor;
  };

  std::uint32_t add(const MicroTensor& tensor);
  std::optional<std::uint32_t> reserved_place(const MicroTensor& tensor);
  void occupy(std::uint32_t micro_tensor);
  void add_conflicts(std::uint32_t op, const Access& access, bool write, std::vector<Dependence>& out);
  void record(std::uint32_t op, const Access& access, bool write);
  void add_period_dependences();

  PeProgram program_;
  bool own_places_;
  PlacePolicy policy_;
  ScratchpadMap map_;
  std::uint64_t capacity_;
  std::uint64_t peak_bytes_ = 0;
  std::vector<History> history_;                                     // by micro-tensor
  std::map<std::pair<TensorId, std::uint32_t>, Reserved> reserved_;  // by tensor and size
  std::set<std::uint32_t> in_reserved_;                              // micro-tensors
  std::map<std::uint32_t, Occupant> occupants_;                      // by first address: who used it last
  std::vector<std::vector<Dependence>> pending_;                     // by micro-op
};

}  // namespace dfsim
