#include "sim/pe/hazards.h"

#include <algorithm>
#include <utility>
#include <vector>

namespace dfsim {

namespace {

/// More slots than this are looked at as if the list had been unrolled this often.
constexpr std::uint32_t kMaxUnroll = 9;
/// Micro-ops looked at one by one in search of an order, before the search is put off.
constexpr std::size_t kNearSteps = 48;

bool boxes_meet(const Box& a, const Box& b) {
  for (std::uint8_t d = 0; d < a.rank; ++d)
    if (a.offset[d] >= b.offset[d] + b.extent[d] || b.offset[d] >= a.offset[d] + a.extent[d]) return false;
  return true;
}

bool covers(const Box& outer, const Box& inner) {
  for (std::uint8_t d = 0; d < outer.rank; ++d)
    if (inner.offset[d] < outer.offset[d] ||
        inner.offset[d] + inner.extent[d] > outer.offset[d] + outer.extent[d])
      return false;
  return true;
}

class HazardFinder {
 public:
  HazardFinder(const PeProgram& pe, std::uint32_t periods) : pe_(pe) {
    const std::uint32_t n = static_cast<std::uint32_t>(pe.ops.size());
    std::uint32_t slots = 1;
    for (const MicroTensor& tensor : pe.micro_tensors) slots = std::max(slots, tensor.slots);
    copies_ = std::max(1u, std::min({slots + 1, periods, kMaxUnroll}));
    per_period_ = n - pe.prologue_ops;
    visited_.assign(pe.prologue_ops + std::size_t{copies_} * per_period_, 0);
    lay_out_slots();
  }

  std::optional<Hazard> run() {
    const std::uint32_t n = static_cast<std::uint32_t>(pe_.ops.size());
    for (std::uint32_t op = 0; op < pe_.prologue_ops; ++op) visit(op, 0);
    for (std::uint32_t copy = 0; copy < copies_; ++copy)
      for (std::uint32_t op = pe_.prologue_ops; op < n; ++op) visit(op, copy);
    settle();
    return found_;
  }

 private:
  struct Entry {
    std::uint32_t node;
    std::uint32_t access;
  };
  struct Slot {
    std::uint32_t micro_tensor = 0;
    std::uint32_t overlaps_begin = 0, overlaps_end = 0;  ///< slots of other micro-tensors that share bytes
    std::vector<Entry> writes, reads;
  };
  struct Query {
    std::uint32_t earlier, later, micro_tensor_earlier, micro_tensor_later;
  };
  struct Suspect {
    std::uint32_t node, micro_tensor_earlier, micro_tensor_later;
    bool proven;
  };

  void lay_out_slots() {
    struct Interval {
      std::uint64_t begin, end;
      std::uint32_t slot;
    };
    std::vector<Interval> intervals;
    for (std::uint32_t m = 0; m < pe_.micro_tensors.size(); ++m) {
      const MicroTensor& tensor = pe_.micro_tensors[m];
      first_slot_.push_back(static_cast<std::uint32_t>(slots_.size()));
      for (std::uint32_t s = 0; s < tensor.slots; ++s) {
        const std::uint64_t begin = tensor.address + std::uint64_t{tensor.bytes} * s;
        intervals.push_back({begin, begin + tensor.bytes, static_cast<std::uint32_t>(slots_.size())});
        slots_.push_back({m, 0, 0, {}, {}});
      }
    }
    std::sort(intervals.begin(), intervals.end(), [](const Interval& a, const Interval& b) {
      return std::pair(a.begin, a.slot) < std::pair(b.begin, b.slot);
    });
    std::vector<std::pair<std::uint32_t, std::uint32_t>> pairs;
    for (std::size_t i = 0; i < intervals.size(); ++i)
      for (std::size_t j = i + 1; j < intervals.size() && intervals[j].begin < intervals[i].end; ++j) {
        if (intervals[j].begin == intervals[j].end) continue;
        pairs.emplace_back(intervals[i].slot, intervals[j].slot);
        pairs.emplace_back(intervals[j].slot, intervals[i].slot);
      }
    std::sort(pairs.begin(), pairs.end());
    for (const auto& [slot, other] : pairs) {
      if (slots_[slot].overlaps_end == 0)
        slots_[slot].overlaps_begin = static_cast<std::uint32_t>(overlaps_.size());
      overlaps_.push_back(other);
      slots_[slot].overlaps_end = static_cast<std::uint32_t>(overlaps_.size());
    }
  }

