// sim/trace/chrome_trace.h: a trace in the Trace Event Format that Perfetto and chrome://tracing open.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "sim/trace/events.h"
#include "sim/trace/output_file.h"

namespace dfsim {

/// Text for between the quotes of a JSON string. "<" is escaped too, so that the text can stand in a page;
/// bytes that are no UTF-8 become U+FFFD.
std::string json_escaped(std::string_view text);

/// Streams JSON to `out`: one event per line, in the order of the calls. A cycle lasts `cycle_ps`
/// picoseconds on the time axis, which counts microseconds with six decimals and is so exact.
class ChromeTrace : public TraceSink {
 public:
  ChromeTrace(ByteSink& out, std::uint64_t cycle_ps);
  void process(const TraceProcess& process) override;
  void thread(const TraceThread& thread) override;
  void counter_track(const TraceCounter&) override {}
  void slice(const TraceSlice& slice) override;
  void counter(const TraceCounter& track, std::uint64_t cycle, double value) override;
  void finish(const TraceHead& head) override;

 private:
  void line(std::string_view event);
  void metadata(const char* what, std::uint32_t process, std::uint32_t thread, const std::string& argument);
  void arrow(const char* phase, const TraceSlice& slice, std::uint64_t id, std::uint64_t cycle,
             const char* more);
  void flush(std::size_t least);

  ByteSink& out_;
  std::uint64_t cycle_ps_;
  std::string text_;
  bool any_ = false;
};

}  // namespace dfsim
