#include "sim/trace/sorted_spool.h"

#include <gtest/gtest.h>

#include "sim/base/rng.h"

namespace dfsim {
namespace {

struct Item {
  std::uint64_t key = 0;
  std::uint64_t number = 0;  ///< when it was appended
};
struct KeyBefore {
  bool operator()(const Item& a, const Item& b) const { return a.key < b.key; }
};
using Spool = SortedSpool<Item, KeyBefore>;

std::vector<Item> content_of(Spool& spool) {
  std::vector<Item> items;
  for (Spool::Reader reader(spool); reader.get() != nullptr; reader.next()) items.push_back(*reader.get());
  return items;
}

TEST(SortedSpool, GivesBackWhatAStableSortWouldForAnyNumberOfRuns) {
  for (const std::size_t count : {0, 1, 7, 8, 9, 1000, 9001}) {
    Rng rng(count, 3);
    Spool spool(8 * sizeof(Item));
    std::vector<Item> expected;
    for (std::size_t i = 0; i < count; ++i) {
      expected.push_back({i / 2 + rng.below(20), i});
      spool.append(expected.back());
    }
    std::stable_sort(expected.begin(), expected.end(), KeyBefore());
    EXPECT_EQ(spool.size(), count);
    for (int time = 0; time < 2; ++time) {  // it can be read again
      const std::vector<Item> seen = content_of(spool);
      ASSERT_EQ(seen.size(), count);
      for (std::size_t i = 0; i < count; ++i) ASSERT_EQ(seen[i].number, expected[i].number) << i;
    }
  }
}

TEST(SortedSpool, TheLastRecordCanBeChangedAndTakenBack) {
  Spool spool(2 * sizeof(Item));
  for (std::uint64_t i = 0; i < 4; ++i) {
    spool.append({10 + i, i});
    spool.back().key = 20 - i;
    spool.append({0, 99});
    spool.pop_back();
  }
  const std::vector<Item> seen = content_of(spool);
  ASSERT_EQ(seen.size(), 4u);
  for (std::uint64_t i = 0; i < 4; ++i) EXPECT_EQ(seen[i].number, 3 - i);
}

}  // namespace
}  // namespace dfsim
