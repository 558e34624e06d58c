#include "sim/pe/compute_unit.h"

#include <algorithm>

namespace dfsim {

ComputeUnit::ComputeUnit(sc_core::sc_module_name name, const RunContext& context, Wakeable& sequencer)
    : sc_module(name), context_(context), sequencer_(sequencer) {
  SC_HAS_PROCESS(ComputeUnit);
  SC_METHOD(due);
  sensitive << event_;
  dont_initialize();
}

void ComputeUnit::due() {
  scheduled_ = RatedWork::kNever;
  if (!context_.draining) sequencer_.wake();
}

void ComputeUnit::start(const LoadedOp& op, std::uint32_t index, std::uint32_t instance, std::uint64_t now) {
  issuing_ = true;
  current_ = {index, instance, now, 0};
  loaded_ = &op;
  last_op_ = op.op;
  work_.start(op.issue_cycles, now);
  since_ = now;
}

void ComputeUnit::advance(std::uint64_t now, std::vector<RunningOp>& ended) {
  busy_ += (now - since_) * speed();
  since_ = now;
  if (issuing_) {
    work_.advance(now);
    if (work_.done()) {
      issuing_ = false;
      current_.end = now + loaded_->tail_cycles;
      draining_.push_back(current_);
    }
  }
  for (std::size_t i = 0; i < draining_.size();) {
    if (draining_[i].end > now) {
      ++i;
      continue;
    }
    ended.push_back(draining_[i]);
    draining_.erase(draining_.begin() + static_cast<std::ptrdiff_t>(i));
  }
}

Demand ComputeUnit::demand() const {
  if (!issuing_) return {};
  return {loaded_->read_bytes, loaded_->write_bytes, loaded_->issue_cycles};
}

std::uint64_t ComputeUnit::next_event() const {
  std::uint64_t next = issuing_ ? work_.end() : RatedWork::kNever;
  for (const RunningOp& op : draining_) next = std::min(next, op.end);
  return next;
}

void ComputeUnit::set_rate(std::uint64_t rate) {
  if (issuing_) work_.set_rate(rate);
  const std::uint64_t next = next_event();
  if (next == scheduled_) return;
  // An event holds one notification, and only an earlier one replaces it: cancel first.
  event_.cancel();
  scheduled_ = next;
  if (next != RatedWork::kNever) event_.notify(context_.until(next));
}

void ComputeUnit::reset() {
  event_.cancel();
  scheduled_ = RatedWork::kNever;
  issuing_ = false;
  draining_.clear();
  since_ = busy_ = 0;
}

}  // namespace dfsim
