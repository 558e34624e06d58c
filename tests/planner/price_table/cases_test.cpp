// Problems with known answers (tests/data/planner), for every inter-stage optimizer that is registered.
#include <gtest/gtest.h>

#include "planner/inter_stage/counting.h"
#include "planner/inter_stage/optimizer.h"
#include "planner/price_table/price_table.h"
#include "sim/base/files.h"

namespace dfsim {
namespace {

/// The table of a file, with the first piece of text replaced.
PriceTable table_of(const std::string& file, const std::string& from = "", const std::string& to = "") {
  std::string text = read_file(DFSIM_SOURCE_DIR "/tests/data/planner/" + file);
  if (!from.empty()) {
    const std::size_t at = text.find(from);
    EXPECT_NE(at, std::string::npos) << from;
    text.replace(at, from.size(), to);
  }
  return read_price_table_text(text, file);
}

/// Groups are disjoint, inside the area, hold all layers in order, and give the value that is reported.
void expect_valid(const PriceTable& table, const FoundPlan& found) {
  std::uint32_t next = 0, pes = 0;
  double slowest = 0, sum = 0;
  for (const PlacedGroup& group : found.groups) {
    EXPECT_EQ(group.from, next);
    EXPECT_LT(group.from, group.to);
    next = group.to;
    EXPECT_LE(group.box.x + group.box.width, table.area[0]);
    EXPECT_LE(group.box.y + group.box.height, table.area[1]);
    for (const PlacedGroup& other : found.groups)
      EXPECT_TRUE(&other == &group || !group.box.overlaps(other.box));
    const double time =
        table.price(group.from, group.to, {group.box.width, group.box.height, 1}).period_cycles;
    ASSERT_LT(time, kNever);
    EXPECT_LE(time, table.aim.time_limit);
    slowest = std::max(slowest, time);
    sum += time;
    pes += group.box.size();
  }
  EXPECT_EQ(next, table.layers);
  const double value = table.aim.kind == Aim::interval  ? slowest
                       : table.aim.kind == Aim::latency ? sum
                       : table.aim.kind == Aim::pes     ? pes
                                                        : sum + (table.aim.micro_batches - 1) * slowest;
  EXPECT_EQ(found.score.value(table.aim), value);
}

/// Exact optimizers must give `expected`; searches by trial from at least nine of ten seeds, and nothing
/// better.
void expect_value(const PriceTable& table, double expected, const std::string& what) {
  const PlanSpace space = table.space();
  for (const std::string& name : InterStageRegistry::instance().names()) {
    const bool exact = name == "dp" || name == "exhaustive";
    const auto optimizer = InterStageRegistry::instance().make(name);
    int reached = 0, seeds = exact ? 1 : 10;
    for (int seed = 1; seed <= seeds; ++seed) {
      Rng rng(static_cast<std::uint64_t>(seed));
      const auto found = optimizer->search(space, {}, rng);
      ASSERT_TRUE(found.ok()) << name << ", " << what;
      expect_valid(table, *found);
      const double value = found->score.value(space.aim());
      EXPECT_GE(value, expected) << name << ", " << what;
      EXPECT_LE(found->bound, value) << name << ", " << what;
      EXPECT_LE(exact ? 0u : found->priced, 2000u);
      EXPECT_TRUE(found->exact || !exact) << name << ", " << what;
      reached += value == expected ? 1 : 0;
    }
    EXPECT_GE(reached, exact ? 1 : 9) << name << ", " << what;
  }
}

TEST(PriceTableCases, AllFourOptimizersAreRegistered) {
  const auto names = InterStageRegistry::instance().names();
  EXPECT_EQ(names, (std::vector<std::string>{"dp", "exhaustive", "ga", "rl"}));
}

TEST(PriceTableCases, P1CutsEightLayersForSinglePes) {
  for (const auto& [pes, slowest] : std::vector<std::pair<int, double>>{{2, 16}, {3, 12}, {4, 9}, {5, 9}})
    expect_value(table_of("p1.yaml", "pes: 4", "pes: " + std::to_string(pes)), slowest,
                 std::to_string(pes) + " PEs");
}

TEST(PriceTableCases, P2TakesMoreStagesForMoreMicroBatches) {
  for (const auto& [batches, time] :
       std::vector<std::pair<int, double>>{{1, 26}, {4, 99}, {16, 346}, {64, 1306}})
    expect_value(table_of("p2.yaml", "makespan: 16", "makespan: " + std::to_string(batches)), time,
                 std::to_string(batches) + " micro-batches");
  expect_value(table_of("p2.yaml", "{makespan: 16}", "latency"), 26, "latency");
  expect_value(table_of("p2.yaml", "{makespan: 16}", "interval"), 20, "interval");
}

TEST(PriceTableCases, P2HasAsManyPlansAsCounted) {
  const PriceTable table = table_of("p2.yaml");
  const PlanSpace space = table.space();
  EXPECT_EQ(count_plans(space), 123);
  EXPECT_EQ(count_plans(space, true), 26);
}

TEST(PriceTableCases, P3FitsRectangles) {
  const PriceTable table = table_of("p3.yaml");
  expect_value(table, 11, "rectangles");
  EXPECT_EQ(value_bound(table.space()), 10);  // by count of PEs
}

TEST(PriceTableCases, P6TakesFewestPesWithinTheLimit) {
  const std::vector<int> limits{60, 30, 15, 12, 10, 8, 7, 6, 5};
  const std::vector<double> free{1, 2, 4, 5, 6, 8, 9, 10, 12}, memory{4, 4, 4, 5, 6, 8, 9, 10, 12};
  for (std::size_t i = 0; i < limits.size(); ++i) {
    const std::string limit = "time_limit: " + std::to_string(limits[i]);
    expect_value(table_of("p6.yaml", "time_limit: 15", limit), free[i], limit);
    expect_value(table_of("p6_memory.yaml", "time_limit: 15", limit), memory[i], limit + " with memory");
  }
}

TEST(PriceTableCases, P6FindsThePesItselfIfNoneAreGiven) {
  const PriceTable table = table_of("p6.yaml", "pes: 16\n", "");
  Rng rng(1);
  const PlanSpace space = table.space();
  EXPECT_EQ(InterStageRegistry::instance().make("dp")->search(space, {}, rng)->score.value(space.aim()), 4);
}

TEST(PriceTableCases, ThePinwheelNeedsTruePacking) {
  const PriceTable table = table_of("pinwheel.yaml");
  const PlanSpace space = table.space();
  const auto value = [&](const char* name, std::uint64_t seed) {
    Rng rng(seed);
    const auto found = InterStageRegistry::instance().make(name)->search(space, {}, rng);
    expect_valid(table, *found);
    return found->score.value(space.aim());
  };
  EXPECT_EQ(value("exhaustive", 1), 5);
  for (const char* name : {"ga", "rl"}) {
    int reached = 0;
    for (std::uint64_t seed = 1; seed <= 10; ++seed) reached += value(name, seed) == 5 ? 1 : 0;
    EXPECT_GE(reached, 9) << name;
  }
  Rng rng(1);
  const auto straight = InterStageRegistry::instance().make("dp")->search(space, {}, rng);
  EXPECT_EQ(straight->score.value(space.aim()), 9);
  EXPECT_FALSE(straight->exact);  // and it says so
  EXPECT_EQ(straight->bound, 5);
}

TEST(PriceTableCases, TheSameSeedGivesTheSamePlanAndPolicy) {
  const PriceTable table = table_of("p2.yaml");
  const PlanSpace space = table.space();
  for (const char* name : {"ga", "rl"}) {
    Rng one(7), two(7);
    const auto a = InterStageRegistry::instance().make(name)->search(space, {}, one);
    const auto b = InterStageRegistry::instance().make(name)->search(space, {}, two);
    EXPECT_EQ(a->priced, b->priced);
    EXPECT_EQ(a->policy, b->policy);
    ASSERT_EQ(a->log.size(), b->log.size());
    for (std::size_t i = 0; i < a->log.size(); ++i) EXPECT_EQ(a->log[i].priced, b->log[i].priced);
  }
}

/// The first plans of an untrained and of a trained policy, on another network and another number of PEs than
/// it was trained on.
TEST(PriceTableCases, APolicyIsOfUseOnAnotherNetwork) {
  const auto rl = InterStageRegistry::instance().make("rl");
  const auto pipeline = [](const std::string& pes, const std::string& work) {
    return read_price_table_text(
        "goal: {makespan: 16}\npes: " + pes + "\nwork: " + work + "\nstage_time: 'sum(work)/p + 2*(p-1)'\n",
        "pipeline");
  };
  const PriceTable taught_on = pipeline("12", "[12, 24, 24, 36, 9, 31, 17, 22]");
  const PriceTable other = pipeline("16", "[30, 10, 40, 20, 25, 15, 60, 12, 33, 8]");
  Rng rng(1);
  const PlanSpace known = taught_on.space(), space = other.space();
  const auto learned = rl->search(known, {.priced_plans = 200, .policy = "", .start = {}}, rng);
  double fresh = 0, taught = 0;
  for (std::uint64_t seed = 1; seed <= 20; ++seed) {
    SearchSettings few{.priced_plans = 16, .policy = "", .start = {}};
    Rng one(seed), two(seed);
    fresh += rl->search(space, few, one)->score.value(space.aim());
    few.policy = learned->policy;
    taught += rl->search(space, few, two)->score.value(space.aim());
  }
  EXPECT_LT(taught, fresh);
}

}  // namespace
}  // namespace dfsim