  std::uint32_t node_of(std::uint32_t op, std::uint32_t copy) const {
    return op < pe_.prologue_ops ? op : op + copy * per_period_;
  }
  std::pair<std::uint32_t, std::uint32_t> op_and_copy(std::uint32_t node) const {
    if (node < pe_.prologue_ops || per_period_ == 0) return {node, 0};
    const std::uint32_t from = node - pe_.prologue_ops;
    return {pe_.prologue_ops + from % per_period_, from / per_period_};
  }
  Slot& slot_of(std::uint32_t access, std::uint32_t copy) {
    const std::uint32_t m = pe_.accesses[access].micro_tensor;
    return slots_[first_slot_[m] + copy % pe_.micro_tensors[m].slots];
  }

  void visit(std::uint32_t op, std::uint32_t copy) {
    const MicroOp& micro_op = pe_.ops[op];
    const std::uint32_t node = node_of(op, copy);
    suspects_.clear();
    for (std::uint32_t a = micro_op.reads.begin; a < micro_op.reads.end; ++a) look(a, copy, node, false);
    for (std::uint32_t a = micro_op.writes.begin; a < micro_op.writes.end; ++a) look(a, copy, node, true);
    prove(op, copy, node);
    for (std::uint32_t a = micro_op.reads.begin; a < micro_op.reads.end; ++a)
      slot_of(a, copy).reads.push_back({node, a});
    for (std::uint32_t a = micro_op.writes.begin; a < micro_op.writes.end; ++a) record_write(a, copy, node);
  }

  /// Two micro-tensors of one shape in one place (an operator that works in place): element by element the
  /// same bytes.
  bool lie_alike(const Slot& a, const Slot& b) const {
    const MicroTensor &x = pe_.micro_tensors[a.micro_tensor], &y = pe_.micro_tensors[b.micro_tensor];
    return x.address == y.address && x.bytes == y.bytes && x.box == y.box && x.slots == 1 && y.slots == 1;
  }

  void look(std::uint32_t access, std::uint32_t copy, std::uint32_t node, bool writes) {
    const Slot& own = slot_of(access, copy);
    const Box& box = pe_.accesses[access].box;
    if (box.empty()) return;
    const auto scan = [&](const Slot& slot, bool same, const std::vector<Entry>& entries) {
      const bool periodic =
          pe_.micro_tensors[slot.micro_tensor].slots == pe_.micro_tensors[own.micro_tensor].slots;
      for (const Entry& entry : entries) {
        if (entry.node == node) continue;
        // The same pair, one or more periods earlier, has been looked at before.
        if (copy > 0 && periodic &&
            (entry.node >= pe_.prologue_ops + per_period_ || entry.node < pe_.prologue_ops))
          continue;
        if (same && !boxes_meet(pe_.accesses[entry.access].box, box)) continue;
        suspects_.push_back({entry.node, slot.micro_tensor, own.micro_tensor, false});
      }
    };
    scan(own, true, own.writes);
    if (writes) scan(own, true, own.reads);
    for (std::uint32_t o = own.overlaps_begin; o < own.overlaps_end; ++o) {
      const Slot& other = slots_[overlaps_[o]];
      const bool same_place = lie_alike(other, own);
      scan(other, same_place, other.writes);
      if (writes) scan(other, same_place, other.reads);
    }
  }

  void record_write(std::uint32_t access, std::uint32_t copy, std::uint32_t node) {
    Slot& slot = slot_of(access, copy);
    const Box& box = pe_.accesses[access].box;
    const auto superseded = [&](const Entry& entry) {
      return entry.node != node && covers(box, pe_.accesses[entry.access].box);
    };
    std::erase_if(slot.writes, superseded);
    std::erase_if(slot.reads, superseded);
    slot.writes.push_back({node, access});
  }

  /// Every suspect must be an ancestor of `node`. Most are near: a short search breadth first, no deeper than
  /// the earliest one. What it does not find is settled later, many at a time.
  void prove(std::uint32_t op, std::uint32_t copy, std::uint32_t node) {
    if (suspects_.empty()) return;
    std::uint32_t earliest = node;
    for (const Suspect& suspect : suspects_) earliest = std::min(earliest, suspect.node);
    ++stamp_;
    todo_.clear();
    expand(op, copy, earliest);
    std::size_t open = count_open();
    for (std::size_t head = 0; open > 0 && head < todo_.size() && head < kNearSteps; ++head) {
      const auto [next_op, next_copy] = op_and_copy(todo_[head]);
      expand(next_op, next_copy, earliest);
      if (++steps_since_count_ > 16) open = count_open();
    }
    if (count_open() == 0) return;
    for (const Suspect& suspect : suspects_)
      if (!suspect.proven)
        queries_.push_back({suspect.node, node, suspect.micro_tensor_earlier, suspect.micro_tensor_later});
  }

