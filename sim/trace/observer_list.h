// sim/trace/observer_list.h: several observers of one run.
#pragma once

#include <algorithm>
#include <vector>

#include "sim/api/observer.h"

namespace dfsim {

/// Passes every call on; a sample to those that asked for it, and the last to all. They outlive this.
class ObserverList : public Observer {
 public:
  void add(Observer& observer) { observers_.push_back(&observer); }

  void micro_op(PeId pe, std::uint32_t op, std::uint32_t instance, std::uint64_t start,
                std::uint64_t end) override {
    for (Observer* each : observers_) each->micro_op(pe, op, instance, start, end);
  }
  void stall(PeId pe, StallCause cause, std::uint64_t start, std::uint64_t end) override {
    for (Observer* each : observers_) each->stall(pe, cause, start, end);
  }
  void transfer(TransferId transfer, std::uint32_t instance, std::uint64_t start,
                std::uint64_t end) override {
    for (Observer* each : observers_) each->transfer(transfer, instance, start, end);
  }
  bool wants_packets() const override {
    return std::any_of(observers_.begin(), observers_.end(), [](Observer* o) { return o->wants_packets(); });
  }
  void packet(const ObservedPacket& packet) override {
    for (Observer* each : observers_)
      if (each->wants_packets()) each->packet(packet);
  }
  bool wants_flits() const override {
    return std::any_of(observers_.begin(), observers_.end(), [](Observer* o) { return o->wants_flits(); });
  }
  void flits(const ObservedFlits& flits) override {
    for (Observer* each : observers_)
      if (each->wants_flits()) each->flits(flits);
  }
  std::uint64_t next_sample(std::uint64_t cycle) const override {
    std::uint64_t next = kNoSample;
    for (const Observer* each : observers_) next = std::min(next, each->next_sample(cycle));
    return next;
  }
  void sample(const CounterSample& sample) override {
    for (Observer* each : observers_)
      if (sample.last ? each->next_sample(0) != kNoSample : each->next_sample(sampled_) == sample.cycle)
        each->sample(sample);
    sampled_ = sample.cycle;
  }

 private:
  std::vector<Observer*> observers_;
  std::uint64_t sampled_ = 0;  ///< cycle of the sample before
};

}  // namespace dfsim
