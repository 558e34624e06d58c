#include "sim/pe/hazards.h"

#include <algorithm>
#include <limits>
#include <map>
#include <tuple>
#include <vector>

#include "sim/pe/order_proof.h"

namespace dfsim {

namespace {

/// More slots than this are looked at as if the list had been unrolled this often.
constexpr std::uint32_t kMaxUnroll = 9;

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
  HazardFinder(const PeProgram& pe, std::uint32_t periods)
      : pe_(pe), copies_(copies_needed(pe, periods)), order_(pe, copies_) {
    lay_out_slots();
  }

  std::optional<Hazard> run() {
    const std::uint32_t n = static_cast<std::uint32_t>(pe_.ops.size());
    for (std::uint32_t op = 0; op < pe_.prologue_ops; ++op) visit(op, 0);
    for (std::uint32_t copy = 0; copy < copies_; ++copy)
      for (std::uint32_t op = pe_.prologue_ops; op < n; ++op) visit(op, copy);
    const std::optional<OrderProof::Question> question = order_.settle();
    if (!question) return std::nullopt;
    const auto [earlier, earlier_copy] = order_.op_and_copy(question->earlier);
    const auto [later, later_copy] = order_.op_and_copy(question->later);
    return Hazard{earlier, later, later_copy - earlier_copy, question->micro_tensor_earlier,
                  question->micro_tensor_later};
  }

 private:
  static constexpr std::uint32_t kNobody = std::numeric_limits<std::uint32_t>::max();

  /// An access inside a micro-tensor; boxes decide whether two of them conflict.
  struct Entry {
    std::uint32_t node, access;
  };
  /// An access as another micro-tensor sees it that shares bytes: it may have touched any of them.
  struct Visitor {
    std::uint32_t node, micro_tensor, slot;
    bool writes;
  };
  /// One slot of a micro-tensor. Micro-tensors of one shape in one place (an operator that works in place)
  /// share it.
  struct Slot {
    std::uint32_t units_begin = 0, units_end = 0;  ///< stretches of bytes, see owner_
    bool owner = false;                            ///< of all of them
    std::vector<Entry> writes, reads;              ///< since what they touched was last overwritten
    std::vector<Visitor> present;   ///< accesses since it became owner that no later one is known to follow
    std::vector<Visitor> before;    ///< the same of those who owned its bytes before
    std::uint32_t last_before = 0;  ///< the largest node among them
  };

  static std::uint32_t copies_needed(const PeProgram& pe, std::uint32_t periods) {
    std::uint32_t slots = 1;
    for (const MicroTensor& tensor : pe.micro_tensors) slots = std::max(slots, tensor.slots);
    return std::max(1u, std::min({slots + 1, periods, kMaxUnroll}));
  }

  void lay_out_slots() {
    std::vector<std::uint64_t> cuts;
    std::map<std::tuple<std::uint32_t, std::uint32_t, std::uint32_t, Box>, std::uint32_t> places;
    for (const MicroTensor& tensor : pe_.micro_tensors) {
      for (std::uint32_t s = 0; s <= tensor.slots; ++s)
        cuts.push_back(tensor.address + std::uint64_t{tensor.bytes} * s);
      const auto [place, is_new] =
          places.try_emplace({tensor.address, tensor.bytes, tensor.slots, tensor.box}, slots_.size());
      first_slot_.push_back(place->second);
      if (is_new) slots_.resize(slots_.size() + tensor.slots);
    }
    std::sort(cuts.begin(), cuts.end());
    cuts.erase(std::unique(cuts.begin(), cuts.end()), cuts.end());
    const auto unit_at = [&](std::uint64_t address) {
      return static_cast<std::uint32_t>(std::lower_bound(cuts.begin(), cuts.end(), address) - cuts.begin());
    };
    for (std::uint32_t m = 0; m < pe_.micro_tensors.size(); ++m)
      for (std::uint32_t s = 0; s < pe_.micro_tensors[m].slots; ++s) {
        const MicroTensor& tensor = pe_.micro_tensors[m];
        Slot& slot = slots_[first_slot_[m] + s];
        slot.units_begin = unit_at(tensor.address + std::uint64_t{tensor.bytes} * s);
        slot.units_end = unit_at(tensor.address + std::uint64_t{tensor.bytes} * (s + 1));
      }
    owner_.assign(cuts.size(), kNobody);
  }

