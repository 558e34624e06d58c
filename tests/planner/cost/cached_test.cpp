// The cache in front of an oracle: what is reused, what is not, and what it survives.
#include "planner/cost/cached.h"

#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <csignal>
#include <cstdio>
#include <filesystem>
#include <fstream>

#include "planner/cost/price_messages.h"
#include "tests/planner/intra_stage/fixture.h"

namespace dfsim {

namespace {

using namespace test;

/// Prices by the parts of the first operator; counts what was asked.
class CountingOracle final : public StreamingOracle {
 public:
  std::vector<PriceAnswer> stream_stages(const std::vector<Stage>& stages, const PriceLimit& limit,
                                         const PriceDone& done) override {
    std::vector<PriceAnswer> answers;
    for (std::size_t i = 0; i < stages.size(); ++i) {
      asked.push_back(stages[i]);
      PriceAnswer answer = price(stages[i], limit);
      if (i >= interrupt_after) {
        answer = {};
        answer.status = PriceStatus::failed;
        answer.reason = "interrupted";
      } else if (done) {
        done(i, answer);
      }
      answers.push_back(answer);
    }
    return answers;
  }
  std::vector<PriceAnswer> stream_transfers(const std::vector<std::pair<Stage, Stage>>& pairs,
                                            const PriceDone& done) override {
    std::vector<PriceAnswer> answers;
    for (std::size_t i = 0; i < pairs.size(); ++i) {
      ++transfers;
      answers.push_back({PriceStatus::executed, {11, 5}, false, "t", ""});
      if (done) done(i, answers.back());
    }
    return answers;
  }
  std::vector<PlanAnswer> stream_plans(const std::vector<Plan>& plans, const PlanDone& done) override {
    std::vector<PlanAnswer> answers;
    for (std::size_t i = 0; i < plans.size(); ++i) {
      ++this->plans;
      PlanAnswer answer;
      answer.fill_periods = 1;
      answer.period_done_cycles = {100, 150, 200};
      answer.stage_period_cycles = {50};
      answer.program_hash = "p";
      answers.push_back(answer);
      if (done) done(i, answer);
    }
    return answers;
  }

  std::vector<Stage> asked;
  std::size_t interrupt_after = ~std::size_t{0};
  int transfers = 0, plans = 0;

 private:
  static PriceAnswer price(const Stage& stage, const PriceLimit& limit) {
    const std::uint32_t parts = stage.strategy.operators[0].spatial_parts();
    if (parts == 3) return {PriceStatus::infeasible, {}, false, "", "does not fit on " + stage.name};
    PriceAnswer answer{PriceStatus::executed, {2000 / parts, 1000 / parts}, false, "hash", ""};
    if (exceeds(answer.price, limit)) answer.status = PriceStatus::stopped, answer.price = {};
    return answer;
  }
};

class Cached : public testing::Test {
 protected:
  Cached() {
    folder_ = std::filesystem::temp_directory_path() /
              ("dfsim_cache_test_" + std::to_string(::getpid()) + "_" +
               testing::UnitTest::GetInstance()->current_test_info()->name());
    std::filesystem::remove_all(folder_);
    file_ = (folder_ / "below" / "prices.sqlite").string();
  }
  ~Cached() override { std::filesystem::remove_all(folder_); }

  CachedOracle cache(CountingOracle& inner, bool in_file = true, const std::string& version = "v1") {
    CacheOptions options;
    if (in_file) options.file = file_;
    options.context.simulator_version = version;
    return {inner, graph_, hardware_, options,
            [this](const std::string& text) { warnings_.push_back(text); }};
  }
  Stage stage(std::uint32_t op, std::uint32_t parts, PeGroup group = rectangle(0, 0, 4, 4)) const {
    Stage result;
    result.name = graph_.op(OpId(op)).name;
    result.operators = {OpId(op)};
    result.group = std::move(group);
    result.strategy.operators = {
        {{1, parts, 1, 1}, {1, 1, 1, 1}, {0, 1, 2, 3}, PeOrder::row_major, OuterLoop::features}};
    return result;
  }

