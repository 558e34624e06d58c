#include "sim/trace/chrome_trace.h"

#include <fmt/compile.h>
#include <fmt/format.h>

#include <algorithm>
#include <iterator>

namespace dfsim {

namespace {

constexpr std::size_t kFlushBytes = 1 << 16;
constexpr std::string_view kReplacement = "\xEF\xBF\xBD";

/// Length of the UTF-8 sequence that starts `text`, 0 if it is none (RFC 3629, section 4; overlong forms and
/// surrogates are refused).
std::size_t utf8_length(std::string_view text) {
  const auto byte = [&](std::size_t i) { return static_cast<unsigned char>(text[i]); };
  const unsigned char first = byte(0);
  if (first < 0x80) return 1;
  const std::size_t length = first >= 0xC2 && first < 0xE0   ? 2
                             : first >= 0xE0 && first < 0xF0 ? 3
                             : first >= 0xF0 && first < 0xF5 ? 4
                                                             : 0;
  if (length == 0 || text.size() < length) return 0;
  for (std::size_t i = 1; i < length; ++i)
    if ((byte(i) & 0xC0) != 0x80) return 0;
  const bool wrong = (first == 0xE0 && byte(1) < 0xA0) || (first == 0xED && byte(1) > 0x9F) ||
                     (first == 0xF0 && byte(1) < 0x90) || (first == 0xF4 && byte(1) > 0x8F);
  return wrong ? 0 : length;
}

/// Microseconds with six decimals, exact.
template <class Out>
void append_time(Out& out, std::uint64_t picoseconds) {
  fmt::format_to(std::back_inserter(out), FMT_COMPILE("{}.{:06}"), picoseconds / 1'000'000,
                 picoseconds % 1'000'000);
}

std::string arguments_text(const std::vector<TraceArgument>& arguments) {
  std::string text;
  for (const TraceArgument& argument : arguments) {
    if (!text.empty()) text += ',';
    text += '"';
    text += argument.name;
    text += "\":";
    if (argument.is_text)
      text += '"' + json_escaped(argument.text) + '"';
    else
      fmt::format_to(std::back_inserter(text), FMT_COMPILE("{}"), argument.number);
  }
  return text;
}

}  // namespace

std::string json_escaped(std::string_view text) {
  std::string out;
  out.reserve(text.size());
  for (std::size_t i = 0; i < text.size();) {
    const auto c = static_cast<unsigned char>(text[i]);
    const std::size_t length = utf8_length(text.substr(i));
    if (length == 0) {
      out += kReplacement;
      ++i;
      continue;
    }
    if (c == '"' || c == '\\') {
      out += '\\';
      out += text[i];
    } else if (c < 0x20 || c == '<') {
      out += fmt::format("\\u{:04x}", static_cast<unsigned>(c));
    } else {
      out.append(text, i, length);
    }
    i += length;
  }
  return out;
}

ChromeTrace::ChromeTrace(ByteSink& out, std::uint64_t cycle_ps) : out_(out), cycle_ps_(cycle_ps) {
  text_ = "{\"displayTimeUnit\":\"ns\",\"traceEvents\":[\n";
}

void ChromeTrace::flush(std::size_t least) {
  if (text_.size() < least) return;
  out_.write(text_);
  text_.clear();
}

void ChromeTrace::line(std::string_view event) {
  if (any_) text_ += ",\n";
  any_ = true;
  text_ += event;
  flush(kFlushBytes);
}

void ChromeTrace::metadata(const char* what, std::uint32_t process, std::uint32_t thread,
                           const std::string& argument) {
  line(fmt::format(R"({{"ph":"M","name":"{}","pid":{},"tid":{},"args":{{{}}}}})", what, process, thread,
                   argument));
}

void ChromeTrace::process(const TraceProcess& process) {
  metadata("process_name", process.id, 0, fmt::format(R"("name":"{}")", json_escaped(process.name)));
  metadata("process_sort_index", process.id, 0, fmt::format(R"("sort_index":{})", process.order));
}

void ChromeTrace::thread(const TraceThread& thread) {
  metadata("thread_name", thread.process, thread.id,
           fmt::format(R"("name":"{}")", json_escaped(thread.name)));
  metadata("thread_sort_index", thread.process, thread.id, fmt::format(R"("sort_index":{})", thread.order));
}

void ChromeTrace::slice(const TraceSlice& slice) {
  fmt::memory_buffer event;
  fmt::format_to(std::back_inserter(event),
                 FMT_COMPILE(R"({{"ph":"X","name":"{}","cat":"{}","pid":{},"tid":{},"ts":)"),
                 json_escaped(slice.name), slice.category, slice.process, slice.thread);
  append_time(event, slice.start * cycle_ps_);
  fmt::format_to(std::back_inserter(event), FMT_COMPILE(R"(,"dur":)"));
  append_time(event, (slice.end - slice.start) * cycle_ps_);
  fmt::format_to(std::back_inserter(event), FMT_COMPILE(R"(,"args":{{{}}}}})"),
                 arguments_text(slice.arguments));
  line({event.data(), event.size()});
  for (const std::uint64_t out : slice.arrows_out) arrow("s", slice, out, slice.start, "");
  // Inside the slice, in its last cycle.
  if (slice.arrow_in)
    arrow("f", slice, *slice.arrow_in,
          std::max(slice.start, slice.end - std::min<std::uint64_t>(slice.end, 1)), R"(,"bp":"e")");
}

void ChromeTrace::arrow(const char* phase, const TraceSlice& slice, std::uint64_t id, std::uint64_t cycle,
                        const char* more) {
  fmt::memory_buffer event;
  fmt::format_to(
      std::back_inserter(event),
      FMT_COMPILE(R"({{"ph":"{}","name":"transfer","cat":"transfer","id":{},"pid":{},"tid":{},"ts":)"), phase,
      id, slice.process, slice.thread);
  append_time(event, cycle * cycle_ps_);
  fmt::format_to(std::back_inserter(event), FMT_COMPILE("{}}}"), more);
  line({event.data(), event.size()});
}

void ChromeTrace::counter(const TraceCounter& track, std::uint64_t cycle, double value) {
  fmt::memory_buffer event;
  fmt::format_to(std::back_inserter(event), FMT_COMPILE(R"({{"ph":"C","name":"{}","pid":{},"tid":0,"ts":)"),
                 json_escaped(track.name), track.process);
  append_time(event, cycle * cycle_ps_);
  fmt::format_to(std::back_inserter(event), FMT_COMPILE(R"(,"args":{{"{}":{}}}}})"), json_escaped(track.unit),
                 value);
  line({event.data(), event.size()});
}

void ChromeTrace::finish(const TraceHead& head) {
  text_ += "\n],\"otherData\":{\n";
  for (std::size_t i = 0; i < head.size(); ++i)
    text_ += arguments_text({head[i]}) + (i + 1 < head.size() ? ",\n" : "\n");
  text_ += "}}\n";
  flush(0);
}

}  // namespace dfsim
