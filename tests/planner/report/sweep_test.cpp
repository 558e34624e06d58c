#include "planner/report/sweep.h"

#include <gtest/gtest.h>

#include <cmath>
#include <nlohmann/json.hpp>

#include "planner/report/area.h"
#include "sim/base/csv.h"
#include "sim/hw/hardware_config.h"

namespace dfsim {
namespace {

SweepPoint point(std::vector<std::string> values, std::uint64_t pes, double interval, double energy) {
  SweepPoint p;
  for (const std::string& value : values) p.name += (p.name.empty() ? "k=" : ",l=") + value;
  p.folder = "points/" + p.name;
  p.values = std::move(values);
  p.pes = pes;
  p.area_mm2 = 2.0 * static_cast<double>(pes);
  p.status = SweepStatus::measured;
  p.figures.interval_cycles = interval;
  p.figures.energy_pj_per_sample = energy;
  p.figures.latency_cycles = 5000;
  return p;
}

/// 4, 16 and 64 PEs: twice as fast, then slower; the 16 take the least energy.
Sweep three() {
  Sweep sweep;
  sweep.hardware = "chip";
  sweep.model = "net";
  sweep.keys = {{"k", {"2x2", "4x4", "8x8"}}};
  sweep.points = {point({"2x2"}, 4, 1000, 9e6), point({"4x4"}, 16, 500, 8e6), point({"8x8"}, 64, 600, 10e6)};
  return sweep;
}

TEST(Sweep, TheFrontHoldsWhatNothingBeats) {
  const Sweep sweep = three();
  const auto judgements = judge(sweep);
  EXPECT_TRUE(judgements[0].pareto);
  EXPECT_TRUE(judgements[1].pareto);
  EXPECT_FALSE(judgements[2].pareto);
  EXPECT_EQ(judgements[2].dominated_by, 1u);
}

TEST(Sweep, EqualPointsAreBothOnTheFront) {
  Sweep sweep = three();
  sweep.points[2] = sweep.points[1];
  const auto judgements = judge(sweep);
  EXPECT_TRUE(judgements[1].pareto);
  EXPECT_TRUE(judgements[2].pareto);
}

TEST(Sweep, ScalingIsSpeedUpOverTheRatioOfPes) {
  const auto judgements = judge(three());
  EXPECT_DOUBLE_EQ(judgements[0].efficiency, 1);
  EXPECT_DOUBLE_EQ(judgements[1].speedup, 2);
  EXPECT_DOUBLE_EQ(judgements[1].efficiency, 0.5);
  EXPECT_DOUBLE_EQ(judgements[2].efficiency, 1000.0 / 600 / 16);
}

TEST(Sweep, TheBaselineHasTheSameOtherKeys) {
  Sweep sweep;
  sweep.keys = {{"k", {"2x2", "4x4"}}, {"l", {"a", "b"}}};
  sweep.points = {point({"2x2", "a"}, 4, 1000, 1), point({"2x2", "b"}, 4, 800, 1),
                  point({"4x4", "a"}, 16, 250, 1), point({"4x4", "b"}, 16, 400, 1)};
  EXPECT_EQ(sweep_baseline(sweep, 2), 0u);
  EXPECT_EQ(sweep_baseline(sweep, 3), 1u);
  EXPECT_DOUBLE_EQ(judge(sweep)[2].efficiency, 1);
  EXPECT_DOUBLE_EQ(judge(sweep)[3].efficiency, 0.5);
  sweep.points[1].status = SweepStatus::no_plan;  // then the smallest that was measured
  EXPECT_EQ(sweep_baseline(sweep, 3), 3u);
}

TEST(Sweep, AnswersInOneLine) {
  Sweep sweep = three();
  const std::string answer = sweep_answer(sweep);
  EXPECT_EQ(answer.find('\n'), std::string::npos);
  // 1000 x 8, 500 x 32 and 600 x 128 of time x area: the smallest wins; the middle one is fastest and takes
  // the least energy.
  EXPECT_NE(answer.find("which k? 2x2 has the least time x area"), std::string::npos) << answer;
  EXPECT_NE(answer.find("4x4 is fastest"), std::string::npos) << answer;
  EXPECT_NE(answer.find("4x4 takes the least energy"), std::string::npos) << answer;
  for (SweepPoint& p : sweep.points) p.status = SweepStatus::no_plan;
  EXPECT_NE(sweep_answer(sweep).find("none"), std::string::npos);
}

TEST(Sweep, TheObjectiveChoosesTheTime) {
  Sweep sweep = three();
  EXPECT_DOUBLE_EQ(sweep.time_us(sweep.points[0]), 1);
  sweep.objective = Objective::latency;
  EXPECT_DOUBLE_EQ(sweep.time_us(sweep.points[0]), 5);
}

TEST(Sweep, FilesHoldEveryPoint) {
  Sweep sweep = three();
  sweep.points[0].status = SweepStatus::no_plan;
  sweep.points[0].reason = "needs 3 MiB, \"quoted\"";
  const auto rows = parse_csv(sweep_csv(sweep));
  ASSERT_EQ(rows.size(), 4u);
  for (const auto& row : rows) EXPECT_EQ(row.size(), rows[0].size());
  EXPECT_EQ(rows[1].back(), sweep.points[0].reason);
  const auto json = nlohmann::json::parse(sweep_json(sweep));
  EXPECT_EQ(json["points"].size(), 3u);
  EXPECT_EQ(json["pareto"], nlohmann::json::array({"k=4x4"}));
  EXPECT_TRUE(json["points"][0]["figures"].is_null());
  const std::string page = sweep_html(sweep);
  for (const SweepPoint& p : sweep.points) EXPECT_NE(page.find(p.name), std::string::npos);
  EXPECT_EQ(page.find("<script"), std::string::npos);
}

TEST(Sweep, AFinishedPointIsKnownByItsIdentity) {
  const Sweep sweep = three();
  const std::string text = sweep_point_json(sweep, sweep.points[1], "abc");
  EXPECT_EQ(read_sweep_point(text, "abc"), sweep.points[1]);
  EXPECT_FALSE(read_sweep_point(text, "abd"));
  EXPECT_FALSE(read_sweep_point(text.substr(0, text.size() / 2), "abc"));
  EXPECT_FALSE(read_sweep_point("{}", "abc"));
}

// docs/sweep.md, by hand for 2 x 2 PEs of 32 x 32 MACs, 64 lanes, 1 MiB; routers with 2 neighbours and 1 PE
// and 0 or 1 memory ports, 4 VCs of 8 flits of 256 bits.
TEST(Area, FollowsTheDocumentedFormula) {
  const HardwareSpec chip = load_hardware(DFSIM_SOURCE_DIR "/configs/mesh2x2.yaml");
  const AreaProxy area = area_proxy(chip);
  const double pes = 4;
  EXPECT_DOUBLE_EQ(area.matrix_mm2, pes * chip.pe.matrix.rows * chip.pe.matrix.columns * 5824e-6);
  EXPECT_DOUBLE_EQ(area.vector_mm2, pes * chip.pe.vector.lanes * 11884e-6);
  EXPECT_NEAR(area.scratchpad_mm2, pes * 8 * static_cast<double>(chip.pe.scratchpad.bytes.count()) * 0.692e-6,
              1e-9);
  const NocSpec& noc = chip.nocs[0];
  double routers = 0;
  for (std::uint32_t r = 0; r < 4; ++r) {
    const double ports = router_ports(noc, RouterId(r));
    EXPECT_GE(ports, 3);
    const double bits = 8.0 * noc.link_width_bytes;
    routers +=
        ports * noc.virtual_channels * noc.buffer_flits * bits * 0.692 + std::pow(ports * bits * 0.28, 2);
  }
  EXPECT_NEAR(area.router_mm2, routers * 1e-6, 1e-9);
  EXPECT_NEAR(area.total_mm2(), area.matrix_mm2 + area.vector_mm2 + area.scratchpad_mm2 + area.router_mm2,
              1e-12);
}

}  // namespace
}  // namespace dfsim
