#include "planner/app/sweep_points.h"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <set>
#include <string_view>

#include "planner/app/command_text.h"
#include "planner/app/version.h"
#include "planner/report/area.h"
#include "sim/base/errors.h"
#include "sim/base/files.h"
#include "sim/base/hash.h"

namespace dfsim {

namespace {

constexpr std::size_t kMostPoints = 10'000;
constexpr std::size_t kLongestFolder = 120;

std::string trimmed(const std::string& text) {
  const auto inner = [](char c) { return !std::isspace(static_cast<unsigned char>(c)); };
  const auto begin = std::find_if(text.begin(), text.end(), inner);
  const auto end = std::find_if(text.rbegin(), text.rend(), inner).base();
  return begin < end ? std::string(begin, end) : std::string();
}

/// Cut at commas that are in no bracket, brace or quote.
std::vector<std::string> values_of(const std::string& text) {
  std::vector<std::string> values(1);
  int depth = 0;
  char quote = 0;
  for (const char c : text) {
    if (quote) {
      if (c == quote) quote = 0;
    } else if (c == '"' || c == '\'') {
      quote = c;
    } else if (c == '[' || c == '{') {
      ++depth;
    } else if (c == ']' || c == '}') {
      --depth;
    } else if (c == ',' && depth == 0) {
      values.emplace_back();
      continue;
    }
    values.back() += c;
  }
  for (std::string& value : values) value = trimmed(value);
  return values;
}

SweepKey key_of(const std::string& text, Diagnostics& mistakes) {
  const SourceLocation where{"--vary " + text, 0, 0};
  const std::size_t equals = text.find('=');
  SweepKey key;
  key.name = trimmed(text.substr(0, equals));
  if (equals == std::string::npos || key.name.empty()) {
    mistakes.error(where, "is no key.path=value,value", "for example --vary noc.dims=4x4,8x8");
    return key;
  }
  key.values = values_of(text.substr(equals + 1));
  std::set<std::string> seen;
  for (const std::string& value : key.values) {
    if (value.empty()) mistakes.error(where, "has an empty value", "for example --vary noc.dims=4x4,8x8");
    if (!value.empty() && !seen.insert(value).second) mistakes.error(where, "names '" + value + "' twice");
  }
  return key;
}

/// The name as a folder: what is not plain becomes '_', and then a hash tells equal ones apart.
std::string folder_of(const std::string& name) {
  std::string folder;
  for (const char c : name)
    folder +=
        std::isalnum(static_cast<unsigned char>(c)) || std::string_view("._=,+-").find(c) != std::string::npos
            ? c
            : '_';
  if (folder == name && folder.size() <= kLongestFolder) return "points/" + folder;
  return "points/" + folder.substr(0, kLongestFolder) + "-" + content_hash(name).substr(0, 8);
}

/// Of the executable: another build may plan otherwise.
const std::string& executable_hash() {
  static const std::string hash = content_hash(read_file("/proc/self/exe"));
  return hash;
}

/// Values of point `index`, the last key varying fastest.
std::vector<std::string> combination(const std::vector<SweepKey>& keys, std::size_t index) {
  std::vector<std::string> values(keys.size());
  for (std::size_t k = keys.size(); k-- > 0;) {
    values[k] = keys[k].values[index % keys[k].values.size()];
    index /= keys[k].values.size();
  }
  return values;
}

SweepTask task_of(const SweepOptions& options, const std::vector<SweepKey>& keys, std::size_t index,
                  const std::string& out) {
  SweepTask task;
  task.options = options;  // what all points share
  task.point.values = combination(keys, index);
  for (std::size_t k = 0; k < keys.size(); ++k) {
    const std::string setting = keys[k].name + "=" + task.point.values[k];
    task.point.name += (k > 0 ? "," : "") + setting;
    task.options.overrides.push_back(setting);
  }
  task.point.folder = folder_of(task.point.name);
  task.options.out = out + "/" + task.point.folder;
  return task;
}

/// What the run will be of: reads and checks the inputs.
void describe(SweepTask& task, Sweep& sweep) {
  const Inputs inputs = load_inputs(task.options.config, task.options.model, task.options.overrides);
  const HardwareSpec& hardware = inputs.config.spec;
  loop_options(task.options, hardware);  // refuses what makes no sense
  check_trace_arguments(task.options.trace, hardware);
  task.point.pes = hardware.pes.size();
  task.point.memory_ports = hardware.memory.size();
  task.point.area_mm2 = area_proxy(hardware).total_mm2();
  task.peak_macs =
      static_cast<double>(hardware.pes.size()) * static_cast<double>(hardware.peak_macs_per_pe());
  const std::string settings =
      command_text(*task.options.command, {"--vary", "--config", "--model", "--set"});
  task.options.command_line = command_text(*task.options.command, {"--vary", "--set"});
  task.options.command_line.replace(0, std::string_view("dfsim sweep").size(), "dfsim");
  for (const std::string& setting : task.options.overrides)
    task.options.command_line += " --set " + shell_quoted(setting);
  task.identity = content_hash(executable_hash() + "\n" + settings + "\n" + inputs.config.resolved_text +
                               "\n" + inputs.model.resolved_text);
  sweep.hardware = hardware.name;
  sweep.model = inputs.model.graph.name;
}

}  // namespace

std::vector<SweepKey> sweep_keys(const std::vector<std::string>& vary) {
  Diagnostics mistakes;
  std::vector<SweepKey> keys;
  std::set<std::string> names;
  double points = 1;
  if (vary.empty())
    mistakes.error({"--vary", 0, 0}, "something to vary is needed", "for example --vary noc.dims=4x4,8x8");
  for (const std::string& text : vary) {
    keys.push_back(key_of(text, mistakes));
    points *= static_cast<double>(std::max<std::size_t>(keys.back().values.size(), 1));
    if (!names.insert(keys.back().name).second)
      mistakes.error({"--vary " + text, 0, 0}, "varies '" + keys.back().name + "' again",
                     "give all its values in one --vary");
  }
  if (points > kMostPoints)
    mistakes.error({"--vary", 0, 0}, fmt::format("{:.0f} points are too many", points),
                   fmt::format("at most {}", kMostPoints));
  mistakes.throw_if_any<InputError>();
  return keys;
}

std::vector<SweepTask> sweep_tasks(const SweepOptions& options, const std::vector<SweepKey>& keys,
                                   const std::string& out, Sweep& sweep) {
  std::size_t count = 1;
  for (const SweepKey& key : keys) count *= key.values.size();
  std::vector<SweepTask> tasks;
  std::vector<Diagnostic> mistakes;
  for (std::size_t i = 0; i < count; ++i) {
    tasks.push_back(task_of(options, keys, i, out));
    try {
      describe(tasks.back(), sweep);
    } catch (const InputError& error) {
      for (const Diagnostic& mistake : error.diagnostics()) {
        const auto same = [&](const Diagnostic& other) { return other.to_string() == mistake.to_string(); };
        if (std::none_of(mistakes.begin(), mistakes.end(), same)) mistakes.push_back(mistake);
      }
    }
  }
  if (!mistakes.empty()) throw InputError(mistakes);
  sweep.version = version();
  sweep.objective = options.objective == "latency" ? Objective::latency : Objective::interval;
  sweep.samples = options.samples;
  sweep.keys = keys;
  return tasks;
}

}  // namespace dfsim
