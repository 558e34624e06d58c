// Algorithms as pure functions: what they move, in which order, and that it is enough.
#include "sim/comm/collective.h"

#include <gtest/gtest.h>

#include <cmath>
#include <map>
#include <memory>
#include <numeric>
#include <set>

#include "sim/comm/tours.h"

namespace dfsim {
namespace {

std::uint32_t hops(std::uint32_t columns, std::uint32_t a, std::uint32_t b) {
  const auto distance = [](std::uint32_t p, std::uint32_t q) { return p > q ? p - q : q - p; };
  return distance(a % columns, b % columns) + distance(a / columns, b / columns);
}

std::uint32_t length_of(const std::vector<std::uint32_t>& tour, std::uint32_t columns, bool closed) {
  std::uint32_t sum = 0;
  for (std::size_t i = 0; i + (closed ? 0 : 1) < tour.size(); ++i)
    sum += hops(columns, tour[i], tour[(i + 1) % tour.size()]);
  return sum;
}

TEST(Tours, HaveTheFewestHops) {
  const std::map<std::pair<std::uint32_t, std::uint32_t>, std::uint32_t> known{
      {{2, 1}, 2}, {{2, 2}, 4}, {{3, 1}, 4}, {{3, 2}, 6}, {{3, 3}, 10}};
  for (std::uint32_t columns = 1; columns <= 9; ++columns)
    for (std::uint32_t rows = 1; rows <= 9; ++rows) {
      if (columns * rows == 1) continue;
      const std::vector<std::uint32_t> tour = closed_tour(columns, rows), path = open_tour(columns, rows);
      const std::string name = std::to_string(columns) + "x" + std::to_string(rows);
      const std::uint32_t ranks = columns * rows;
      EXPECT_EQ(std::set<std::uint32_t>(tour.begin(), tour.end()).size(), ranks) << name;
      EXPECT_EQ(tour.size(), ranks) << name;
      const bool line = columns == 1 || rows == 1;
      EXPECT_EQ(length_of(tour, columns, true), line ? 2 * (ranks - 1) : ranks + ranks % 2) << name;
      EXPECT_EQ(path.size(), ranks) << name;
      EXPECT_EQ(length_of(path, columns, false), ranks - 1) << name;
      if (const auto it = known.find({columns, rows}); it != known.end()) {
        EXPECT_EQ(length_of(tour, columns, true), it->second) << name;
      }
    }
}

struct Case {
  std::string algorithm;
  CollectiveKind kind;
};

std::vector<Case> all_algorithms() {
  std::vector<Case> cases;
  for (const CollectiveKind kind : collective_kinds())
    for (const std::string& algorithm : collective_algorithms(kind)) cases.push_back({algorithm, kind});
  return cases;
}

class Algorithm : public testing::TestWithParam<Case> {
 protected:
  /// Calls f(request, messages) for boxes of several shapes, roots and sizes, small ones among them.
  template <class F>
  void each_request(const F& f) const {
    const auto plug_in =
        CollectiveRegistry::instance().make(to_string(GetParam().kind) + "/" + GetParam().algorithm);
    std::size_t tried = 0;
    for (const auto& [columns, rows] : std::vector<std::pair<std::uint32_t, std::uint32_t>>{
             {1, 1}, {2, 1}, {1, 3}, {2, 2}, {3, 2}, {3, 3}, {4, 4}, {5, 3}, {8, 8}})
      for (const std::uint64_t elements : {std::uint64_t{1}, std::uint64_t{7}, std::uint64_t{150}})
        for (const std::uint32_t root : {0u, columns * rows / 2}) {
          CollectiveRequest request{GetParam().kind, columns, rows, elements, root};
          if (!request.has_root() && root != 0) continue;
          if (!plug_in->refusal(request).empty()) continue;
          SCOPED_TRACE(std::to_string(columns) + "x" + std::to_string(rows) + ", " +
                       std::to_string(elements) + " elements, root " + std::to_string(root));
          f(request, plug_in->messages(request));
          ++tried;
        }
    EXPECT_GT(tried, 10u);
  }
};

/// Carried out one after the other, with a number per rank instead of a sum: which ranks' vectors are in it.
TEST_P(Algorithm, BringsEveryElementWhereItBelongs) {
  each_request([](const CollectiveRequest& request, const std::vector<CollectiveMessage>& messages) {
    using Contributors = std::multiset<std::uint32_t>;
    std::vector<std::map<std::uint64_t, Contributors>> held(request.ranks());
    for (std::uint32_t rank = 0; rank < request.ranks(); ++rank)
      for (const ElementRange& range : held_before(request, rank))
        for (std::uint64_t e = range.begin; e < range.end; ++e) held[rank][e] = {request.adds() ? rank : 0};
    for (const CollectiveMessage& message : messages) {
      ASSERT_NE(message.from, message.to);
      for (std::uint64_t e = message.range.begin; e < message.range.end; ++e) {
        ASSERT_TRUE(held[message.from].contains(e)) << "sends what it does not have";
        const Contributors sent = held[message.from][e];
        if (message.add)
          held[message.to][e].insert(sent.begin(), sent.end());
        else
          held[message.to][e] = sent;
      }
    }
    Contributors everybody;
    for (std::uint32_t rank = 0; rank < request.ranks(); ++rank) everybody.insert(rank);
    for (std::uint32_t rank = 0; rank < request.ranks(); ++rank)
      for (const ElementRange& range : held_after(request, rank))
        for (std::uint64_t e = range.begin; e < range.end; ++e) {
          ASSERT_TRUE(held[rank].contains(e)) << "element " << e << " is missing at rank " << rank;
          ASSERT_EQ(held[rank][e], request.adds() ? everybody : Contributors{0})
              << "element " << e << " at rank " << rank;
        }
  });
}

TEST_P(Algorithm, MovesNoLessThanItMust) {
  each_request([](const CollectiveRequest& request, const std::vector<CollectiveMessage>& messages) {
    const CollectiveTraffic traffic = traffic_of(messages);
    EXPECT_GE(static_cast<double>(std::max(traffic.most_sent, traffic.most_received)) + 1e-9,
              least_elements(request));
  });
}

/// The counts that stand beside the algorithms: [steps] and elements of the busiest rank, for 4 x 4.
TEST_P(Algorithm, MovesWhatItsDescriptionSays) {
  const CollectiveRequest request{GetParam().kind, 4, 4, 1600, 0};
  const auto plug_in =
      CollectiveRegistry::instance().make(to_string(GetParam().kind) + "/" + GetParam().algorithm);
  const CollectiveTraffic traffic = traffic_of(plug_in->messages(request));
  const std::uint64_t g = 1600, p = 16, but_one = g / p * (p - 1);
  const std::map<std::string, std::pair<std::uint64_t, std::uint64_t>> steps_and_busiest{
      {"all_reduce/ring", {30, 2 * but_one}},
      {"all_reduce/row_column", {12, 2 * but_one}},
      {"all_reduce/halving_doubling", {8, 2 * but_one}},
      {"all_reduce/direct", {2, 2 * but_one}},
      {"all_reduce/tree", {8, 4 * g}},
      {"reduce_scatter/ring", {15, but_one}},
      {"reduce_scatter/row_column", {6, but_one}},
      {"reduce_scatter/halving_doubling", {4, but_one}},
      {"reduce_scatter/direct", {1, but_one}},
      {"all_gather/ring", {15, but_one}},
      {"all_gather/row_column", {6, but_one}},
      {"all_gather/halving_doubling", {4, but_one}},
      {"all_gather/direct", {1, but_one}},
      {"all_to_all/direct", {1, but_one}},
      {"all_to_all/pairwise", {15, but_one}},
      {"broadcast/direct", {1, 15 * g}},
      {"broadcast/tree", {4, 4 * g}},
      {"broadcast/chain", {15, g}},
      {"reduce/direct", {1, 15 * g}},
      {"reduce/tree", {4, 4 * g}},
      {"reduce/chain", {15, g}},
      {"scatter/direct", {1, but_one}},
      {"scatter/tree", {4, but_one}},
      {"gather/direct", {1, but_one}},
      {"gather/tree", {4, but_one}}};
  const auto expected = steps_and_busiest.find(to_string(GetParam().kind) + "/" + GetParam().algorithm);
  ASSERT_NE(expected, steps_and_busiest.end()) << "add the counts of the new algorithm";
  EXPECT_EQ(traffic.steps, expected->second.first);
  EXPECT_EQ(std::max(traffic.most_sent, traffic.most_received), expected->second.second);
}

INSTANTIATE_TEST_SUITE_P(Registered, Algorithm, testing::ValuesIn(all_algorithms()), [](const auto& info) {
  return to_string(info.param.kind) + "_" + info.param.algorithm;
});

}  // namespace
}  // namespace dfsim
