#include "planner/app/trace_options.h"

#include <fmt/format.h>

#include <algorithm>
#include <limits>
#include <optional>
#include <tuple>
#include <utility>

#include "planner/app/options.h"
#include "planner/report/plan_yaml.h"
#include "sim/base/errors.h"
#include "sim/trace/trace_file.h"

namespace dfsim {

namespace {

constexpr std::uint64_t kEnd = std::numeric_limits<std::uint64_t>::max();
constexpr std::uint64_t kCounterValues = 100;  ///< of each counter, over what is shown

using Window = std::pair<std::uint64_t, std::uint64_t>;

/// Cycles A and B of "A:B"; a side that is left out is the start or the end of the run.
std::optional<Window> window_from(const std::string& text, std::uint64_t clock_period_ps) {
  const std::size_t colon = text.find(':');
  if (colon == std::string::npos || text.find(':', colon + 1) != std::string::npos) return std::nullopt;
  const auto side = [&](const std::string& part, std::uint64_t open) -> std::optional<std::uint64_t> {
    return part.empty() ? std::optional(open) : cycles_from(part, clock_period_ps);
  };
  const auto from = side(text.substr(0, colon), 0), until = side(text.substr(colon + 1), kEnd);
  if (!from || !until || *from >= *until) return std::nullopt;
  return Window(*from, *until);
}

/// PEs of "chip0[0:4,0:8]" or of ids such as "0-7"; none if the text is neither or names PEs that are not
/// there.
std::optional<std::vector<PeId>> pes_from(const std::string& text, const HardwareSpec& hardware) {
  if (const auto ids = pes_of_ranges({text})) {
    for (const PeId pe : *ids)
      if (pe.value() >= hardware.pes.size()) return std::nullopt;
    return ids;
  }
  const auto box = submesh_from(text);
  if (!box || box->noc.value() >= hardware.nocs.size()) return std::nullopt;
  const auto& extent = hardware.nocs[box->noc.value()].graph.extent;
  if (box->x + box->width > extent[0] || box->y + box->height > extent[1] || box->z + box->depth > extent[2])
    return std::nullopt;
  return PeGroup{{*box}}.pes(hardware);
}

std::optional<TraceDetail> detail_from(const std::string& text) {
  if (text == "stage") return TraceDetail::stage;
  if (text == "op") return TraceDetail::op;
  if (text == "packet") return TraceDetail::packet;
  if (text == "flit") return TraceDetail::flit;
  return std::nullopt;
}

}  // namespace

void add_trace_options(CLI::App& command, TraceArguments& arguments) {
  command.add_option(
      "--trace", arguments.file,
      "trace file (.json, .json.gz, .pftrace, .vcd), or none (default trace.json.gz in the output "
      "folder)");
  command.add_option("--trace-detail", arguments.detail, "stage, op (micro-ops), packet or flit")
      ->capture_default_str();
  command.add_option("--trace-window", arguments.window,
                     "A:B, cycles or times; a side may be left out (default: one period after the fill)");
  command
      .add_option("--trace-pe", arguments.pes,
                  "only these PEs: chip0[0:2,0:4], or ids such as 0-7; repeatable")
      ->allow_extra_args(false);
  command.add_option("--trace-limit", arguments.limit, "most events in the file")->capture_default_str();
  command.add_option("--trace-time", arguments.time, "ns or cycles on the time axis")->capture_default_str();
}

void check_trace_arguments(const TraceArguments& arguments, const HardwareSpec& hardware) {
  Diagnostics mistakes;
  if (!arguments.file.empty() && arguments.file != "none" && !trace_format(arguments.file))
    mistakes.error({"--trace", 0, 0}, "'" + arguments.file + "' names no format",
                   "end it in .json, .json.gz, .pftrace or .vcd");
  if (!detail_from(arguments.detail))
    mistakes.error({"--trace-detail", 0, 0}, "unknown detail '" + arguments.detail + "'",
                   "known: stage, op, packet, flit");
  if (!arguments.window.empty() && !window_from(arguments.window, hardware.clock_period_ps))
    mistakes.error({"--trace-window", 0, 0}, "'" + arguments.window + "' is no window",
                   "for example 150000:250000, 1ms:2ms, or : for the whole run");
  for (const std::string& text : arguments.pes)
    if (!pes_from(text, hardware))
      mistakes.error({"--trace-pe", 0, 0}, "'" + text + "' names no PEs of " + hardware.name,
                     fmt::format("for example chip0[0:2,0:1], or ids from 0 to {}", hardware.pes.size() - 1));
  if (arguments.time != "ns" && arguments.time != "cycles")
    mistakes.error({"--trace-time", 0, 0}, "unknown time '" + arguments.time + "'", "known: ns, cycles");
  mistakes.throw_if_any<InputError>();
}

TraceOptions trace_options(const TraceArguments& arguments, const HardwareSpec& hardware,
                           const Measurement& seen, std::uint32_t fill_periods) {
  TraceOptions options = one_period_after_fill(seen, fill_periods);
  options.detail = detail_from(arguments.detail).value_or(TraceDetail::op);
  options.max_events = arguments.limit;
  options.time = arguments.time == "cycles" ? TraceTime::cycles : TraceTime::nanoseconds;
  const bool whole = options.detail == TraceDetail::stage && arguments.window.empty();
  const auto window =
      whole ? std::optional(Window(0, kEnd)) : window_from(arguments.window, hardware.clock_period_ps);
  if (window) {
    std::tie(options.from, options.until) = *window;
    const std::uint64_t end = seen.period_done_cycles.empty() ? 0 : seen.period_done_cycles.back();
    const std::uint64_t until = std::min(options.until, end);
    options.counter_cycles =
        std::max<std::uint64_t>(1, (until - std::min(until, options.from)) / kCounterValues);
  }
  if (!arguments.pes.empty()) options.pes.assign(hardware.pes.size(), false);
  for (const std::string& text : arguments.pes)
    for (const PeId pe : pes_from(text, hardware).value_or(std::vector<PeId>{}))
      options.pes[pe.value()] = true;
  return options;
}

}  // namespace dfsim
