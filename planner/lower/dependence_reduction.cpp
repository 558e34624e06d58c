#include "planner/lower/dependence_reduction.h"

#include <algorithm>
#include <cstdint>
#include <tuple>
#include <vector>

namespace dfsim {

namespace {

/// Micro-ops looked at one by one in search of chains, before the rest is left to `settle`.
constexpr std::size_t kNearSteps = 256;

/// The list of a PE unrolled over one period more than its longest dependence. A node is a micro-op in one of
/// them (prologue micro-ops have one node), and every dependence leads to a smaller node. That of distance k
/// is asked about in period k, where its other end is in period 0.
class ReductionSearch {
 public:
  explicit ReductionSearch(const PeProgram& pe)
      : pe_(pe),
        per_period_(static_cast<std::uint32_t>(pe.ops.size()) - pe.prologue_ops),
        implied_(pe.dependences.size(), false) {
    for (const Dependence& dependence : pe.dependences)
      if (dependence.op >= pe.prologue_ops) periods_ = std::max(periods_, dependence.distance + 1);
    nodes_ = pe.prologue_ops + std::size_t{periods_} * per_period_;
    found_.assign(nodes_, 0);
    queued_.assign(nodes_, 0);
  }

  /// By dependence: is it implied?
  const std::vector<bool>& run() {
    for (std::uint32_t op = 0; op < pe_.ops.size(); ++op) {
      const std::uint32_t periods = op < pe_.prologue_ops ? 1 : periods_;
      for (std::uint32_t period = 0; period < periods; ++period) look_near({op, period});
    }
    settle();
    return implied_;
  }

 private:
  struct Place {
    std::uint32_t op, period;
  };
  struct Question {
    std::uint32_t target;  ///< node
    Place asker;
    std::uint32_t dependence;
  };

  std::uint32_t node(const Place& place) const {
    return place.op < pe_.prologue_ops ? place.op : place.op + place.period * per_period_;
  }
  Place place(std::uint32_t node) const {
    if (node < pe_.prologue_ops) return {node, 0};
    const std::uint32_t period = (node - pe_.prologue_ops) / per_period_;
    return {node - period * per_period_, period};
  }
  /// The period in which a dependence is asked about.
  std::uint32_t asked_in(const Dependence& dependence) const {
    return dependence.op < pe_.prologue_ops ? 0 : dependence.distance;
  }

  /// Calls f(number of the dependence, node that it leads to) for those that there are in this period.
  template <class F>
  void each_dependence(const Place& from, F f) const {
    const Range range = pe_.ops[from.op].dependences;
    for (std::uint32_t d = range.begin; d < range.end; ++d) {
      const Dependence& dependence = pe_.dependences[d];
      if (asked_in(dependence) <= from.period)
        f(d, node({dependence.op, from.period - asked_in(dependence)}));
    }
  }

  /// Follows the chains from one micro-op as far down as the lowest node that is asked about.
  void look_near(const Place& asker) {
    std::uint32_t lowest = UINT32_MAX, highest = 0, asked = 0;
    each_dependence(asker, [&](std::uint32_t d, std::uint32_t target) {
      highest = std::max(highest, target);
      if (asked_in(pe_.dependences[d]) != asker.period) return;
      lowest = std::min(lowest, target);
      ++asked;
    });
    if (asked == 0 || lowest == highest) return;  // nothing else leads to a node above
    ++stamp_;
    todo_.clear();
    each_dependence(asker, [&](std::uint32_t, std::uint32_t target) { queue(target, lowest); });
    std::size_t head = 0;
    for (; head < todo_.size() && head < kNearSteps; ++head)
      each_dependence(place(todo_[head]), [&](std::uint32_t, std::uint32_t target) {
        found_[target] = stamp_;
        queue(target, lowest);
      });
    const bool all_seen = head == todo_.size();
    each_dependence(asker, [&](std::uint32_t d, std::uint32_t target) {
      if (asked_in(pe_.dependences[d]) != asker.period) return;
      if (found_[target] == stamp_)
        implied_[d] = true;
      else if (!all_seen && target != highest)
        open_.push_back({target, asker, d});
    });
  }