  /// Settles the open queries 64 earlier micro-ops at a time: one pass in list order (which is topological)
  /// carries a bit of each to everything that waits for it.
  void settle() {
    std::sort(queries_.begin(), queries_.end(), [](const Query& a, const Query& b) {
      return std::pair(a.earlier, a.later) < std::pair(b.earlier, b.later);
    });
    std::vector<std::uint64_t> reached(visited_.size(), 0);
    std::optional<Query> worst;
    for (std::size_t begin = 0, end = 0; begin < queries_.size(); begin = end) {
      std::uint32_t sources = 0, last = 0;
      const std::uint32_t first = queries_[begin].earlier;
      for (end = begin; end < queries_.size(); ++end) {
        if (end == begin || queries_[end].earlier != queries_[end - 1].earlier) {
          if (sources == 64) break;
          reached[queries_[end].earlier] = std::uint64_t{1} << sources++;
        }
        last = std::max(last, queries_[end].later);
      }
      for (std::uint32_t node = first; node <= last; ++node)
        reached[node] |= reached_through(node, first, reached);
      std::uint32_t bit = 0;
      for (std::size_t q = begin; q < end; ++q) {
        if (q > begin && queries_[q].earlier != queries_[q - 1].earlier) ++bit;
        if ((reached[queries_[q].later] >> bit & 1) == 0 && (!worst || queries_[q].later < worst->later))
          worst = queries_[q];
      }
      std::fill(reached.begin() + first, reached.begin() + last + 1, 0);
    }
    if (!worst) return;
    const auto [earlier, earlier_copy] = op_and_copy(worst->earlier);
    const auto [later, later_copy] = op_and_copy(worst->later);
    found_ = Hazard{earlier, later, later_copy - earlier_copy, worst->micro_tensor_earlier,
                    worst->micro_tensor_later};
  }

  std::uint64_t reached_through(std::uint32_t node, std::uint32_t first,
                                const std::vector<std::uint64_t>& reached) const {
    const auto [op, copy] = op_and_copy(node);
    const Range range = pe_.ops[op].dependences;
    std::uint64_t bits = 0;
    for (std::uint32_t d = range.begin; d < range.end; ++d) {
      const Dependence& dependence = pe_.dependences[d];
      const bool on_prologue = dependence.op < pe_.prologue_ops;
      if (!on_prologue && dependence.distance > copy) continue;
      const std::uint32_t before =
          on_prologue ? dependence.op : node_of(dependence.op, copy - dependence.distance);
      if (before >= first) bits |= reached[before];
    }
    return bits;
  }

  std::size_t count_open() {
    steps_since_count_ = 0;
    std::size_t open = 0;
    for (Suspect& suspect : suspects_) {
      suspect.proven = suspect.proven || visited_[suspect.node] == stamp_;
      open += !suspect.proven;
    }
    return open;
  }

  void expand(std::uint32_t op, std::uint32_t copy, std::uint32_t earliest) {
    const Range range = pe_.ops[op].dependences;
    for (std::uint32_t d = range.begin; d < range.end; ++d) {
      const Dependence& dependence = pe_.dependences[d];
      const bool on_prologue = dependence.op < pe_.prologue_ops;
      if (!on_prologue && dependence.distance > copy) continue;
      const std::uint32_t node =
          on_prologue ? dependence.op : node_of(dependence.op, copy - dependence.distance);
      if (node < earliest || visited_[node] == stamp_) continue;
      visited_[node] = stamp_;
      todo_.push_back(node);
    }
  }

  const PeProgram& pe_;
  std::uint32_t copies_ = 1, per_period_ = 0, stamp_ = 0, steps_since_count_ = 0;
  std::vector<Slot> slots_;
  std::vector<std::uint32_t> first_slot_;  ///< by micro-tensor
  std::vector<std::uint32_t> overlaps_;
  std::vector<std::uint32_t> visited_, todo_;
  std::vector<Suspect> suspects_;
  std::vector<Query> queries_;
  std::optional<Hazard> found_;
};

}  // namespace

std::optional<Hazard> find_hazard(const PeProgram& pe, std::uint32_t periods) {
  return HazardFinder(pe, periods).run();
}

bool kept_by_pipeline(const PeProgram& pe, std::uint32_t previous_matmul, std::uint32_t op) {
  const MicroOp &previous = pe.ops[previous_matmul], &current = pe.ops[op];
  if (previous.op != current.op || !current.matmul.accumulate) return false;
  if ((previous_matmul < pe.prologue_ops) != (op < pe.prologue_ops)) return false;
  for (std::uint32_t w = previous.writes.begin; w < previous.writes.end; ++w) {
    const std::uint32_t result = pe.accesses[w].micro_tensor;
    for (std::uint32_t r = current.reads.begin; r < current.reads.end; ++r) {
      if (pe.accesses[r].micro_tensor != result) continue;
      bool added_to = false;
      for (std::uint32_t own = current.writes.begin; own < current.writes.end; ++own)
        added_to = added_to || pe.accesses[own].micro_tensor == result;
      if (!added_to) return false;
    }
  }
  return true;
}

}  // namespace dfsim
