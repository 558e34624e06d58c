#include "sim/mem/core/dram_controller.h"

#include <gtest/gtest.h>

#include <utility>

#include "sim/base/errors.h"
#include "sim/base/rng.h"
#include "tests/sim/mem/core/timing_monitor.h"

namespace dfsim {
namespace {

using test::address_of;
using C = DramCommand;

// A controller of `device`, the log of its commands, and the completion of the one request given to it.
struct Bench {
  explicit Bench(DramDeviceSpec d, std::uint64_t noc_period_ps = 1000)
      : Bench(test::controller_for(std::move(d)), noc_period_ps) {}
  explicit Bench(const MemoryControllerSpec& s, std::uint64_t noc_period_ps = 1000)
      : spec(s), controller(spec, noc_period_ps) {
    controller.observe(&log);
  }
  std::uint64_t complete(std::uint64_t address, std::uint64_t now, bool write = false,
                         std::uint32_t bytes = 32) {
    controller.enqueue({address, bytes, write, 0, 0}, now);
    const auto pieces = test::drain(controller);
    return pieces.back().cycle;
  }
  void expect_legal() const {
    const test::TimingMonitor monitor(spec.device, resolve_timing(spec.device));
    EXPECT_EQ(monitor.violations(log.log), std::vector<std::string>{});
  }
  MemoryControllerSpec spec;
  test::CommandLog log;
  DramController controller;
};

// ---------------------------------------------------------------- counted by hand

TEST(DramController, ReadsAClosedRowInRcdPlusClPlusBlPlusOne) {
  Bench b(test::small_device());
  EXPECT_EQ(b.complete(address_of(b.spec.device, 0, 0, 3, 1), 100), 100u + 1 + 4 + 5 + 2);
  EXPECT_EQ(b.log.log, (std::vector<test::Issued>{{C::activate, 0, 3, 101}, {C::read, 0, 3, 105}}));
  EXPECT_EQ(b.controller.counters().row_misses, 1u);
}

TEST(DramController, ReadsAnOpenRowInClPlusBlPlusOne) {
  Bench b(test::small_device());
  b.complete(address_of(b.spec.device, 0, 0, 3, 1), 100);
  EXPECT_EQ(b.complete(address_of(b.spec.device, 0, 0, 3, 2), 200), 200u + 1 + 5 + 2);
  EXPECT_EQ(b.controller.counters().row_hits, 1u);
}

TEST(DramController, ReadsAConflictingRowInRpMore) {
  Bench b(test::small_device());
  b.complete(address_of(b.spec.device, 0, 0, 3, 1), 100);
  EXPECT_EQ(b.complete(address_of(b.spec.device, 0, 0, 4, 1), 200), 200u + 1 + 6 + 4 + 5 + 2);
  EXPECT_EQ(b.controller.counters().precharges, 1u);
}

TEST(DramController, WritesUntilTheLastDataIsIn) {
  Bench b(test::small_device());
  EXPECT_EQ(b.complete(address_of(b.spec.device, 0, 0, 3, 1), 100, true), 100u + 1 + 4 + 3 + 2);
  EXPECT_EQ(b.controller.counters().bytes_written, 32u);
}

TEST(DramController, SpacesAStreamByCcdSAcrossBankGroups) {
  Bench b(test::small_device());
  // 8 bursts alternate between two groups: ACT 1, ACT 3 (RRD_S), READ 5, 7 (RCD of the second), 9, 11 ... 19.
  EXPECT_EQ(b.complete(0, 0, false, 256), 19u + 7);
  b.expect_legal();
}

TEST(DramController, SpacesAStreamByCcdLInOneBankGroup) {
  MemoryControllerSpec spec = test::controller_for(test::small_device());
  spec.address_map = "RoBaRaCoCh";
  Bench b(spec);
  EXPECT_EQ(b.complete(0, 0, false, 256), 1u + 4 + 7 * 3 + 7);  // ACT 1, READ 5, 8, ... 26
  b.expect_legal();
}

TEST(DramController, CrossesToASlowerMemoryClockRoundingUp) {
  DramDeviceSpec device = test::small_device();
  device.clock_period_ps = 1250;
  Bench b(device, 1000);
  // Cycle 101 = 101000 ps -> memory clock 81 (101250 ps); + 12 clocks = clock 93 = 116250 ps -> cycle 117.
  EXPECT_EQ(b.complete(address_of(device, 0, 0, 3, 1), 101), 117u);
}

TEST(DramController, PrechargesAtOnceUnderTheClosedPagePolicy) {
  MemoryControllerSpec spec = test::controller_for(test::small_device());
  spec.page_policy = "closed";
  Bench b(spec);
  b.complete(address_of(spec.device, 0, 0, 3, 1), 100);
  EXPECT_EQ(b.complete(address_of(spec.device, 0, 0, 4, 1), 200), 200u + 12);
  EXPECT_EQ(b.log.log[2], (test::Issued{C::precharge, 0, 3, 110}));  // RAS after the activate at 101
  b.expect_legal();
}

TEST(DramController, RefusesRequestsOutsideTheDevice) {
  Bench b(test::small_device());
  EXPECT_THROW(b.controller.enqueue({b.spec.device.capacity().count() - 16, 32, false, 0, 0}, 0),
               SimulationError);
  EXPECT_THROW(b.controller.enqueue({0, 0, false, 0, 0}, 0), SimulationError);
}

// ---------------------------------------------------------------- scheduling

TEST(DramController, ServesRowHitsFirstUpToTheCap) {
  MemoryControllerSpec spec = test::controller_for(test::small_device());
  spec.row_hit_cap = 2;
  Bench b(spec);
  b.complete(address_of(spec.device, 0, 0, 3, 0), 0);
  const auto read = [&](std::uint32_t tag, std::uint64_t row, std::uint32_t column) {
    b.controller.enqueue({address_of(spec.device, 0, 0, row, column), 32, false, tag, tag}, 100);
  };
  read(0, 4, 0);
  for (std::uint32_t i = 1; i <= 4; ++i) read(i, 3, i);
  std::vector<std::uint32_t> order;
  for (const MemoryPiece& piece : test::drain(b.controller)) order.push_back(piece.tag);
  EXPECT_EQ(order, (std::vector<std::uint32_t>{1, 2, 0, 3, 4}));
  b.expect_legal();
}

TEST(DramController, GivesReadsPriorityAndDrainsWritesBetweenTheWatermarks) {
  MemoryControllerSpec spec = test::controller_for(test::hbm2_device());
  Bench b(spec);
  // 40 writes and a long read stream at once: reads run until the write queue exceeds 0.8 * 32, which it does
  // at once, so that writes drain to below 0.2 * 32 first. Their rest waits for the end of the reads or for
  // its age.
  b.controller.enqueue({1 << 20, 40 * 32, true, 0, 1}, 0);
  b.controller.enqueue({0, 4096, false, 1, 2}, 0);
  test::drain(b.controller);
  std::vector<std::pair<C, int>> runs;
  for (const test::Issued& c : b.log.log) {
    if (c.command != C::read && c.command != C::write) continue;
    if (runs.empty() || runs.back().first != c.command) runs.push_back({c.command, 0});
    ++runs.back().second;
  }
  EXPECT_EQ(runs, (std::vector<std::pair<C, int>>{{C::write, 34}, {C::read, 128}, {C::write, 6}}));
  b.expect_legal();
}

TEST(DramController, DrainsWritesThatHaveWaitedTooLong) {
  Bench b(test::hbm2_device());
  b.controller.enqueue({1 << 20, 1 << 16, false, 0, 0}, 0);
  b.controller.enqueue({0, 32, true, 1, 1}, 10);
  const auto pieces = test::drain(b.controller);
  for (const MemoryPiece& piece : pieces)
    EXPECT_TRUE(!piece.write || piece.cycle < 10 + DramController::kWriteAgeClocks + 100);
  b.expect_legal();
}

TEST(DramController, SharesTheBandwidthBetweenTwoStreams) {
  Bench b(test::hbm2_device());
  for (std::uint32_t stream : {0u, 1u})
    b.controller.enqueue({std::uint64_t{stream} << 24, 1 << 18, false, stream, stream}, 0);
  std::uint64_t bytes[2] = {0, 0};
  for (const MemoryPiece& piece : test::drain(b.controller)) {
    bytes[piece.tag] += piece.bytes;
    const std::uint64_t lead = std::max(bytes[0], bytes[1]) - std::min(bytes[0], bytes[1]);
    EXPECT_TRUE(std::max(bytes[0], bytes[1]) == 1 << 18 || lead <= 2 * 4096);
  }
  EXPECT_EQ(bytes[0], 1u << 18);
  EXPECT_EQ(bytes[1], 1u << 18);
}

TEST(DramController, AnswersPiecesOfARequestInOrderAndCutAtBursts) {
  Bench b(test::hbm2_device());
  b.controller.enqueue({1000, 10000, false, 0, 0}, 0);
  std::uint64_t next = 1000;
  const auto pieces = test::drain(b.controller);
  for (const MemoryPiece& piece : pieces) {
    EXPECT_EQ(piece.address, next);
    EXPECT_LE(piece.bytes, 2048u);
    next += piece.bytes;
    EXPECT_EQ(piece.last, next == 11000);
    EXPECT_TRUE(piece.last || next % 32 == 0);
  }
  EXPECT_EQ(next, 11000u);
  EXPECT_EQ(b.controller.counters().read_bursts, 11000u / 32 + 1 - 1000 / 32);
}

// ---------------------------------------------------------------- bandwidth and refresh

double stream_fraction(DramDeviceSpec device, bool write = false) {
  const double peak = static_cast<double>(device.burst_bytes) / device.timing.at("BL");
  Bench b(std::move(device));
  const std::uint32_t bytes = 1 << 22;
  return bytes / static_cast<double>(b.complete(0, 0, write, bytes)) / peak;
}

TEST(DramController, StreamsHbm2AtNinetyTwoPercentOfThePeakWithBankGroupLow) {
  DramDeviceSpec device = test::hbm2_device();
  device.timing["RFC"] = 260;  // as DRAMsim3's HBM2; 6.7 % of the time goes to refresh
  EXPECT_GE(stream_fraction(device), 0.92);
  // Closing the rows for a refresh waits for WR after the last write: 28 clocks of every 3900.
  EXPECT_GE(stream_fraction(device, true), 0.91);
}

TEST(DramController, LosesToRefreshWhatItTakes) {
  DramDeviceSpec device = test::hbm2_device();
  device.timing.erase("REFI");
  const double without = stream_fraction(device);
  EXPECT_GE(without, 0.995);
  // Each refresh costs RFC plus closing the rows (RTP, RP) and opening them again (RCD): at most 40 clocks
  // here.
  const double with = stream_fraction(test::hbm2_device());
  EXPECT_LE(with, without * (1 - 350.0 / 3900));
  EXPECT_GE(with, without * (1 - (350.0 + 40) / 3900));
}

TEST(DramController, RefreshesEveryIntervalWhenIdle) {
  DramDeviceSpec device = test::hbm2_device();
  device.ranks = 2;
  Bench b(device);
  std::vector<MemoryPiece> none;
  b.controller.advance_to(10 * 3900 + 1, none);
  EXPECT_EQ(b.controller.counters().refreshes, 20u);
  EXPECT_EQ(b.controller.next_event(), MemoryController::kNever);
  b.expect_legal();
}

// Each of the 16 banks is away for RFCPB of 16 REFIPB, its row is closed and opened again, and a stream over
// four bank groups waits for it when it gets there: less is lost than to refreshes of all banks.
TEST(DramController, LosesLessToRefreshesBankByBank) {
  MemoryControllerSpec spec = test::controller_for(test::hbm2_device());
  spec.device.timing["RFCPB"] = 160;
  spec.device.timing["REFIPB"] = 122 * 2;
  spec.device.timing["RREFD"] = 8;
  const auto cycles = [&](const char* refresh) {
    spec.refresh = refresh;
    Bench b(spec);
    const std::uint64_t end = b.complete(0, 0, false, 1 << 20);
    b.expect_legal();
    return std::make_pair(end, b.controller.counters());
  };
  const auto [all_banks, all_counters] = cycles("all_bank");
  const auto [per_bank, bank_counters] = cycles("per_bank");
  EXPECT_EQ(all_counters.refreshes, all_banks / 3900);
  EXPECT_EQ(all_counters.bank_refreshes, 0u);
  EXPECT_EQ(bank_counters.refreshes, 0u);
  EXPECT_GE(bank_counters.bank_refreshes + 1, per_bank / 244);
  EXPECT_LT(per_bank, all_banks);
}

TEST(DramController, RefreshesTheBanksInTurnWhenIdle) {
  MemoryControllerSpec spec = test::controller_for(test::hbm2_device());
  spec.device.timing["RFCPB"] = 160;
  spec.refresh = "per_bank";
  Bench b(spec);
  std::vector<MemoryPiece> none;
  b.controller.advance_to(32 * 243, none);  // REFIPB: 3900 / 16
  ASSERT_EQ(b.log.log.size(), 32u);
  for (std::uint32_t i = 0; i < 32; ++i) {
    EXPECT_EQ(b.log.log[i], (test::Issued{C::refresh_bank, i % 16, 0, (i + 1) * 243u}));
  }
  b.expect_legal();
}

TEST(DramController, WatchesEveryRunOfTheSuite) {
  ASSERT_TRUE(DramCommandMonitor::wanted()) << "tests/test_main.cpp sets DFSIM_DRAM_MONITOR";
  MemoryControllerSpec spec = test::controller_for(test::hbm2_device());
  DramState state(resolve_timing(spec.device), 1, 4, 4);
  ASSERT_NE(state.monitor(), nullptr);
  state.activate(0, 3, 100);
  EXPECT_THROW(state.column(C::read, 0, 113), SimulationError);  // RCD is 14
}

// ---------------------------------------------------------------- random runs

struct RandomRun {
  std::vector<MemoryPiece> pieces;
  MemoryCounters counters;
};

// Requests of random size, place and time; `step` = 0 follows next_event, otherwise the clock ticks by
// `step`.
RandomRun random_run(MemoryController& controller, const DramDeviceSpec& device, std::uint64_t seed,
                     std::uint64_t step) {
  Rng rng(seed);
  RandomRun run;
  std::uint64_t now = 0;
  for (std::uint32_t i = 0; i < 200; ++i) {
    const std::uint64_t until = now + rng.below(rng.below(4) == 0 ? 400 : 30);
    if (step != 0)
      for (std::uint64_t t = now; t < until; t += step) controller.advance_to(t, run.pieces);
    else
      for (std::uint64_t t = controller.next_event(); t <= until; t = controller.next_event())
        controller.advance_to(t, run.pieces);
    now = until;
    const auto bytes = static_cast<std::uint32_t>(1 + rng.below(rng.below(8) == 0 ? 4000 : 64));
    const std::uint64_t address = rng.below(device.capacity().count() / 8 - bytes);
    controller.enqueue({address, bytes, rng.below(3) == 0, static_cast<std::uint32_t>(rng.below(4)), i}, now);
  }
  for (const MemoryPiece& piece : test::drain(controller)) run.pieces.push_back(piece);
  run.counters = controller.counters();
  return run;
}

std::vector<MemoryControllerSpec> controllers_to_try() {
  std::vector<MemoryControllerSpec> specs;
  for (const char* map : {"bank_group_low", "RoBaRaCoCh", "MOP4CLXOR"}) {
    for (const char* policy : {"open", "closed"}) {
      DramDeviceSpec small = test::small_device();
      small.timing["FAW"] = 20;
      small.timing["REFI"] = 300;
      small.timing["RFC"] = 50;
      DramDeviceSpec two_ranks = small;
      two_ranks.ranks = 2;
      for (DramDeviceSpec device : {small, two_ranks, test::hbm2_device()}) {
        MemoryControllerSpec spec = test::controller_for(device);
        spec.address_map = map;
        spec.page_policy = policy;
        specs.push_back(spec);
        spec.device.timing["RFCPB"] = device.timing.at("RFC") / 2;
        spec.device.timing["RREFD"] = 8;
        spec.refresh = "per_bank";
        specs.push_back(spec);
      }
    }
  }
  return specs;
}

TEST(DramControllerRandom, BreaksNoConstraint) {
  for (const MemoryControllerSpec& spec : controllers_to_try()) {
    Bench b(spec);
    random_run(b.controller, spec.device, 1, 0);
    b.expect_legal();
  }
}

TEST(DramControllerRandom, GivesTheSameWhenAskedEveryCycle) {
  for (const MemoryControllerSpec& spec : controllers_to_try()) {
    for (std::uint64_t noc_period : {1000u, 700u, 1300u}) {
      Bench a(spec, noc_period), b(spec, noc_period);
      const RandomRun by_event = random_run(a.controller, spec.device, 5, 0);
      const RandomRun by_cycle = random_run(b.controller, spec.device, 5, 1);
      EXPECT_TRUE(by_event.pieces == by_cycle.pieces) << "a bound of next_event was too late";
      EXPECT_EQ(by_event.counters, by_cycle.counters);
    }
  }
}

// The log of both is that of every command, whether it was issued alone or within a run.
TEST(DramControllerRandom, IssuesRunsOfRowHitsInOneStepWithTheSameResult) {
  for (const MemoryControllerSpec& spec : controllers_to_try()) {
    for (std::uint32_t answer : {64u, 2048u}) {
      MemoryControllerSpec s = spec;
      s.answer_packet_bytes = answer;
      Bench one_by_one(s), in_runs(s);
      one_by_one.controller.issue_one_by_one();
      const auto load = [&](MemoryController& controller) {
        Rng rng(7);
        RandomRun run;
        std::uint64_t now = 0;
        for (std::uint32_t i = 0; i < 60; ++i) {
          const auto bytes = static_cast<std::uint32_t>(1 + rng.below(6000));
          // Half of the requests start at a burst, some continue the one before.
          const std::uint64_t address =
              rng.below(8000) * (rng.below(2) ? 1 : 32) % (spec.device.capacity().count() - bytes);
          controller.enqueue({address, bytes, rng.below(4) == 0, static_cast<std::uint32_t>(rng.below(2)), i},
                             now);
          if (rng.below(3) == 0) {
            now += rng.below(900);
            controller.advance_to(now, run.pieces);
          }
        }
        for (const MemoryPiece& piece : test::drain(controller)) run.pieces.push_back(piece);
        run.counters = controller.counters();
        return run;
      };
      const RandomRun a = load(one_by_one.controller), b = load(in_runs.controller);
      EXPECT_EQ(one_by_one.log.log, in_runs.log.log);
      EXPECT_TRUE(a.pieces == b.pieces);
      EXPECT_EQ(a.counters, b.counters);
    }
  }
}

TEST(DramControllerRandom, RepeatsARunAfterResetEvenIfTheLastOneWasCutShort) {
  for (const MemoryControllerSpec& spec : controllers_to_try()) {
    Bench fresh(spec), used(spec);
    std::vector<MemoryPiece> some;
    used.controller.enqueue({0, 5000, false, 0, 0}, 3);
    used.controller.enqueue({777, 5000, true, 9, 1}, 50);
    used.controller.advance_to(120, some);
    used.controller.reset();
    const RandomRun a = random_run(fresh.controller, spec.device, 11, 0);
    const RandomRun b = random_run(used.controller, spec.device, 11, 0);
    EXPECT_TRUE(a.pieces == b.pieces);
    EXPECT_EQ(a.counters, b.counters);
  }
}

}  // namespace
}  // namespace dfsim