  void queue(std::uint32_t node, std::uint32_t lowest) {
    if (node <= lowest || queued_[node] == stamp_) return;
    queued_[node] = stamp_;
    todo_.push_back(node);
  }

  /// 64 targets at a time: one pass over the list, which is in topological order, carries a bit of each to
  /// everything that comes after it by some chain.
  void settle() {
    std::sort(open_.begin(), open_.end(), [](const Question& a, const Question& b) {
      return std::tie(a.target, a.dependence) < std::tie(b.target, b.dependence);
    });
    std::vector<std::uint64_t> reached(nodes_, 0);
    for (std::size_t begin = 0, end = 0; begin < open_.size(); begin = end) {
      std::uint32_t last = 0, targets = 0;
      for (end = begin; end < open_.size(); ++end) {
        if (end == begin || open_[end].target != open_[end - 1].target) {
          if (targets == 64) break;
          reached[open_[end].target] = std::uint64_t{1} << targets++;
        }
        last = std::max(last, node(open_[end].asker));
      }
      const std::uint32_t first = open_[begin].target;
      for (std::uint32_t at = first; at <= last; ++at)
        each_dependence(place(at), [&](std::uint32_t, std::uint32_t target) {
          if (target >= first) reached[at] |= reached[target];
        });
      answer(begin, end, reached);
      std::fill(reached.begin() + first, reached.begin() + last + 1, 0);
    }
  }

  void answer(std::size_t begin, std::size_t end, const std::vector<std::uint64_t>& reached) {
    std::uint32_t bit = 0;
    for (std::size_t q = begin; q < end; ++q) {
      if (q > begin && open_[q].target != open_[q - 1].target) ++bit;
      each_dependence(open_[q].asker, [&](std::uint32_t, std::uint32_t other) {
        if (other > open_[q].target && (reached[other] >> bit & 1) != 0) implied_[open_[q].dependence] = true;
      });
    }
  }

  const PeProgram& pe_;
  std::uint32_t per_period_, periods_ = 1;
  std::size_t nodes_ = 0;
  std::vector<bool> implied_;
  std::vector<std::uint32_t> found_, queued_;  ///< by node: stamp of the micro-op whose chains led there
  std::uint32_t stamp_ = 0;
  std::vector<std::uint32_t> todo_;
  std::vector<Question> open_;
};

/// Keeps the dependences for which `wanted(number)`.
template <class Wanted>
void keep_dependences(PeProgram& pe, const Wanted& wanted) {
  std::vector<Dependence> kept;
  kept.reserve(pe.dependences.size());
  for (MicroOp& op : pe.ops) {
    const Range range = op.dependences;
    op.dependences.begin = static_cast<std::uint32_t>(kept.size());
    for (std::uint32_t d = range.begin; d < range.end; ++d)
      if (wanted(d)) kept.push_back(pe.dependences[d]);
    op.dependences.end = static_cast<std::uint32_t>(kept.size());
  }
  pe.dependences = std::move(kept);
}

void sort_and_unite(PeProgram& pe) {
  std::vector<bool> repeated(pe.dependences.size(), false);
  for (const MicroOp& op : pe.ops) {
    const auto begin = pe.dependences.begin() + op.dependences.begin;
    const auto end = pe.dependences.begin() + op.dependences.end;
    // A micro-op of the prologue has one instance, whatever the distance.
    for (auto it = begin; it != end; ++it)
      if (it->op < pe.prologue_ops) it->distance = 0;
    std::sort(begin, end);
    for (auto it = begin; it != end; ++it)
      if (it != begin && *it == *(it - 1))
        repeated[static_cast<std::size_t>(it - pe.dependences.begin())] = true;
  }
  keep_dependences(pe, [&](std::uint32_t d) { return !repeated[d]; });
}

}  // namespace

void drop_implied_dependences(PeProgram& pe) {
  sort_and_unite(pe);
  const std::vector<bool> implied = ReductionSearch(pe).run();
  keep_dependences(pe, [&](std::uint32_t d) { return !implied[d]; });
}

}  // namespace dfsim
