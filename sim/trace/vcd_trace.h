// sim/trace/vcd_trace.h: a trace as value change dump (IEEE 1364-2005, clause 18) for waveform viewers.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include "sim/trace/events.h"
#include "sim/trace/output_file.h"

namespace dfsim {

/// A scope per group. A signal of 16 bits per name of a track: how many of its slices are under way (tracks
/// of one name are lanes of one signal); of stalls one signal per cause. Counters are real signals. Changes
/// have to be in order of time, so they are kept (24 bytes each) until finish(). Arrows and arguments are
/// left out; names are reduced to letters, digits and '_'.
class VcdTrace : public TraceSink {
 public:
  VcdTrace(ByteSink& out, std::uint64_t cycle_ps) : out_(out), cycle_ps_(cycle_ps) {}
  void process(const TraceProcess& process) override;
  void thread(const TraceThread& thread) override;
  void counter_track(const TraceCounter& counter) override;
  void slice(const TraceSlice& slice) override;
  void counter(const TraceCounter& track, std::uint64_t cycle, double value) override;
  void finish(const TraceHead& head) override;

 private:
  struct Signal {
    std::string name;
    bool real = false;
  };
  struct Change {
    std::uint64_t cycle = 0;
    std::uint32_t signal = 0;
    double value = 0;  ///< of a real signal; else how many slices begin less how many end
  };
  std::uint32_t signal(std::uint32_t process, const std::string& name, bool real);
  void declare(const TraceHead& head);
  void dump();

  ByteSink& out_;
  std::uint64_t cycle_ps_;
  std::map<std::uint32_t, std::string> scopes_;                             ///< by process
  std::map<std::pair<std::uint32_t, std::string>, std::uint32_t> signals_;  ///< by process and name
  std::map<std::uint32_t, std::pair<std::uint32_t, std::string>> threads_;  ///< process and name
  std::map<std::uint32_t, std::uint32_t> counters_;                         ///< signal, by id
  std::vector<Signal> known_;
  std::vector<Change> changes_;
};

}  // namespace dfsim
