#include "sim/host/core/fair_share.h"

#include <gtest/gtest.h>

#include <limits>

namespace dfsim {
namespace {

using Rates = std::vector<double>;

TEST(FairShare, GivesALoneFlowItsTightestCapacity) { EXPECT_EQ(fair_rates({5, 3}, {{0, 1}}), Rates{3}); }

TEST(FairShare, DividesOneCapacityEvenly) { EXPECT_EQ(fair_rates({6}, {{0}, {0}, {0}}), (Rates{2, 2, 2})); }

// Flow 0 is held to 2 by capacity 1; flow 1 takes what is left of capacity 0.
TEST(FairShare, LetsOthersUseWhatAHeldFlowLeaves) {
  EXPECT_EQ(fair_rates({10, 2}, {{0, 1}, {0}}), (Rates{2, 8}));
}

TEST(FairShare, DoesNotHoldAFlowThatCrossesNothing) {
  EXPECT_EQ(fair_rates({1}, {{}}), Rates{std::numeric_limits<double>::infinity()});
}

}  // namespace
}  // namespace dfsim
