#include "planner/app/options.h"

#include <gtest/gtest.h>

#include <cstdlib>

namespace dfsim {
namespace {

TEST(Options, ReadCyclesAndTimes) {
  EXPECT_EQ(cycles_from("1500", 1000), 1500u);
  EXPECT_EQ(cycles_from("1.5ms", 1000), 1'500'000u);
  EXPECT_EQ(cycles_from("2us", 500), 4000u);
  for (const char* text : {"", "soon", "3 parsecs", "-1", "1e30", "nan"})
    EXPECT_FALSE(cycles_from(text, 1000)) << text;
}

TEST(Options, ReadSeconds) {
  EXPECT_EQ(seconds_from("90"), 90.0);
  EXPECT_EQ(seconds_from("5m"), 300.0);
  EXPECT_EQ(seconds_from("500ms"), 0.5);
  EXPECT_FALSE(seconds_from("5 m"));
}

TEST(Options, FindTheCacheInTheUsersFolder) {
  RunOptions options;
  setenv("XDG_CACHE_HOME", "/somewhere", 1);
  EXPECT_EQ(cache_file(options), "/somewhere/dfsim/prices.sqlite");
  options.cache = "none";
  EXPECT_FALSE(cache_file(options).has_value());
  options.cache = "mine.sqlite";
  EXPECT_EQ(cache_file(options), "mine.sqlite");
}

TEST(Options, CountTheCpusOfThisProcess) {
  RunOptions options;
  EXPECT_GE(worker_count(options), 1u);
  options.workers = 3;
  EXPECT_EQ(worker_count(options), 3u);
}

}  // namespace
}  // namespace dfsim
