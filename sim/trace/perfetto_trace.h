// sim/trace/perfetto_trace.h: a trace as Perfetto protobuf (.pftrace).
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "sim/trace/events.h"
#include "sim/trace/output_file.h"

namespace dfsim {

/// Streams the message perfetto.protos.Trace, the parts of which that are used stand in
/// docs/schemas/trace.proto. Track descriptors, a begin and an end event per slice, counter events, and last
/// an instant event "about this trace" with the head as annotations. Times are nanoseconds, rounded down.
class PerfettoTrace : public TraceSink {
 public:
  PerfettoTrace(ByteSink& out, std::uint64_t cycle_ps);
  void process(const TraceProcess& process) override;
  void thread(const TraceThread& thread) override;
  void counter_track(const TraceCounter& counter) override;
  void slice(const TraceSlice& slice) override;
  void counter(const TraceCounter& track, std::uint64_t cycle, double value) override;
  void finish(const TraceHead& head) override;

 private:
  /// Texts that are written once and then named by number.
  using Interned = std::map<std::string, std::uint64_t, std::less<>>;
  std::uint64_t interned(Interned& table, std::uint32_t field, std::string_view text);
  std::string annotations(const std::vector<TraceArgument>& arguments);
  void descriptor(const std::string& track_descriptor);
  /// A packet at `cycle` with `event` and the texts that are new in it.
  void packet(std::uint64_t cycle, const std::string& event);
  void put(const std::string& packet);

  ByteSink& out_;
  std::uint64_t cycle_ps_;
  Interned names_, categories_, argument_names_, argument_texts_;
  std::string new_texts_;  ///< InternedData not yet written
  bool first_ = true;
};

}  // namespace dfsim