  std::uint32_t slot_of(std::uint32_t access, std::uint32_t copy) const {
    const std::uint32_t m = pe_.accesses[access].micro_tensor;
    return first_slot_[m] + copy % pe_.micro_tensors[m].slots;
  }

  void visit(std::uint32_t op, std::uint32_t copy) {
    const MicroOp& micro_op = pe_.ops[op];
    const std::uint32_t node = order_.node_of(op, copy);
    order_.begin(node);
    for (std::uint32_t a = micro_op.reads.begin; a < micro_op.reads.end; ++a) access(a, copy, node, false);
    for (std::uint32_t a = micro_op.writes.begin; a < micro_op.writes.end; ++a) access(a, copy, node, true);
    order_.finish();
  }

  void access(std::uint32_t index, std::uint32_t copy, std::uint32_t node, bool writes) {
    const Access& access = pe_.accesses[index];
    if (access.box.empty()) return;
    const std::uint32_t id = slot_of(index, copy);
    Slot& slot = slots_[id];
    compare_inside(slot, access, copy, node, writes);
    const Visitor visitor{node, access.micro_tensor, id, writes};
    if (!slot.owner) {
      if (writes || nobody_owns(slot))
        take_over(id);
      else
        read_from_owners(visitor, copy);
    }
    compare_with_those_before(slot, visitor, copy);
    join(slot.present, visitor);
    if (writes)
      record_write(slot, index, node);
    else
      slot.reads.push_back({node, index});
  }

  /// The same pair, one or more periods earlier, has been looked at before. Micro-tensors with slots that
  /// share bytes without being in the same place may meet in some periods only, so all periods are looked at.
  bool looked_at(std::uint32_t earlier, std::uint32_t micro_tensor_earlier, std::uint32_t micro_tensor_later,
                 std::uint32_t copy) const {
    if (copy == 0 || order_.in_first_copy(earlier)) return false;
    return first_slot_[micro_tensor_earlier] == first_slot_[micro_tensor_later] ||
           (pe_.micro_tensors[micro_tensor_earlier].slots == 1 &&
            pe_.micro_tensors[micro_tensor_later].slots == 1);
  }

  void compare_inside(const Slot& slot, const Access& access, std::uint32_t copy, std::uint32_t node,
                      bool writes) {
    const auto compare = [&](const std::vector<Entry>& entries) {
      for (const Entry& entry : entries) {
        const Access& other = pe_.accesses[entry.access];
        if (entry.node == node || !boxes_meet(other.box, access.box)) continue;
        if (!looked_at(entry.node, other.micro_tensor, access.micro_tensor, copy))
          order_.ask(entry.node, other.micro_tensor, access.micro_tensor);
      }
    };
    compare(slot.writes);
    if (writes) compare(slot.reads);
  }

  bool nobody_owns(const Slot& slot) const {
    return std::all_of(owner_.begin() + slot.units_begin, owner_.begin() + slot.units_end,
                       [](std::uint32_t owner) { return owner == kNobody; });
  }

  /// Calls f once for every other slot that owns some of these bytes.
  template <class F>
  void each_owner(const Slot& slot, F f) {
    owners_.assign(owner_.begin() + slot.units_begin, owner_.begin() + slot.units_end);
    std::sort(owners_.begin(), owners_.end());
    owners_.erase(std::unique(owners_.begin(), owners_.end()), owners_.end());
    for (const std::uint32_t owner : owners_)
      if (owner != kNobody && &slots_[owner] != &slot) f(slots_[owner]);
  }

