// `dfsim dram` against rows of tests/data/dram: all unloaded latencies, and every third of the rest.
#include "sim/mem/reference/experiment.h"

#include <gtest/gtest.h>

#include <fstream>
#include <map>
#include <sstream>

#include "sim/base/csv.h"
#include "sim/mem/core/address_map.h"
#include "sim/mem/reference/device_file.h"
#include "sim/mem/reference/pattern.h"

namespace dfsim {
namespace {

using Row = std::map<std::string, std::string>;

std::vector<Row> rows_of(const std::string& source) {
  std::ifstream file(DFSIM_SOURCE_DIR "/tests/data/dram/" + source + ".csv", std::ios::binary);
  std::stringstream text;
  text << file.rdbuf();
  const std::vector<std::vector<std::string>> records = parse_csv(text.str());
  std::vector<Row> rows;
  for (std::size_t r = 1; r < records.size(); ++r) {
    Row row{{"scheduler", ""}};
    for (std::size_t i = 0; i < records[r].size(); ++i) row[records[0][i]] = records[r][i];
    rows.push_back(row);
  }
  return rows;
}

DramExperimentResult run(const std::string& source, const Row& row) {
  const NamedDevice named =
      load_reference_device(DFSIM_SOURCE_DIR "/configs/memory/" + source + "/" + row.at("device") + ".yaml");
  DramExperiment e;
  e.device = named.device;
  e.source = source == "ramulator2" ? DramSource::ramulator2 : DramSource::dramsim3;
  e.channels = reference_channels(e.device, e.source);
  e.device.ranks = reference_ranks(e.device, e.source);
  e.scheduler = row.at("scheduler");
  e.address_map = reference_address_map(row.at("address_mapping"), e.device);
  e.requests = std::stoull(row.at("requests"));
  e.pattern = row.at("pattern");
  if (row.at("load").ends_with("pct_of_peak")) e.load = std::stod(row.at("load")) / 100;
  return run_dram_experiment(e);
}

std::string name_of(const Row& row) {
  return row.at("device") + " " + row.at("scheduler") + " " + row.at("address_mapping") + " " +
         row.at("pattern") + " " + row.at("load");
}

/// Random or mixed traffic; everything else is one or more regular streams.
bool irregular(const std::string& pattern) { return pattern.starts_with("rand") || pattern.ends_with("mix"); }

// The tolerances of tests/data/dram/README.md.
void expect_agreement(const std::string& source, const Row& row) {
  const DramExperimentResult result = run(source, row);
  if (row.at("load") == "idle") {
    EXPECT_NEAR(result.mean_read_latency_cycles, std::stod(row.at("mean_read_latency_cycles")), 1)
        << name_of(row);
    return;
  }
  const double bandwidth = std::stod(row.at("bandwidth_GBs"));
  EXPECT_NEAR(result.bandwidth_gb_s, bandwidth, (irregular(row.at("pattern")) ? 0.10 : 0.05) * bandwidth)
      << name_of(row);
  if (row.at("load") == "saturating" || row.at("mean_read_latency_cycles").empty()) return;
  const double latency = std::stod(row.at("mean_read_latency_cycles"));
  EXPECT_NEAR(result.mean_read_latency_cycles, latency, 0.10 * latency) << name_of(row);
}

void expect_agreement_of_a_third(const std::string& source, std::size_t rows) {
  const std::vector<Row> all = rows_of(source);
  ASSERT_EQ(all.size(), rows);
  for (std::size_t i = 0; i < all.size(); ++i)
    if (i % 3 == 0 || all[i].at("load") == "idle") expect_agreement(source, all[i]);
}

TEST(DramReference, AgreesWithDramsim3) { expect_agreement_of_a_third("dramsim3", 164); }
TEST(DramReference, AgreesWithRamulator2) { expect_agreement_of_a_third("ramulator2", 189); }

TEST(DramPattern, FollowsItsDefinition) {
  PatternSpace space{1 << 20, 64, 8192, 131072};
  const auto at = [&](const char* name, std::uint64_t i) {
    const auto pattern = make_pattern(name, space);
    PatternRequest request;
    for (std::uint64_t k = 0; k <= i; ++k) request = pattern->next(k);
    return request;
  };
  EXPECT_EQ(at("seqread", 5).burst, 5u);
  EXPECT_TRUE(at("seqwrite", 5).write);
  EXPECT_EQ(at("twostreammix", 3).burst, (1u << 19) + 3 * 128 + 1);
  EXPECT_EQ(at("stridepage", 2).burst, 256u);
  EXPECT_EQ(at("stridesamebank", 2).burst, 4096u);
  EXPECT_EQ(at("strided4k", 3).burst, 192u);
  EXPECT_EQ(at("streams4", 7).burst, 3u * (1 << 18) + 977 * 3 + 1);
  EXPECT_EQ(at("randread", 0).burst, 8748534153485358512ull % (1 << 20));  // first value of xorshift64
}

}  // namespace
}  // namespace dfsim
