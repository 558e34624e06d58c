#include "sim/pe/scratchpad.h"

#include <gtest/gtest.h>

#include "sim/pe/stall_account.h"

namespace dfsim {
namespace {

ScratchpadSpec banks(std::uint32_t n) {
  ScratchpadSpec spec;
  spec.banks = n;
  return spec;
}

TEST(Scratchpad, ServesEverybodyWhileThereIsEnough) {
  EXPECT_EQ(share_bandwidth(banks(16), {20800, 12800, 100}, {12800, 12800, 100}), Rates{});
}

TEST(Scratchpad, GivesTheMatrixUnitItsShareFirst) {
  // 7 * 32 = 224 bytes per cycle; the matrix unit takes 208 of them and leaves 16 for 128.
  const Rates rates = share_bandwidth(banks(8), {20800, 12800, 100}, {12800, 0, 100});
  EXPECT_EQ(rates.matrix, kFullRate);
  EXPECT_EQ(rates.vector, kFullRate / 8);
}

TEST(Scratchpad, SlowsTheMatrixUnitToTheBanks) {
  const Rates rates = share_bandwidth(banks(8), {44800, 0, 100}, {});
  EXPECT_EQ(rates.matrix, kFullRate / 2);
}

TEST(Scratchpad, SharesReadAndWritePortsSeparately) {
  const Rates rates = share_bandwidth(banks(8), {22400, 0, 100}, {0, 22400, 100});
  EXPECT_EQ(rates, Rates{});
  EXPECT_EQ(share_bandwidth(banks(8), {22400, 0, 100}, {1, 0, 100}).vector, 0u);
}

TEST(RatedWork, EndsWhenEverythingIsDoneAtChangingRates) {
  RatedWork work;
  work.start(100, 10);
  EXPECT_EQ(work.end(), 110u);
  work.advance(60);  // 50 left
  work.set_rate(kFullRate / 4);
  EXPECT_EQ(work.end(), 260u);
  work.advance(160);  // 25 left
  work.set_rate(0);
  EXPECT_EQ(work.end(), RatedWork::kNever);
  work.advance(1000);
  work.set_rate(kFullRate);
  EXPECT_EQ(work.end(), 1025u);
}

TEST(StallAccount, GivesEveryCycleOneCause) {
  StallAccount account;
  account.reset(PeId(0), nullptr);
  PeActivity activity;
  account.close(10, activity, 0);  // not begun
  activity.begun = true;
  activity.transfer_outstanding = true;
  account.close(15, activity, 3);  // before the network
  activity.transfer_outstanding = false;
  activity.waits_for_grant = true;
  account.close(25, activity, 4);
  activity.waits_for_grant = false;
  account.close(30, activity, 0);
  activity.computing = true;
  activity.speed = kFullRate / 4;
  account.close(38, activity, 0);
  activity.finished = true;
  activity.computing = false;
  account.close(40, activity, 0);
  const auto& stalls = account.stall_cycles();
  EXPECT_EQ(stalls, (std::array<std::uint64_t, kStallCauses>{6, 5, 4, 6, 5, 12}));
  EXPECT_EQ(account.busy_cycles(), 2u);
}

}  // namespace
}  // namespace dfsim
