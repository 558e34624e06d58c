// sim/trace/observer_list.h: several observers of one run.
#pragma once

#include <algorithm>
#include <vector>

#include "sim/api/observer.h"

namespace dfsim {

/// Passes every call on. At most one of them may want samples. They outlive this.
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
  std::uint64_t sample_cycles() const override {
    for (const Observer* each : observers_)
      if (each->sample_cycles() > 0) return each->sample_cycles();
    return 0;
  }
  void sample(const CounterSample& sample) override {
    for (Observer* each : observers_)
      if (each->sample_cycles() > 0) each->sample(sample);
  }

 private:
  std::vector<Observer*> observers_;
};

}  // namespace dfsim
