// sim/trace/events.h: the events of a trace, whatever the file format.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace dfsim {

/// A name and a number or a text.
struct TraceArgument {
  std::string_view name;  ///< lives as long as the program
  bool is_text = false;
  std::uint64_t number = 0;
  std::string text;
};

inline TraceArgument trace_number(std::string_view name, std::uint64_t value) {
  return {name, false, value, {}};
}
inline TraceArgument trace_text(std::string_view name, std::string value) {
  return {name, true, 0, std::move(value)};
}

/// A group of tracks. `order` sorts groups and tracks in the viewer.
struct TraceProcess {
  std::uint32_t id = 0;
  std::string name;
  std::uint32_t order = 0;
};
/// A track of slices that do not overlap. `id` is unique in the file.
struct TraceThread {
  std::uint32_t process = 0, id = 0;
  std::string name;
  std::uint32_t order = 0;
};
/// A track of values. `id` is unique in the file, also among threads.
struct TraceCounter {
  std::uint32_t process = 0, id = 0;
  std::string name;
  std::string unit;
};

/// Cycles [start, end) on a track. Arrows run from the start of the slice with a number in `arrows_out` to
/// the end of the one with the same number as `arrow_in`.
struct TraceSlice {
  std::uint32_t process = 0, thread = 0;
  std::uint64_t start = 0, end = 0;
  std::string_view name;
  std::string_view category;
  std::vector<std::uint64_t> arrows_out;  ///< several of a multicast
  std::optional<std::uint64_t> arrow_in;
  std::vector<TraceArgument> arguments;
};

/// What is known of a trace as a whole, in order.
using TraceHead = std::vector<TraceArgument>;

/// A file format. A track is described before its first event; the slices of a track come in order of time.
class TraceSink {
 public:
  virtual ~TraceSink() = default;
  virtual void process(const TraceProcess& process) = 0;
  virtual void thread(const TraceThread& thread) = 0;
  virtual void counter_track(const TraceCounter& counter) = 0;
  virtual void slice(const TraceSlice& slice) = 0;
  virtual void counter(const TraceCounter& track, std::uint64_t cycle, double value) = 0;
  /// Nothing follows.
  virtual void finish(const TraceHead& head) = 0;
};

}  // namespace dfsim
