// planner/app/trace_options.h: the options that say what a trace shows, as typed and as meant.
#pragma once

#include <CLI/CLI.hpp>
#include <cstdint>
#include <string>
#include <vector>

#include "sim/api/hardware.h"
#include "sim/api/measurement.h"
#include "sim/trace/recorder.h"

namespace dfsim {

/// As typed.
struct TraceArguments {
  std::string file;  ///< "none", or empty: trace.json.gz in the output folder
  std::string detail = "op";
  std::string window;  ///< "A:B"; empty: one period after the fill
  std::vector<std::string> pes;
  std::uint64_t limit = TraceOptions{}.max_events;
  std::string time = "ns";
};

void add_trace_options(CLI::App& command, TraceArguments& arguments);

/// What is wrong with them on this hardware: throws InputError that names every mistake.
void check_trace_arguments(const TraceArguments& arguments, const HardwareSpec& hardware);

/// What they mean. `seen` is an earlier run of the same program, whose periods tell the default window.
TraceOptions trace_options(const TraceArguments& arguments, const HardwareSpec& hardware,
                           const Measurement& seen, std::uint32_t fill_periods);

}  // namespace dfsim
