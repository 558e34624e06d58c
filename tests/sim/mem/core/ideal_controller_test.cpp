#include <gtest/gtest.h>

#include "sim/base/coverage.h"
#include "sim/base/errors.h"
#include "sim/mem/core/address_map.h"
#include "tests/sim/mem/core/memory_fixture.h"

namespace dfsim {
namespace {

MemoryControllerSpec ideal(double rate, std::uint32_t latency) {
  MemoryControllerSpec spec;
  spec.device.ideal = true;
  spec.device.ideal_bytes_per_cycle = rate;
  spec.device.ideal_latency_cycles = latency;
  return spec;
}

TEST(IdealMemory, AnswersAtRatePlusLatency) {
  const auto controller = make_memory_controller(ideal(16, 100), 1000);
  controller->enqueue({0, 4096, false, 0, 7}, 50);
  const auto pieces = test::drain(*controller);
  ASSERT_EQ(pieces.size(), 2u);
  EXPECT_EQ(pieces[0].cycle, 50u + 128 + 100);
  EXPECT_EQ(pieces[1].cycle, 50u + 256 + 100);
  EXPECT_TRUE(pieces[1].last);
  EXPECT_EQ(controller->counters().bytes_read, 4096u);
}

TEST(IdealMemory, LetsRequestersTakeTurns) {
  const auto controller = make_memory_controller(ideal(16, 0), 1000);
  controller->enqueue({0, 8192, false, 0, 0}, 0);
  controller->enqueue({8192, 2048, true, 1, 1}, 0);
  std::vector<std::uint32_t> tags;
  for (const MemoryPiece& piece : test::drain(*controller)) tags.push_back(piece.tag);
  EXPECT_EQ(tags, (std::vector<std::uint32_t>{0, 0, 1, 0, 0}));
}

TEST(MemoryControllerCheck, NamesWhatIsUnknown) {
  MemoryControllerSpec spec = test::controller_for(test::small_device());
  spec.address_map = "rowbank";
  spec.scheduler = "ideal";
  const auto problems = check_memory_controller(spec);
  ASSERT_EQ(problems.size(), 2u);
  EXPECT_EQ(problems[0].find("unknown address map 'rowbank'; known: "), 0u);
  EXPECT_NE(problems[0].find("bank_group_low"), std::string::npos);
  EXPECT_EQ(problems[1], "unknown scheduler 'ideal'; known: fr_fcfs");
  EXPECT_THROW(make_memory_controller(spec, 1000), SimulationError);
}

TEST(AddressMap, EveryMapIsABijection) {
  const DramGeometry geometry{2, 2, 4, 2, 8, 4};
  for (const std::string& name : AddressMapRegistry::instance().names()) {
    const auto map = AddressMapRegistry::instance().make(name, geometry);
    std::vector<bool> seen(geometry.bursts());
    for (std::uint64_t burst = 0; burst < geometry.bursts(); ++burst) {
      const DramAddress a = map->decode(burst);
      const std::uint64_t flat =
          ((((std::uint64_t{a.row} * 2 + a.rank) * 2 + a.channel) * 4 + a.bank_group) * 2 + a.bank) * 4 +
          a.column;
      ASSERT_LT(flat, seen.size()) << name;
      EXPECT_FALSE(seen[flat]) << name;
      seen[flat] = true;
    }
  }
}

TEST(Coverage, MergesWhatTouches) {
  Coverage coverage;
  coverage.add(100, 200);
  coverage.add(200, 300);
  coverage.add(0, 50);
  coverage.add(400, 500);
  coverage.add(450, 460);
  EXPECT_EQ(coverage.ranges(), (std::vector<AddressRange>{{0, 50}, {100, 300}, {400, 500}}));
  coverage.add(50, 100);
  coverage.add(250, 450);
  EXPECT_EQ(coverage.ranges(), (std::vector<AddressRange>{{0, 500}}));
  EXPECT_EQ(coverage.bytes(), 500u);
  coverage.clear();
  EXPECT_TRUE(coverage.ranges().empty());
}

}  // namespace
}  // namespace dfsim
