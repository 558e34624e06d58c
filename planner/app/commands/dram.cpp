#include "planner/app/commands/dram.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <chrono>
#include <cstdio>
#include <memory>
#include <nlohmann/json.hpp>
#include <optional>

#include "sim/base/errors.h"
#include "sim/mem/core/address_map.h"
#include "sim/mem/reference/device_file.h"
#include "sim/mem/reference/experiment.h"
#include "sim/mem/reference/pattern.h"

namespace dfsim {
namespace {

/// As typed.
struct DramOptions {
  std::string device;
  std::string address_map, scheduler;
  std::optional<std::uint32_t> channels, ranks;
  std::uint64_t requests = 100000;
  std::string pattern = "seqread";
  std::string load = "saturating";
  bool json = false;
};

[[noreturn]] void refuse(const std::string& option, const std::string& what, const std::string& hint = {}) {
  Diagnostics problem;
  problem.error({option, 0, 0}, what, hint);
  throw InputError(problem.list());
}

std::optional<double> parse_load(const std::string& text) {
  if (text == "saturating" || text == "idle") return std::nullopt;
  std::string digits = text.substr(0, text.find("pct_of_peak"));
  if (digits.ends_with('%')) digits.pop_back();
  double percent = 0;
  const auto [end, error] = std::from_chars(digits.data(), digits.data() + digits.size(), percent);
  if (error != std::errc{} || end != digits.data() + digits.size() || !(percent > 0 && percent <= 100))
    refuse("--load", fmt::format("'{}' is no load", text),
           "saturating, idle, or a percentage of the peak: 10");
  return percent / 100;
}

void choose_parts(const DramOptions& options, DramExperiment& e) {
  const bool staged = e.source == DramSource::dramsim3;
  e.address_map = reference_address_map(!options.address_map.empty() ? options.address_map
                                        : staged                     ? "shipped"
                                                                     : "RoBaRaCoCh",
                                        e.device);
  if (!AddressMapRegistry::instance().find(e.address_map))
    refuse("--address-map", fmt::format("unknown address map '{}'", options.address_map),
           fmt::format("known: shipped, bankgroup_low, {}",
                       fmt::join(AddressMapRegistry::instance().names(), ", ")));
  e.scheduler = !options.scheduler.empty() ? options.scheduler : staged ? "per_bank" : "FRFCFS";
  const std::vector<std::string> known =
      staged ? std::vector<std::string>{"per_bank"} : std::vector<std::string>{"FRFCFS", "RowHit"};
  if (std::find(known.begin(), known.end(), e.scheduler) == known.end())
    refuse("--scheduler", fmt::format("unknown scheduler '{}' for this device", e.scheduler),
           fmt::format("known for it: {}", fmt::join(known, ", ")));
}

DramExperiment make_experiment(const DramOptions& options) {
  const NamedDevice named = load_reference_device(options.device);
  DramExperiment e;
  e.device = named.device;
  e.source = named.source;
  e.channels = options.channels.value_or(reference_channels(e.device, e.source));
  e.device.ranks = options.ranks.value_or(reference_ranks(e.device, e.source));
  e.requests = options.requests;
  e.pattern = options.pattern;
  choose_parts(options, e);
  e.load = parse_load(options.load);
  if (e.channels == 0 || e.device.ranks == 0 || e.requests == 0)
    refuse("--channels, --ranks, --requests", "must be at least 1");
  if (!is_idle_pattern(e.pattern)) {
    const std::vector<std::string> names = pattern_names();
    if (std::find(names.begin(), names.end(), e.pattern) == names.end())
      refuse(
          "--pattern", fmt::format("unknown pattern '{}'", e.pattern),
          fmt::format("known: {}, idle_row_hit, idle_row_closed, idle_row_conflict", fmt::join(names, ", ")));
  }
  return e;
}

nlohmann::ordered_json to_json(const DramExperiment& e, const DramExperimentResult& r, double seconds) {
  nlohmann::ordered_json json;
  const auto if_reads = [&](auto value) { return r.reads != 0 ? nlohmann::ordered_json(value) : nullptr; };
  const bool idle = is_idle_pattern(e.pattern);
  json["cycles"] = r.cycles;
  json["bandwidth_gb_s"] = idle ? nlohmann::ordered_json() : nlohmann::ordered_json(r.bandwidth_gb_s);
  json["fraction_of_peak"] = idle ? nlohmann::ordered_json() : nlohmann::ordered_json(r.fraction_of_peak);
  json["mean_read_latency_cycles"] = if_reads(r.mean_read_latency_cycles);
  json["mean_read_latency_ns"] = if_reads(r.mean_read_latency_ns);
  json["p50_cycles"] = if_reads(r.p50_cycles);
  json["p99_cycles"] = if_reads(r.p99_cycles);
  json["wall_seconds"] = seconds;
  return json;
}

std::string to_text(const DramExperiment& e, const DramExperimentResult& r, double seconds) {
  std::string text = fmt::format("{}: {} channel(s), {} rank(s), {}, {}\n", e.device.name, e.channels,
                                 e.device.ranks, e.address_map, e.scheduler);
  if (!is_idle_pattern(e.pattern))
    text += fmt::format("bandwidth     {:.3f} GB/s, {:.1f} % of {:.2f}, {} requests in {} clocks\n",
                        r.bandwidth_gb_s, 100 * r.fraction_of_peak, peak_gb_s(e.device, e.channels),
                        e.requests, r.cycles);
  if (r.reads != 0)
    text += fmt::format("read latency  {:.2f} clocks = {:.2f} ns, median {}, 99 % below {}\n",
                        r.mean_read_latency_cycles, r.mean_read_latency_ns, r.p50_cycles, r.p99_cycles);
  return text + fmt::format("simulated in  {:.3f} s\n", seconds);
}

void run(const DramOptions& options) {
  const DramExperiment experiment = make_experiment(options);
  const auto start = std::chrono::steady_clock::now();
  const DramExperimentResult result = run_dram_experiment(experiment);
  const double seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
  const std::string text = options.json ? to_json(experiment, result, seconds).dump(2) + "\n"
                                        : to_text(experiment, result, seconds);
  std::fputs(text.c_str(), stdout);
}

}  // namespace

void add_dram_command(CLI::App& app, int& exit_code) {
  auto options = std::make_shared<DramOptions>();
  CLI::App* command = app.add_subcommand("dram", "measure a memory device alone under synthetic traffic");
  command
      ->add_option("--device", options->device,
                   "file in configs/memory/dramsim3 or configs/memory/ramulator2")
      ->required();
  command->add_option(
      "--address-map", options->address_map,
      "shipped (default of DRAMsim3 devices), bankgroup_low, RoBaRaCoCh (default of Ramulator "
      "devices), MOP4CLXOR");
  command->add_option("--scheduler", options->scheduler,
                      "FRFCFS (default) or RowHit with Ramulator devices; per_bank with DRAMsim3 devices");
  command->add_option("--channels", options->channels, "channels (default: as the device's source has it)");
  command->add_option("--ranks", options->ranks, "ranks per channel; of HBM: pseudo channels");
  command->add_option("--requests", options->requests, "bursts")->capture_default_str();
  command->add_option("--pattern", options->pattern, "see docs/memory.md")->capture_default_str();
  command->add_option("--load", options->load, "saturating, idle, or a percentage of the peak")
      ->capture_default_str();
  command->add_flag("--json", options->json, "print JSON");
  command->callback([options, &exit_code] {
    run(*options);
    exit_code = 0;
  });
}

}  // namespace dfsim
