#include "planner/app/commands/collective.h"

#include <fmt/format.h>

#include <charconv>
#include <memory>
#include <nlohmann/json.hpp>

#include "planner/app/collective_runs.h"
#include "planner/app/exit_codes.h"
#include "planner/app/inputs.h"
#include "planner/report/plan_yaml.h"
#include "sim/base/errors.h"
#include "sim/system/system.h"

namespace dfsim {

namespace {

constexpr std::uint64_t kMostBytes = std::uint64_t{1} << 30;

/// As typed.
struct CollectiveOptions {
  std::string kind = "all_reduce", algorithm = "all", bytes = "1KiB,16KiB,256KiB", config, group;
  CollectiveSetting setting;
  std::vector<std::string> overrides;
  bool json = false;
};

/// Options, checked.
struct Task {
  std::string config_path;
  HardwareConfig config;
  CollectiveSetting setting;
  std::vector<std::string> algorithms;
  std::vector<std::uint64_t> sizes;
};

/// "4096", "64KiB" or "1MiB".
std::optional<std::uint64_t> bytes_from(std::string_view text) {
  std::uint64_t value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  const std::string_view unit(end, static_cast<std::size_t>(text.data() + text.size() - end));
  if (error != std::errc{} || value > kMostBytes) return std::nullopt;
  if (unit == "KiB") value *= 1024;
  if (unit == "MiB") value *= 1024 * 1024;
  const bool known = unit.empty() || unit == "KiB" || unit == "MiB";
  return known && value > 0 && value <= kMostBytes && value % 4 == 0 ? std::optional(value) : std::nullopt;
}

std::vector<std::uint64_t> read_sizes(const std::string& text, Diagnostics& problems) {
  std::vector<std::uint64_t> sizes;
  for (std::size_t begin = 0; begin <= text.size();) {
    const std::size_t end = std::min(text.find(',', begin), text.size());
    const std::string item = text.substr(begin, end - begin);
    if (const auto bytes = bytes_from(item))
      sizes.push_back(*bytes);
    else
      problems.error({"--bytes", 0, 0}, fmt::format("'{}' is no size", item),
                     "a multiple of 4 up to 1024MiB, as 4096, 64KiB or 1MiB; several with commas");
    begin = end + 1;
  }
  return sizes;
}

void read_group(const CollectiveOptions& options, Task& task, Diagnostics& problems) {
  const HardwareSpec& hardware = task.config.spec;
  const auto whole = [&](std::uint32_t noc) {
    const auto& extent = hardware.nocs[noc].graph.extent;
    return Submesh{NocId(noc), 0, 0, 0, extent[0], extent[1], extent[2]};
  };
  Submesh& group = task.setting.group;
  const std::optional<Submesh> typed = options.group.empty() ? whole(0) : submesh_from(options.group);
  if (!typed) {
    problems.error({"--group", 0, 0}, fmt::format("'{}' is no submesh", options.group),
                   "for example chip0[0:4,0:2]: x from 0 to 3, y from 0 to 1");
    return;
  }
  group = *typed;
  const bool there = group.noc.value() < hardware.nocs.size();
  const Submesh all = whole(there ? group.noc.value() : 0);
  if (!there || group.x + group.width > all.width || group.y + group.height > all.height ||
      group.z + group.depth > all.depth)
    problems.error({"--group", 0, 0}, fmt::format("there is no {}", group.to_string()),
                   fmt::format("this hardware has {} chip(s) of {} PEs each: {}", hardware.nocs.size(),
                               all.size(), all.to_string()));
  else if (group.depth > 1)
    problems.error({"--group", 0, 0}, fmt::format("{} has three dimensions", group.to_string()),
                   "give one layer of it");
  else if (task.setting.root >= group.size())
    problems.error({"--root", 0, 0}, fmt::format("rank {} of {} PEs", task.setting.root, group.size()),
                   fmt::format("ranks are 0 to {}", group.size() - 1));
}

void read_kind(const CollectiveOptions& options, Task& task, Diagnostics& problems) {
  std::vector<std::string> kinds;
  for (const CollectiveKind kind : collective_kinds()) {
    kinds.push_back(to_string(kind));
    if (kinds.back() == options.kind) task.setting.kind = kind;
  }
  if (std::find(kinds.begin(), kinds.end(), options.kind) == kinds.end()) {
    problems.error({"--kind", 0, 0}, fmt::format("unknown primitive '{}'", options.kind),
                   fmt::format("known: {}", fmt::join(kinds, ", ")));
    return;
  }
  const std::vector<std::string> known = collective_algorithms(task.setting.kind);
  task.algorithms = options.algorithm == "all" ? known : std::vector{options.algorithm};
  if (options.algorithm != "all" && std::find(known.begin(), known.end(), options.algorithm) == known.end())
    problems.error({"--algorithm", 0, 0},
                   fmt::format("unknown algorithm '{}' of {}", options.algorithm, options.kind),
                   fmt::format("known: all, {}", fmt::join(known, ", ")));
}

Task read_task(const CollectiveOptions& options) {
  Task task;
  task.setting = options.setting;
  Diagnostics problems;
  read_kind(options, task, problems);
  task.sizes = read_sizes(options.bytes, problems);
  if (options.config.empty())
    problems.error({"--config", 0, 0}, "no hardware given", "for example --config mesh4x4.yaml");
  else
    task.config_path = locate(options.config, "configs", "--config", problems);
  problems.throw_if_any<InputError>();
  task.config = load_config(task.config_path, options.overrides);
  read_group(options, task, problems);
  problems.throw_if_any<InputError>();
  return task;
}

nlohmann::ordered_json to_json(const CollectiveRun& run) {
  nlohmann::ordered_json json = {{"algorithm", run.algorithm}, {"bytes", run.bytes}};
  json["refusal"] = run.refusal.empty() ? nlohmann::ordered_json() : nlohmann::ordered_json(run.refusal);
  if (!run.refusal.empty()) return json;
  json["cycles"] = run.cycles;
  json["least_cycles"] = run.least_cycles;
  json["algorithm_least_cycles"] = run.algorithm_least_cycles;
  json["steps"] = run.traffic.steps;
  json["messages"] = run.traffic.messages;
  json["bytes_sent"] = run.traffic.elements * 4;
  json["most_sent_bytes"] = run.traffic.most_sent * 4;
  json["most_received_bytes"] = run.traffic.most_received * 4;
  return json;
}

void print_json(const Task& task, const std::vector<CollectiveRun>& runs) {
  const CollectiveSetting& setting = task.setting;
  nlohmann::ordered_json json = {
      {"version", 1},
      {"kind", to_string(setting.kind)},
      {"config", task.config_path},
      {"group", setting.group.to_string()},
      {"ranks", setting.group.size()},
      {"root", setting.root},
      {"link_width_bytes", task.config.spec.nocs[setting.group.noc.value()].link_width_bytes},
      {"piece_bytes", setting.piece_bytes},
      {"seed", setting.seed},
      {"runs", nlohmann::ordered_json::array()}};
  for (const CollectiveRun& run : runs) json["runs"].push_back(to_json(run));
  fmt::print("{}\n", json.dump(1));
}

/// A row per size, a column per algorithm: cycles, and how many times the bound that is.
void print_table(const Task& task, const std::vector<CollectiveRun>& runs) {
  const CollectiveSetting& setting = task.setting;
  fmt::print("{} on {}, {} PEs, links of {} bytes a cycle; cycles (times the bound)\n",
             to_string(setting.kind), setting.group.to_string(), setting.group.size(),
             task.config.spec.nocs[setting.group.noc.value()].link_width_bytes);
  fmt::print("{:>9} {:>9}", "bytes", "bound");
  for (const std::string& algorithm : task.algorithms) fmt::print(" {:>17}", algorithm);
  fmt::print("  best\n");
  for (std::size_t row = 0; row < task.sizes.size(); ++row) {
    const auto first = runs.begin() + static_cast<std::ptrdiff_t>(row * task.algorithms.size());
    const auto last = first + static_cast<std::ptrdiff_t>(task.algorithms.size());
    const CollectiveRun* best = nullptr;
    std::string cells;
    double bound = 0;
    for (auto run = first; run != last; ++run) {
      if (!run->refusal.empty()) {
        cells += fmt::format(" {:>17}", "-");
        continue;
      }
      bound = run->least_cycles;
      const std::string times =
          bound > 0 ? fmt::format("({:.2f})", static_cast<double>(run->cycles) / bound) : "";
      cells += fmt::format(" {:>17}", fmt::format("{} {:>7}", run->cycles, times));
      if (!best || run->cycles < best->cycles) best = &*run;
    }
    fmt::print("{:>9} {:>9.0f}{}  {}\n", task.sizes[row], bound, cells, best ? best->algorithm : "-");
  }
  for (const CollectiveRun& run : runs)
    if (!run.refusal.empty()) fmt::print("{}, {} bytes: {}\n", run.algorithm, run.bytes, run.refusal);
  fmt::print("every run was executed on numbers as well, and they were right\n");
}

int run(const CollectiveOptions& options) {
  const Task task = read_task(options);
  const auto runner = make_program_runner(task.config.spec);
  std::vector<CollectiveRun> runs;
  for (const std::uint64_t bytes : task.sizes)
    for (const std::string& algorithm : task.algorithms)
      runs.push_back(run_collective(*runner, task.setting, algorithm, bytes));
  if (options.json)
    print_json(task, runs);
  else
    print_table(task, runs);
  const bool none =
      std::all_of(runs.begin(), runs.end(), [](const auto& run) { return !run.refusal.empty(); });
  return none ? kNothingFits : kOk;
}

}  // namespace

void add_collective_command(CLI::App& app, int& exit_code) {
  auto options = std::make_shared<CollectiveOptions>();
  CLI::App* command = app.add_subcommand("collective", "measure communication primitives among PEs alone");
  command->add_option("--kind", options->kind, "broadcast, all_reduce ... (dfsim list)")
      ->capture_default_str();
  command->add_option("--algorithm", options->algorithm, "ring, tree ... or all")->capture_default_str();
  command->add_option("--bytes", options->bytes, "size of a PE's vector, or several: 4096,64KiB,1MiB")
      ->capture_default_str();
  command->add_option("--config", options->config, "hardware description");
  command->add_option("--group", options->group,
                      "PEs, as chip0[0:4,0:2]; the whole first chip unless stated");
  command->add_option("--root", options->setting.root, "rank of the root, row by row")->capture_default_str();
  command
      ->add_option("--piece-bytes", options->setting.piece_bytes, "longer messages are cut into such pieces")
      ->check(CLI::Range(4u, 1u << 20))
      ->capture_default_str();
  command->add_option("--seed", options->setting.seed, "of numbers and order of execution")
      ->capture_default_str();
  command->add_option("--set", options->overrides, "key.path=value of the config")->allow_extra_args(false);
  command->add_flag("--json", options->json, "print JSON");
  command->callback([options, &exit_code] { exit_code = run(*options); });
}

}  // namespace dfsim
