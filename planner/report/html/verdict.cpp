#include <fmt/format.h>

#include <algorithm>
#include <numeric>

#include "planner/report/html/sections.h"
#include "planner/report/html/text.h"

namespace dfsim::html {

namespace {

struct Share {
  std::string name;
  std::uint64_t cycles;
};

/// What the cycles of all PEs went into, the largest first.
std::vector<Share> shares_of(const ReportData& data, const std::vector<PeData>& pes) {
  const Parts parts = parts_of(pes, data.all_pes());
  std::vector<Share> shares;
  for (std::size_t part = 0; part < parts.size(); ++part) shares.push_back({part_name(part), parts[part]});
  std::stable_sort(shares.begin(), shares.end(),
                   [](const Share& a, const Share& b) { return a.cycles > b.cycles; });
  return shares;
}

/// "67 % on dma_dram, 26 % on computing"
std::string shares_text(const std::vector<Share>& shares) {
  const auto all = static_cast<double>(
      std::accumulate(shares.begin(), shares.end(), std::uint64_t{0},
                      [](std::uint64_t sum, const Share& share) { return sum + share.cycles; }));
  std::string text;
  for (std::size_t i = 0; i < 3; ++i)
    if (shares[i].cycles > 0)
      text += fmt::format("{}{} on {}", text.empty() ? "" : ", ",
                          percent_text(static_cast<double>(shares[i].cycles), all), shares[i].name);
  return text;
}

const char* explanation(const std::string& what) {
  if (what == "computing") return "the matrix and vector units are what limits the plan";
  if (what == "dma_dram") return "PEs wait for loads and stores: DRAM bandwidth or latency limits the plan";
  if (what == "noc_no_credit") return "PEs cannot send: links of the NoC limit the plan";
  if (what == "no_grant") return "senders wait for receivers to free their buffers";
  if (what == "dependence") return "PEs wait for results of other PEs";
  if (what == "no_work") return "PEs have nothing to do: the plan leaves them idle";
  return "units fight for banks of the scratchpad";
}

/// MACs done per cycle in the steady state, as a share of what all matrix units could do.
double peak_share(const ReportData& data) {
  const double peak = static_cast<double>(data.hardware->peak_macs_per_pe()) *
                      static_cast<double>(data.pes.size()) * data.interval;
  return peak <= 0 ? 0 : static_cast<double>(data.macs_per_sample) / peak;
}

std::string bottleneck_text(const ReportData& data) {
  const std::vector<Share> whole = shares_of(data, data.pes);
  const bool steady = !data.steady_pes.empty() && data.steady_cycles() > 0;
  const std::vector<Share> shares = steady ? shares_of(data, data.steady_pes) : whole;
  std::string text = fmt::format("Bottleneck {}: {}. PEs spent {} of their cycles",
                                 steady ? "in the steady state" : "of the run", explanation(shares[0].name),
                                 shares_text(shares));
  if (shares[0].name == "computing" && peak_share(data) < 0.5)
    text += fmt::format(
        ", at {} of the peak of the matrix units: products are too small or narrow for them, or the "
        "vector units work",
        percent_text(peak_share(data), 1));
  if (steady) text += fmt::format("; in the whole run, its cold start included, {}", shares_text(whole));
  return text + fmt::format(
                    ". The busiest unit of the run was {}, {} of the time.", data.busiest,
                    percent_text(static_cast<double>(data.busiest_cycles), static_cast<double>(data.cycles)));
}

std::string tile(const std::string& value, const std::string& label) {
  return fmt::format("<div class=\"tile\"><strong>{}</strong><span>{}</span></div>\n", escaped(value),
                     escaped(label));
}

std::string search_text(const ReportData& data) {
  if (!data.planned) return "The plan was given, not searched for.";
  std::string text = fmt::format("Search: optimizer {}, {} round{}, stopped: {}. ", data.optimizer,
                                 data.rounds.size(), data.rounds.size() == 1 ? "" : "s", data.stopped);
  text += data.optimal
              ? "No other plan of the candidates formed has a better estimate."
              : fmt::format("Gap between the best measured plan and the bound: {:.2f} %.", 100 * data.gap);
  return text;
}

}  // namespace

std::string verdict_section(const ReportData& data) {
  const double period = data.period_cycles();
  std::string body = "<p class=\"verdict\">";
  body += escaped(fmt::format("{} on {}: one sample every {} ({} cycles)", data.model, data.hardware_name,
                              time_text(data.interval, data.clock_period_ps),
                              grouped(static_cast<std::uint64_t>(data.interval + 0.5))));
  if (data.lower_bound > 0)
    body += fmt::format(", {:.2f} times the lower bound of this hardware", period / data.lower_bound);
  body += ".</p>\n<p class=\"verdict\">" + escaped(bottleneck_text(data));
  body += "</p>\n<div class=\"tiles\">\n";
  body += tile(time_text(period, data.clock_period_ps),
               fmt::format("a period of {} samples in steady state", data.samples));
  body += tile(time_text(static_cast<double>(data.latency), data.clock_period_ps),
               "until the first period is complete (latency)");
  body += tile(percent_text(peak_share(data), 1), "of the peak of all matrix units");
  body += tile(fmt::format("{} on {}", data.stages.size(), groups_of(data).size()), "stages on PE groups");
  body += tile(bytes_text(static_cast<double>(data.dram_read + data.dram_write)), "through DRAM in the run");
  body += tile(bytes_text(static_cast<double>(data.payload)), "payload delivered by the NoC in the run");
  body += tile(energy_text(data.energy_total_pj), "energy of the run");
  body += "</div>\n<p>" + escaped(search_text(data)) + "</p>\n";
  body += fmt::format(
      "<p>All numbers are counted by the simulator in one run of the whole plan: {} cycles, {} period{} of "
      "fill "
      "and {} measured, a cycle of {} ps.</p>\n",
      grouped(data.cycles), data.fill_periods, data.fill_periods == 1 ? "" : "s", data.periods,
      data.clock_period_ps);
  return section("verdict", "Verdict", body);
}

}  // namespace dfsim::html
