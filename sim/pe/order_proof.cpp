#include "sim/pe/order_proof.h"

#include <algorithm>
#include <tuple>

namespace dfsim {

namespace {

/// Micro-ops looked at one by one in search of an order, before a question is put off.
constexpr std::size_t kNearSteps = 48;

}  // namespace

std::pair<std::uint32_t, std::uint32_t> OrderProof::op_and_copy(std::uint32_t node) const {
  if (node < pe_.prologue_ops || per_period_ == 0) return {node, 0};
  const std::uint32_t from = node - pe_.prologue_ops;
  return {pe_.prologue_ops + from % per_period_, from / per_period_};
}

template <class F>
void OrderProof::each_dependence(std::uint32_t node, F f) const {
  const auto [op, copy] = op_and_copy(node);
  const Range range = pe_.ops[op].dependences;
  for (std::uint32_t d = range.begin; d < range.end; ++d) {
    const Dependence& dependence = pe_.dependences[d];
    if (dependence.op < pe_.prologue_ops)
      f(dependence.op);
    else if (dependence.distance <= copy)
      f(node_of(dependence.op, copy - dependence.distance));
  }
}

void OrderProof::begin(std::uint32_t node) {
  ++stamp_;
  node_ = node;
  todo_.clear();
  expand(node);
}

void OrderProof::expand(std::uint32_t node) {
  each_dependence(node, [&](std::uint32_t before) {
    if (visited_[before] == stamp_) return;
    visited_[before] = stamp_;
    todo_.push_back(before);
  });
}

void OrderProof::finish() {
  if (open_.empty()) return;
  std::uint32_t earliest = node_;
  for (const Question& question : open_) earliest = std::min(earliest, question.earlier);
  for (std::size_t head = 0; head < todo_.size() && head < kNearSteps; ++head)
    if (todo_[head] > earliest) expand(todo_[head]);
  for (const Question& question : open_)
    if (!known_before(question.earlier)) deferred_.push_back(question);
  open_.clear();
}

std::optional<OrderProof::Question> OrderProof::settle() {
  std::sort(deferred_.begin(), deferred_.end(), [](const Question& a, const Question& b) {
    return std::tie(a.earlier, a.later) < std::tie(b.earlier, b.later);
  });
  std::vector<std::uint64_t> reached(visited_.size(), 0);
  std::optional<Question> worst;
  // 64 earlier micro-ops at a time: one pass over the list, which is in topological order, carries a bit of
  // each to everything that waits for it.
  for (std::size_t begin = 0, end = 0; begin < deferred_.size(); begin = end) {
    const std::uint32_t first = deferred_[begin].earlier;
    std::uint32_t sources = 0, last = 0;
    for (end = begin; end < deferred_.size(); ++end) {
      if (end == begin || deferred_[end].earlier != deferred_[end - 1].earlier) {
        if (sources == 64) break;
        reached[deferred_[end].earlier] = std::uint64_t{1} << sources++;
      }
      last = std::max(last, deferred_[end].later);
    }
    for (std::uint32_t node = first; node <= last; ++node) reached[node] |= carried(node, first, reached);
    std::uint32_t bit = 0;
    for (std::size_t q = begin; q < end; ++q) {
      if (q > begin && deferred_[q].earlier != deferred_[q - 1].earlier) ++bit;
      const bool ordered = (reached[deferred_[q].later] >> bit & 1) != 0;
      if (!ordered && (!worst || deferred_[q].later < worst->later)) worst = deferred_[q];
    }
    std::fill(reached.begin() + first, reached.begin() + last + 1, 0);
  }
  return worst;
}

std::uint64_t OrderProof::carried(std::uint32_t node, std::uint32_t first,
                                  const std::vector<std::uint64_t>& reached) const {
  std::uint64_t bits = 0;
  each_dependence(node, [&](std::uint32_t before) {
    if (before >= first) bits |= reached[before];
  });
  return bits;
}

}  // namespace dfsim
