#include "planner/verify/work_order.h"

namespace dfsim {

namespace {

constexpr std::uint64_t kHeldBackOneIn = 2;
constexpr std::uint64_t kOrderStream = 0x6f72646572ull;

}  // namespace

WorkOrder::WorkOrder(const Program& program, std::uint32_t periods, std::uint64_t seed)
    : program_(&program),
      periods_(periods),
      rng_(seed, kOrderStream),
      pes_(program.pes.size()),
      senders_(program.transfers.size()),
      receivers_(program.transfers.size()) {
  for (std::uint32_t index = 0; index < pes_.size(); ++index) build(index, program.pes[index]);
  std::vector<Step> free;
  for (std::uint32_t index = 0; index < pes_.size(); ++index) {
    const Pe& pe = pes_[index];
    for (std::uint32_t op = 0; op < pe.program->ops.size(); ++op)
      for (std::uint32_t period = 0; period < (op < pe.prologue ? 1 : periods_); ++period)
        if (waiting_for_[node({index, op, period})] == 0) free.push_back({index, op, period});
  }
  for (const Step& step : free) unblocked(step);
}

/// Counts what every step waits for, and turns the dependences round.
void WorkOrder::build(std::uint32_t index, const PeProgram& program) {
  Pe& pe = pes_[index];
  const auto ops = static_cast<std::uint32_t>(program.ops.size());
  pe.program = &program;
  pe.prologue = program.prologue_ops;
  pe.per_period = ops - program.prologue_ops;
  pe.first_node = instances_;
  instances_ += pe.prologue + std::uint64_t{pe.per_period} * periods_;
  waiting_for_.resize(instances_, 0);
  std::vector<std::vector<Follower>> followers(ops);
  for (std::uint32_t op = 0; op < ops; ++op) {
    const MicroOp& micro_op = program.ops[op];
    const std::uint32_t instances = op < pe.prologue ? 1 : periods_;
    for (std::uint32_t d = micro_op.dependences.begin; d < micro_op.dependences.end; ++d) {
      const Dependence& dependence = program.dependences[d];
      followers[dependence.op].push_back({op, dependence.distance});
      const std::uint32_t first = dependence.op < pe.prologue ? 0 : dependence.distance;
      for (std::uint32_t period = first; period < instances; ++period)
        ++waiting_for_[node({index, op, period})];
    }
    if (micro_op.kind == MicroOpKind::send || micro_op.kind == MicroOpKind::load) {
      senders_[micro_op.transfer.value()] = {index, op};
      const std::size_t grants = receivers(*program_, program_->transfers[micro_op.transfer.value()]).size();
      for (std::uint32_t period = 0; period < instances; ++period)
        waiting_for_[node({index, op, period})] += static_cast<std::uint32_t>(grants);
    }
    if (micro_op.kind == MicroOpKind::receive) receivers_[micro_op.transfer.value()].push_back({index, op});
  }
  pe.follower_begin.push_back(0);
  for (const std::vector<Follower>& list : followers) {
    pe.followers.insert(pe.followers.end(), list.begin(), list.end());
    pe.follower_begin.push_back(static_cast<std::uint32_t>(pe.followers.size()));
  }
}

std::uint64_t WorkOrder::node(const Step& step) const {
  return pes_[step.pe].first_node + step.op + std::uint64_t{step.period} * pes_[step.pe].per_period;
}

void WorkOrder::release(const Step& step) {
  if (--waiting_for_[node(step)] == 0) unblocked(step);
}

void WorkOrder::unblocked(const Step& step) {
  const MicroOpKind kind = op(step).kind;
  push({step.pe, step.op, step.period, kind == MicroOpKind::load || kind == MicroOpKind::receive});
}

/// The data of a load may come; the region of a receive has been granted to the sender.
void WorkOrder::begun(const Step& step) {
  if (op(step).kind == MicroOpKind::load) return push({step.pe, step.op, step.period});
  if (const End& sender = senders_[op(step).transfer.value()]; sender.known())
    release({sender.pe, sender.op, step.period});
}

void WorkOrder::push(const Step& step) {
  (rng_.below(kHeldBackOneIn) == 0 ? held_back_ : ready_).push_back(step);
}

std::optional<WorkOrder::Step> WorkOrder::next() {
  std::vector<Step>& pool = ready_.empty() ? held_back_ : ready_;
  if (pool.empty()) return std::nullopt;
  if (&pool == &ready_) std::swap(pool[rng_.below(pool.size())], pool.back());
  const Step step = pool.back();
  pool.pop_back();
  return step;
}

void WorkOrder::done(const Step& step) {
  if (step.begins) return begun(step);
  ++done_;
  const Pe& pe = pes_[step.pe];
  for (std::uint32_t f = pe.follower_begin[step.op]; f < pe.follower_begin[step.op + 1]; ++f) {
    const Follower& follower = pe.followers[f];
    if (step.op >= pe.prologue) {
      if (step.period + follower.distance < periods_)
        release({step.pe, follower.op, step.period + follower.distance});
    } else {
      const std::uint32_t instances = follower.op < pe.prologue ? 1 : periods_;
      for (std::uint32_t period = 0; period < instances; ++period) release({step.pe, follower.op, period});
    }
  }
  if (op(step).kind == MicroOpKind::send || op(step).kind == MicroOpKind::load)
    for (const End& receiver : receivers_[op(step).transfer.value()])
      push({receiver.pe, receiver.op, step.period});
}

std::optional<WorkOrder::Step> WorkOrder::blocked() const {
  for (std::uint32_t index = 0; index < pes_.size(); ++index)
    for (std::uint32_t op = 0; op < pes_[index].program->ops.size(); ++op)
      for (std::uint32_t period = 0; period < (op < pes_[index].prologue ? 1 : periods_); ++period)
        if (waiting_for_[node({index, op, period})] > 0) return Step{index, op, period};
  return std::nullopt;
}

}  // namespace dfsim
