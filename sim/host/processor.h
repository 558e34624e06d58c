// sim/host/processor.h: execution processors as modules: roofline processors (CPU, GPU) and dataflow cards.
#pragma once

#include <cstdint>
#include <deque>
#include <map>
#include <systemc>
#include <vector>

#include "sim/api/server.h"
#include "sim/host/core/roofline.h"
#include "sim/host/ports.h"

namespace dfsim {

/// What all have in common: jobs wait, the oldest request first, then the earlier sub-graph.
class Processor : public sc_core::sc_module, public JobSink {
 public:
  sc_core::sc_port<JobListener> listener;

  Processor(sc_core::sc_module_name name, const ProcessorSpec& spec, std::uint32_t index);
  void submit(const Job& job) override;
  virtual void reset();
  std::uint64_t busy_ps() const { return busy_ps_; }  ///< at least one job ran, since reset()

 protected:
  /// Lets waiting jobs begin and running ones end; called whenever something may have changed.
  virtual void advance() = 0;
  void wake_at(std::uint64_t ps);
  std::uint64_t now_ps() const { return (sc_core::sc_time_stamp() - start_).value(); }
  bool waiting() const { return !queue_.empty(); }
  const Job& next() const { return queue_.begin()->second; }
  Job take();
  void occupied(std::uint64_t from_ps, std::uint64_t to_ps);  ///< in the order of from_ps

  const ProcessorSpec& spec_;
  const std::uint32_t index_;

 private:
  SC_HAS_PROCESS(Processor);
  void woken();

  std::map<std::pair<std::uint32_t, std::uint32_t>, Job> queue_;  ///< by request, sub-graph
  sc_core::sc_event wake_;
  sc_core::sc_time start_;
  std::uint64_t busy_ps_ = 0, busy_until_ps_ = 0;
};

/// CPU or GPU: each of `streams` jobs at a time runs its operators one after another: launch, then work.
/// Works that together would fill more than the processor are slowed alike. Not modelled: that two kernels
/// bound by different things (compute, memory) disturb one another less.
class RooflineProcessor final : public Processor {
 public:
  using Processor::Processor;
  void reset() override;

 private:
  struct Running {
    Job job;
    std::size_t kernel = 0;
    bool launching = true;
    std::uint64_t launched_ps = 0;  ///< end of the launch
    double left_ps = 0;             ///< of the work, at full speed
    double share = 1;
  };
  void advance() override;
  void progress();
  void begin_kernel(Running& running);
  bool step(Running& running);  ///< false: the job has ended
  double speed() const;
  void schedule();

  std::vector<Running> running_;
  std::uint64_t updated_ps_ = 0;
};

/// A card runs one sub-graph's plan at a time: samples of the same sub-graph and class follow one another at
/// the measured interval, anything else waits until the card is empty. Not modelled: loading the program of
/// the next sub-graph (all are resident).
class CardProcessor final : public Processor {
 public:
  using Processor::Processor;
  void reset() override;

 private:
  struct Running {
    Job job;
    std::uint64_t end_ps = 0;
  };
  void advance() override;
  std::uint64_t earliest_start() const;
  const CardTime& time_of(const Job& job) const;

  std::deque<Running> running_;
  std::uint64_t last_start_ps_ = 0, last_end_ps_ = 0, last_interval_ps_ = 0;
  std::optional<std::pair<std::uint32_t, std::uint32_t>> last_;  ///< sub-graph and class
};

}  // namespace dfsim