  /// From now on the bytes belong to this slot. A takeover begins with a write, which conflicts with
  /// everything that the former owners did; so whoever comes after that write also comes after them, and
  /// owners before those can be forgotten.
  void take_over(std::uint32_t id) {
    Slot& slot = slots_[id];
    each_owner(slot, [&](Slot& former) {
      for (const Visitor& visitor : former.present)
        if (visitor.slot != id && share_bytes(slot, slots_[visitor.slot])) slot.before.push_back(visitor);
      former.owner = false;
    });
    for (const Visitor& former : slot.before) slot.last_before = std::max(slot.last_before, former.node);
    std::fill(owner_.begin() + slot.units_begin, owner_.begin() + slot.units_end, id);
    slot.owner = true;
    each_loser([&](Slot& loser) {
      loser.before.clear();
      loser.present.clear();
    });
  }

  /// Calls f for each of the last owners that own nothing any more.
  template <class F>
  void each_loser(F f) {
    for (const std::uint32_t owner : owners_) {
      if (owner == kNobody || slots_[owner].owner) continue;
      Slot& slot = slots_[owner];
      if (std::none_of(owner_.begin() + slot.units_begin, owner_.begin() + slot.units_end,
                       [&](std::uint32_t now) { return now == owner; }))
        f(slot);
    }
  }

  static bool share_bytes(const Slot& a, const Slot& b) {
    return a.units_begin < b.units_end && b.units_begin < a.units_end;
  }

  /// A read of bytes that another micro-tensor owns: it follows the owner's writes, and what comes later
  /// follows it. What nobody owns becomes its own.
  void read_from_owners(const Visitor& visitor, std::uint32_t copy) {
    const Slot& slot = slots_[visitor.slot];
    each_owner(slot, [&](Slot& owner) {
      for (const Visitor& former : owner.present)
        if (former.writes && former.node != visitor.node &&
            !looked_at(former.node, former.micro_tensor, visitor.micro_tensor, copy))
          order_.ask(former.node, former.micro_tensor, visitor.micro_tensor);
      owner.present.push_back(visitor);
      owner.before.push_back(visitor);
      owner.last_before = std::max(owner.last_before, visitor.node);
    });
    for (std::uint32_t unit = slot.units_begin; unit < slot.units_end; ++unit)
      if (owner_[unit] == kNobody) owner_[unit] = visitor.slot;
  }

  void compare_with_those_before(const Slot& slot, const Visitor& visitor, std::uint32_t copy) {
    if (slot.before.empty()) return;
    for (const Visitor& present : slot.present)  // has been compared with them itself
      if (order_.known_before(present.node) && (present.writes || !visitor.writes) &&
          present.node > slot.last_before)
        return;
    for (const Visitor& former : slot.before)
      if ((former.writes || visitor.writes) && former.node != visitor.node &&
          !looked_at(former.node, former.micro_tensor, visitor.micro_tensor, copy))
        order_.ask(former.node, former.micro_tensor, visitor.micro_tensor);
  }

  /// Whoever is known to come before the newcomer need not be remembered: the newcomer stands for both.
  void join(std::vector<Visitor>& present, const Visitor& visitor) {
    std::erase_if(present, [&](const Visitor& former) {
      return order_.known_before(former.node) && (visitor.writes || !former.writes);
    });
    present.push_back(visitor);
  }

  void record_write(Slot& slot, std::uint32_t index, std::uint32_t node) {
    const Box& box = pe_.accesses[index].box;
    const auto superseded = [&](const Entry& entry) {
      return entry.node != node && covers(box, pe_.accesses[entry.access].box);
    };
    std::erase_if(slot.writes, superseded);
    std::erase_if(slot.reads, superseded);
    slot.writes.push_back({node, index});
  }

  const PeProgram& pe_;
  std::uint32_t copies_;
  OrderProof order_;
  std::vector<Slot> slots_;
  std::vector<std::uint32_t> first_slot_;  ///< by micro-tensor
  std::vector<std::uint32_t> owner_;  ///< slot, by stretch of bytes between two neighbouring borders of slots
  std::vector<std::uint32_t> owners_;  ///< scratch space of each_owner()
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
