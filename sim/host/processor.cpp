#include "sim/host/processor.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "sim/base/errors.h"

namespace dfsim {

// ---------------------------------------------------------------- common

Processor::Processor(sc_core::sc_module_name name, const ProcessorSpec& spec, std::uint32_t index)
    : sc_module(name), listener("listener"), spec_(spec), index_(index) {
  SC_METHOD(woken);
  sensitive << wake_;
  dont_initialize();
}

void Processor::submit(const Job& job) {
  queue_.emplace(std::pair(job.request, job.subgraph), job);
  wake_.notify(sc_core::SC_ZERO_TIME);
}

void Processor::woken() { advance(); }

void Processor::wake_at(std::uint64_t ps) {
  wake_.cancel();
  wake_.notify(sc_core::sc_time::from_value(ps - now_ps()));
}

Job Processor::take() {
  const Job job = queue_.begin()->second;
  queue_.erase(queue_.begin());
  return job;
}

void Processor::occupied(std::uint64_t from_ps, std::uint64_t to_ps) {
  from_ps = std::max(from_ps, busy_until_ps_);
  if (to_ps <= from_ps) return;
  busy_ps_ += to_ps - from_ps;
  busy_until_ps_ = to_ps;
}

void Processor::reset() {
  wake_.cancel();
  queue_.clear();
  start_ = sc_core::sc_time_stamp();
  busy_ps_ = busy_until_ps_ = 0;
}

// ---------------------------------------------------------------- CPU and GPU

double RooflineProcessor::speed() const {
  double shares = 0;
  for (const Running& running : running_)
    if (!running.launching) shares += running.share;
  return shares > 1 ? 1 / shares : 1;
}

/// Takes off what was worked since the last change.
void RooflineProcessor::progress() {
  const std::uint64_t now = now_ps();
  const double worked = static_cast<double>(now - updated_ps_) * speed();
  for (Running& running : running_)
    if (!running.launching) running.left_ps -= worked;
  if (!running_.empty()) occupied(updated_ps_, now);
  updated_ps_ = now;
}

void RooflineProcessor::begin_kernel(Running& running) {
  const KernelTime time = kernel_time(spec_, running.job.work->kernels[running.kernel]);
  running.launching = true;
  running.launched_ps = now_ps() + time.launch_ps;
  running.left_ps = time.work_ps;
  running.share = time.share;
}

bool RooflineProcessor::step(Running& running) {
  constexpr double kDonePs = 0.5;  // wakes are whole picoseconds
  if (running.launching && running.launched_ps <= now_ps()) running.launching = false;
  while (!running.launching && running.left_ps < kDonePs) {
    if (++running.kernel == running.job.work->kernels.size()) return false;
    begin_kernel(running);
    if (running.launched_ps <= now_ps()) running.launching = false;
  }
  return true;
}

void RooflineProcessor::advance() {
  progress();
  for (std::size_t i = 0; i < running_.size();) {
    if (step(running_[i])) {
      ++i;
      continue;
    }
    const Job job = running_[i].job;
    running_.erase(running_.begin() + static_cast<std::ptrdiff_t>(i));
    listener->job_ended(index_, job);
  }
  while (waiting() && running_.size() < spec_.streams) {
    Running running;
    running.job = take();
    begin_kernel(running);
    listener->job_started(index_, running.job);
    running_.push_back(running);
  }
  schedule();
}

void RooflineProcessor::schedule() {
  if (running_.empty()) return;
  const double rate = speed();
  std::uint64_t next = ~std::uint64_t{0};
  for (const Running& running : running_)
    next = std::min(next, running.launching ? running.launched_ps
                                            : now_ps() + static_cast<std::uint64_t>(std::ceil(
                                                             std::max(0.0, running.left_ps / rate) - 1e-6)));
  wake_at(std::max(next, now_ps()));
}

void RooflineProcessor::reset() {
  Processor::reset();
  running_.clear();
  updated_ps_ = 0;
}

// ---------------------------------------------------------------- card

const CardTime& CardProcessor::time_of(const Job& job) const {
  const auto it = job.work->card_times.find(index_);
  if (it == job.work->card_times.end())
    throw SimulationError(fmt::format("{}: no measured time for sub-graph {}", name(), job.subgraph));
  return it->second;
}

std::uint64_t CardProcessor::earliest_start() const {
  if (!last_) return 0;
  const Job& job = next();
  const bool follows = *last_ == std::pair(job.subgraph, job.sample_class);
  return follows ? last_start_ps_ + last_interval_ps_ : last_end_ps_;
}

void CardProcessor::advance() {
  const std::uint64_t now = now_ps();
  while (!running_.empty() && running_.front().end_ps <= now) {
    const Job job = running_.front().job;
    running_.pop_front();
    listener->job_ended(index_, job);
  }
  while (waiting() && earliest_start() <= now) {
    const Job job = take();
    const CardTime& time = time_of(job);
    last_ = std::pair(job.subgraph, job.sample_class);
    last_start_ps_ = now;
    last_interval_ps_ = std::max<std::uint64_t>(1, time.interval_ps);
    last_end_ps_ = now + time.latency_ps;
    running_.push_back({job, last_end_ps_});
    occupied(now, last_end_ps_);
    listener->job_started(index_, job);
  }
  std::uint64_t next_ps = running_.empty() ? ~std::uint64_t{0} : running_.front().end_ps;
  if (waiting()) next_ps = std::min(next_ps, earliest_start());
  if (next_ps != ~std::uint64_t{0}) wake_at(std::max(next_ps, now));
}

void CardProcessor::reset() {
  Processor::reset();
  running_.clear();
  last_.reset();
  last_start_ps_ = last_end_ps_ = last_interval_ps_ = 0;
}

}  // namespace dfsim