  HardwareSpec hardware_ = chip("mesh4x4.yaml");
  Graph graph_ = mlp(3, 64, 128);  // matmuls 0, 2, 4; only 2 and 4 read what another operator made
  std::filesystem::path folder_;
  std::string file_;
  std::vector<std::string> warnings_;
};

TEST_F(Cached, RunsEqualWorkOnce) {
  CountingOracle inner;
  CachedOracle cached = cache(inner);
  const std::vector<PriceAnswer> answers = cached.price_stages({stage(2, 2), stage(4, 2), stage(2, 4)}, {});
  ASSERT_EQ(inner.asked.size(), 2u) << "layers 2 and 4 are equal";
  EXPECT_FALSE(answers[0].reused);
  EXPECT_TRUE(answers[1].reused);
  EXPECT_EQ(answers[0].price, answers[1].price);
  EXPECT_TRUE(cached.price_stages({stage(4, 4)}, {})[0].reused);
  EXPECT_EQ(inner.asked.size(), 2u);
}

TEST_F(Cached, RemembersInTheFile) {
  CountingOracle first, second;
  cache(first).price_stages({stage(2, 2)}, {});
  CachedOracle again = cache(second);
  const PriceAnswer answer = again.price_stages({stage(4, 2)}, {})[0];
  EXPECT_TRUE(second.asked.empty());
  EXPECT_TRUE(answer.reused);
  EXPECT_EQ(answer.price, (StagePrice{1000, 500}));
  EXPECT_EQ(answer.program_hash, "hash");
  EXPECT_TRUE(warnings_.empty());
}

TEST_F(Cached, IsKeyedByWhatCanChangeAPrice) {
  CountingOracle inner;
  CachedOracle cached = cache(inner);
  Stage other = stage(2, 2);
  cached.price_stages({other}, {});
  other.strategy.operators[0].temporal[1] = 2;
  cached.price_stages({other}, {});
  other.strategy.weights_resident = true;
  cached.price_stages({other}, {});
  other.group = rectangle(0, 0, 2, 4);
  cached.price_stages({other}, {});
  cached.price_stages({stage(0, 2)}, {});  // its input comes from DRAM
  EXPECT_EQ(inner.asked.size(), 5u);
  CountingOracle newer;
  cache(newer, true, "v2").price_stages({stage(2, 2)}, {});
  EXPECT_EQ(newer.asked.size(), 1u);
  hardware_.nocs[0].link_latency_cycles = 20;
  CountingOracle slower;
  cache(slower).price_stages({stage(2, 2)}, {});
  EXPECT_EQ(slower.asked.size(), 1u);
}

TEST_F(Cached, ReusesAStoppedRunForLimitsAtMostAsHigh) {
  CountingOracle inner;
  CachedOracle cached = cache(inner);
  const auto ask = [&](std::uint64_t limit) { return cached.price_stages({stage(2, 2)}, {0, limit})[0]; };
  EXPECT_EQ(ask(400).status, PriceStatus::stopped);
  EXPECT_EQ(ask(300).status, PriceStatus::stopped);
  EXPECT_EQ(inner.asked.size(), 1u);
  EXPECT_EQ(ask(450).status, PriceStatus::stopped);
  EXPECT_EQ(inner.asked.size(), 2u) << "a higher limit has to be tried";
  const PriceAnswer done = ask(0);
  EXPECT_EQ(done.status, PriceStatus::executed);
  EXPECT_EQ(inner.asked.size(), 3u);
  const PriceAnswer stopped = ask(300);
  EXPECT_EQ(stopped.status, PriceStatus::stopped) << "as a run with this limit would have been";
  EXPECT_EQ(stopped.price, (StagePrice{0, 0}));
  EXPECT_EQ(ask(500).status, PriceStatus::executed);
  EXPECT_EQ(inner.asked.size(), 3u);
}

TEST_F(Cached, AnswersTheSameColdAndWarm) {
  const std::vector<Stage> stages{stage(2, 1), stage(2, 2), stage(4, 2),
                                  stage(4, 3), stage(2, 3), stage(2, 4)};
  std::vector<std::vector<PriceAnswer>> runs;
  for (int run = 0; run < 3; ++run) {
    CountingOracle inner;
    CachedOracle cached = cache(inner, run > 0);
    runs.push_back(cached.price_stages(stages, {0, 600}));
    if (run == 2) {
      EXPECT_TRUE(inner.asked.empty());
    }
  }
  for (const auto& answers : runs)
    for (std::size_t i = 0; i < stages.size(); ++i) EXPECT_EQ(to_text(answers[i]), to_text(runs[0][i])) << i;
  EXPECT_EQ(runs[2][3].reason, "does not fit on fc2");
  EXPECT_EQ(runs[2][4].reason, "does not fit on fc1") << "a reason quotes its own operator";
}

TEST_F(Cached, KeepsTransfersAndPlans) {
  const std::pair<Stage, Stage> pair{stage(0, 2), stage(2, 2)};
  Plan plan;
  plan.stages = {stage(0, 2), stage(2, 2)};
  CountingOracle first, second;
  {
    CachedOracle cached = cache(first);
    cached.price_transfers({pair, pair});
    cached.measure_plans({plan});
  }
  EXPECT_EQ(first.transfers, 1);
  CachedOracle cached = cache(second);
  EXPECT_TRUE(cached.price_transfers({pair})[0].reused);
  const PlanAnswer answer = cached.measure_plans({plan})[0];
  EXPECT_TRUE(answer.reused);
  EXPECT_EQ(answer.fill_periods, 1u);
  EXPECT_EQ(answer.period_done_cycles, (std::vector<std::uint64_t>{100, 150, 200}));
  EXPECT_EQ(answer.stage_period_cycles, std::vector<std::uint64_t>{50});
  EXPECT_EQ(second.plans + second.transfers, 0);
}

TEST_F(Cached, DoesNotKeepWhatWasInterrupted) {
  CountingOracle inner;
  inner.interrupt_after = 1;
  CachedOracle cached = cache(inner);
  const auto answers = cached.price_stages({stage(2, 1), stage(2, 2)}, {});
  EXPECT_EQ(answers[0].status, PriceStatus::executed);
  EXPECT_EQ(answers[1].status, PriceStatus::failed);
  CountingOracle later;
  EXPECT_EQ(cache(later).price_stages({stage(2, 1), stage(2, 2)}, {})[1].status, PriceStatus::executed);
  EXPECT_EQ(later.asked.size(), 1u);
}

/// Prices one stage after the other and is killed in the middle of a batch.
class DyingOracle final : public StreamingOracle {
 public:
  std::vector<PriceAnswer> stream_stages(const std::vector<Stage>& stages, const PriceLimit&,
                                         const PriceDone& done) override {
    for (std::size_t i = 0; i < stages.size(); ++i) {
      done(i, {PriceStatus::executed, {i + 1, i + 1}, false, "hash", ""});
      if (i == 2) ::kill(::getpid(), SIGKILL);
    }
    return {};
  }
  std::vector<PriceAnswer> stream_transfers(const std::vector<std::pair<Stage, Stage>>&,
                                            const PriceDone&) override {
    return {};
  }
  std::vector<PlanAnswer> stream_plans(const std::vector<Plan>&, const PlanDone&) override { return {}; }
};

TEST_F(Cached, LosesNothingThatWasMeasuredWhenKilled) {
  const std::vector<Stage> stages{stage(2, 1), stage(2, 2), stage(2, 4), stage(2, 5), stage(2, 6)};
  const pid_t child = ::fork();
  ASSERT_GE(child, 0);
  if (child == 0) {
    CacheOptions options;
    options.file = file_;
    options.context.simulator_version = "v1";
    DyingOracle inner;
    CachedOracle(inner, graph_, hardware_, options, {}).price_stages(stages, {});
    ::_exit(1);
  }
  int status = 0;
  ::waitpid(child, &status, 0);
  ASSERT_TRUE(WIFSIGNALED(status));
  CountingOracle inner;
  const auto answers = cache(inner).price_stages(stages, {});
  EXPECT_EQ(inner.asked.size(), 2u);
  EXPECT_EQ(answers[1].price, (StagePrice{2, 2}));
  EXPECT_TRUE(warnings_.empty());
}

TEST_F(Cached, IsSharedByProcessesAtOnce) {
  std::vector<pid_t> children;
  for (std::uint32_t c = 0; c < 4; ++c) {
    const pid_t child = ::fork();
    ASSERT_GE(child, 0);
    if (child == 0) {
      CountingOracle inner;
      bool warned = false;
      CacheOptions options;
      options.file = file_;
      options.context.simulator_version = "v1";
      CachedOracle cached(inner, graph_, hardware_, options, [&](const std::string&) { warned = true; });
      for (std::uint32_t parts = 1; parts < 40; ++parts)
        cached.price_stages({stage(2, 4 + parts + 50 * c)}, {});
      ::_exit(warned ? 1 : 0);
    }
    children.push_back(child);
  }
  for (const pid_t child : children) {
    int status = 0;
    ::waitpid(child, &status, 0);
    EXPECT_EQ(status, 0);
  }
  CountingOracle inner;
  CachedOracle cached = cache(inner);
  for (std::uint32_t c = 0; c < 4; ++c)
    for (std::uint32_t parts = 1; parts < 40; ++parts)
      cached.price_stages({stage(2, 4 + parts + 50 * c)}, {});
  EXPECT_TRUE(inner.asked.empty());
}

TEST_F(Cached, WarnsOnceAndGoesOnWithoutACorruptFile) {
  std::filesystem::create_directories(std::filesystem::path(file_).parent_path());
  std::ofstream(file_) << std::string(4096, 'x');
  CountingOracle inner;
  CachedOracle cached = cache(inner);
  EXPECT_EQ(cached.price_stages({stage(2, 2)}, {})[0].status, PriceStatus::executed);
  EXPECT_TRUE(cached.price_stages({stage(2, 2)}, {})[0].reused) << "within the run it still remembers";
  EXPECT_EQ(warnings_.size(), 1u);
}

TEST_F(Cached, WarnsOnceAndGoesOnWhereItCannotWrite) {
  std::filesystem::create_directories(folder_);
  std::ofstream(folder_ / "below") << "a file where a folder should be";
  CountingOracle inner;
  CachedOracle cached = cache(inner);
  EXPECT_EQ(cached.price_stages({stage(2, 2)}, {})[0].status, PriceStatus::executed);
  EXPECT_EQ(warnings_.size(), 1u);
}

TEST_F(Cached, RefusesAFileOfAnotherFormat) {
  { PriceStore store(file_, {}); }
  {
    // The user version is the four bytes at offset 60 of the database header (SQLite file format, 1.3).
    // Switching the journal back first is not needed: the last process to close the file has emptied the log.
    std::fstream raw(file_, std::ios::in | std::ios::out | std::ios::binary);
    raw.seekp(60);
    raw.write("\0\0\0\x63", 4);
  }
  PriceStore store(file_, [this](const std::string& text) { warnings_.push_back(text); });
  EXPECT_FALSE(store.usable());
  ASSERT_EQ(warnings_.size(), 1u);
  EXPECT_NE(warnings_[0].find("format 99"), std::string::npos) << warnings_[0];
}

TEST(PriceKeys, LeaveOutTheRowWhereItDoesNotMatter) {
  const Graph graph = mlp(2, 64, 128);
  HardwareSpec hardware = chip("mesh8x8.yaml");
  Stage stage;
  stage.operators = {OpId(0)};
  stage.group = rectangle(0, 0, 4, 2);
  stage.strategy.operators = {
      {{1, 2, 4, 1}, {1, 1, 1, 1}, {0, 1, 2, 3}, PeOrder::row_major, OuterLoop::features}};
  const auto key = [&](const PeGroup& group) {
    Stage moved = stage;
    moved.group = group;
    return PriceKeys(graph, hardware, {}).stage(moved);
  };
  EXPECT_EQ(key(rectangle(0, 0, 4, 2)).content, key(rectangle(0, 5, 4, 2)).content);
  EXPECT_NE(key(rectangle(0, 0, 4, 2)).named, key(rectangle(0, 5, 4, 2)).named);
  EXPECT_NE(key(rectangle(0, 0, 4, 2)).content, key(rectangle(1, 0, 4, 2)).content);
  EXPECT_NE(key(rectangle(0, 0, 4, 2)).content, key(rectangle(0, 0, 2, 4)).content);
  hardware.memory[0].controller.read_queue += 1;
  EXPECT_NE(key(rectangle(0, 0, 4, 2)).content, key(rectangle(0, 5, 4, 2)).content) << "ports differ";
  hardware = chip("torus8x8.yaml");
  EXPECT_NE(key(rectangle(0, 0, 4, 2)).content, key(rectangle(0, 5, 4, 2)).content)
      << "a torus may go around";
}

TEST(PriceKeys, OfTransfersCountRelativePlaces) {
  const Graph graph = mlp(2, 64, 128);
  const HardwareSpec hardware = chip("mesh8x8.yaml");
  Stage from, to;
  from.operators = {OpId(0)};
  to.operators = {OpId(1)};
  from.strategy.operators = {
      {{1, 2, 4, 1}, {1, 1, 1, 1}, {0, 1, 2, 3}, PeOrder::row_major, OuterLoop::features}};
  to.strategy.operators = {{{1, 2, 4}, {1, 1, 1}, {0, 1, 2}, PeOrder::row_major, OuterLoop::features}};
  const auto key = [&](const PeGroup& a, const PeGroup& b) {
    from.group = a, to.group = b;
    return PriceKeys(graph, hardware, {}).transfer(from, to).content;
  };
  EXPECT_EQ(key(rectangle(0, 0, 4, 2), rectangle(4, 0, 4, 2)),
            key(rectangle(0, 3, 4, 2), rectangle(4, 3, 4, 2)));
  EXPECT_NE(key(rectangle(0, 0, 4, 2), rectangle(4, 0, 4, 2)),
            key(rectangle(0, 0, 4, 2), rectangle(4, 1, 4, 2)));
}

}  // namespace

}  // namespace dfsim
