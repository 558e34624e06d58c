#include "sim/trace/trace_file.h"

#include <filesystem>
#include <memory>
#include <stdexcept>

#include "sim/base/files.h"
#include "sim/trace/chrome_trace.h"
#include "sim/trace/output_file.h"
#include "sim/trace/perfetto_trace.h"
#include "sim/trace/vcd_trace.h"

namespace dfsim {

namespace {

constexpr std::uint64_t kNanosecond = 1000;  ///< in picoseconds

std::unique_ptr<TraceSink> make_sink(TraceFormat format, ByteSink& out, std::uint64_t cycle_ps) {
  if (format == TraceFormat::perfetto) return std::make_unique<PerfettoTrace>(out, cycle_ps);
  if (format == TraceFormat::vcd) return std::make_unique<VcdTrace>(out, cycle_ps);
  return std::make_unique<ChromeTrace>(out, cycle_ps);
}

}  // namespace

std::optional<TraceFormat> trace_format(const std::string& name) {
  const std::string plain = name.ends_with(".gz") ? name.substr(0, name.size() - 3) : name;
  if (plain.ends_with(".json")) return TraceFormat::chrome;
  if (plain.ends_with(".pftrace")) return TraceFormat::perfetto;
  if (plain.ends_with(".vcd")) return TraceFormat::vcd;
  return std::nullopt;
}

TraceSummary write_trace_file(const TraceSource& source, const std::string& path) {
  const std::optional<TraceFormat> format = trace_format(path);
  if (!format) throw std::invalid_argument("no trace format is known for " + path);
  const std::filesystem::path target(path);
  std::error_code error;
  if (target.has_parent_path()) std::filesystem::create_directories(target.parent_path(), error);
  const std::string part = path + ".part";
  OutputFile file(part, path);
  const bool nanoseconds = source.recorder.options().time == TraceTime::nanoseconds;
  const auto sink = make_sink(*format, file, nanoseconds ? source.hardware.clock_period_ps : kNanosecond);
  const TraceSummary summary = write_timeline(source, *sink);
  file.close();
  std::filesystem::rename(part, target, error);
  if (error) throw FileError("cannot write " + path + ": " + error.message());
  return summary;
}

}  // namespace dfsim
