#include "planner/app/commands/eth.h"

#include <fmt/format.h>

#include <cstdio>
#include <memory>
#include <nlohmann/json.hpp>

#include "planner/app/number_range.h"
#include "sim/eth/core/framing.h"

namespace dfsim {
namespace {

/// As typed.
struct EthOptions {
  EthernetLinkSpec link;
  std::uint64_t bytes = 1048576;
  std::uint64_t transfers = 1;
  bool json = false;
};

void run(const EthOptions& options) {
  const EthernetRun run = run_transfers(options.link, options.bytes, options.transfers);
  const double completion_ns = static_cast<double>(run.completion_ps) / 1000;
  const double bits = 8.0 * static_cast<double>(options.bytes) * static_cast<double>(options.transfers);
  const double goodput_gbps = bits / completion_ns;
  std::string text;
  if (options.json) {
    nlohmann::ordered_json json;
    json["completion_ns"] = completion_ns;
    json["goodput_gbps"] = goodput_gbps;
    json["frames"] = run.frames;
    json["wire_bytes"] = run.wire_bytes;
    text = json.dump(2) + "\n";
  } else {
    text = fmt::format(
        "{} transfer(s) of {} bytes over {} Gbit/s, {} ns, MTU {}\n"
        "completion    {:.3f} ns\n"
        "goodput       {:.3f} Gbit/s\n"
        "frames        {}, {} bytes on the wire\n",
        options.transfers, options.bytes, options.link.rate_gbps, options.link.delay_ns,
        options.link.mtu_bytes, completion_ns, goodput_gbps, run.frames, run.wire_bytes);
  }
  std::fputs(text.c_str(), stdout);
}

}  // namespace

void add_eth_command(CLI::App& app, int& exit_code) {
  auto options = std::make_shared<EthOptions>();
  CLI::App* command = app.add_subcommand("eth", "measure an Ethernet link alone");
  command->add_option("--rate-gbps", options->link.rate_gbps, "bits per nanosecond, each direction")
      ->check(finite_range(0.001, 100000.0))
      ->capture_default_str();
  command->add_option("--delay-ns", options->link.delay_ns, "propagation delay")
      ->check(CLI::Range(0, 1000000000))
      ->capture_default_str();
  command->add_option("--mtu", options->link.mtu_bytes, "payload bytes of a frame")
      ->check(CLI::Range(46, 65535))
      ->capture_default_str();
  command->add_option("--bytes", options->bytes, "of one transfer")
      ->check(CLI::Range(std::uint64_t{1}, std::uint64_t{1} << 40))
      ->capture_default_str();
  command->add_option("--transfers", options->transfers, "transfers, all waiting at time 0")
      ->check(CLI::Range(std::uint64_t{1}, std::uint64_t{1} << 20))
      ->capture_default_str();
  command->add_flag("--json", options->json, "print JSON");
  command->callback([options, &exit_code] {
    run(*options);
    exit_code = 0;
  });
}

}  // namespace dfsim
