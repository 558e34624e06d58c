// Several channels behind one port.
#include "sim/mem/core/channel_group.h"

#include <gtest/gtest.h>

#include <map>

#include "sim/base/errors.h"
#include "sim/base/rng.h"
#include "tests/sim/mem/core/memory_fixture.h"

namespace dfsim {
namespace {

MemoryControllerSpec channels(std::uint32_t count, std::uint32_t granule) {
  MemoryControllerSpec spec = test::controller_for(test::hbm2_device());
  spec.device.timing.erase("REFI");
  spec.channels = count;
  spec.channel_interleave_bytes = granule;
  return spec;
}

std::uint64_t cycles_of_stream(const MemoryControllerSpec& spec, std::uint32_t bytes) {
  const auto controller = make_memory_controller(spec, 1000);
  controller->enqueue({0, bytes, false, 0, 0}, 0);
  return test::drain(*controller).back().cycle;
}

// Row open to data: 1 + RCD 14 + CL 14 + BL 2 = 31 clocks, whichever channel it is in.
TEST(ChannelGroup, AddsNothingToTheLatencyOfASingleBurst) {
  for (const std::uint64_t address : {0u, 256u, 512u, 7u * 256}) {
    const auto controller = make_memory_controller(channels(4, 256), 1000);
    controller->enqueue({address, 32, false, 0, 5}, 100);
    const auto pieces = test::drain(*controller);
    ASSERT_EQ(pieces.size(), 1u);
    EXPECT_EQ(pieces[0], (MemoryPiece{5, 32, address, false, true, 131}));
  }
}

TEST(ChannelGroup, MultipliesTheBandwidthOfAStream) {
  const std::uint64_t one = cycles_of_stream(channels(1, 256), 1 << 18);
  for (std::uint32_t granule : {32u, 256u, 1024u}) {
    const std::uint64_t four = cycles_of_stream(channels(4, granule), 1 << 18);
    EXPECT_LE(four, one / 4 + 100) << granule;
    EXPECT_GE(four, one / 4) << granule;
  }
}

// A stride of granule times channels stays in one channel.
TEST(ChannelGroup, KeepsBlocksOfTheGranularityInOneChannel) {
  const auto controller = make_memory_controller(channels(4, 512), 1000);
  for (std::uint32_t i = 0; i < 64; ++i)
    controller->enqueue({std::uint64_t{i} * 4 * 512, 512, false, 0, i}, 0);
  const std::uint64_t one_channel = test::drain(*controller).back().cycle;
  EXPECT_GE(one_channel, 64u * 16 * 2);  // 64 x 16 bursts of 2 clocks on one data bus
  EXPECT_LE(cycles_of_stream(channels(4, 512), 64 * 512), one_channel / 3);
}

// Random requests: every byte comes once, pieces of a request in order of address and cut at bursts, and
// asking every cycle gives the same as following next_event().
TEST(ChannelGroup, DeliversEveryByteOnceAndInOrder) {
  for (const std::uint32_t count : {2u, 3u, 8u}) {
    MemoryControllerSpec spec = channels(count, 64);
    spec.device.timing["REFI"] = 3900;
    const auto run = [&](bool every_cycle) {
      const auto controller = make_memory_controller(spec, 1300);
      Rng rng(count);
      std::vector<MemoryPiece> pieces;
      std::uint64_t now = 0;
      for (std::uint32_t i = 0; i < 300; ++i) {
        const std::uint64_t until = now + rng.below(60);
        if (every_cycle)
          for (; now < until; ++now) controller->advance_to(now, pieces);
        else
          for (std::uint64_t t = controller->next_event(); t < until; t = controller->next_event())
            controller->advance_to(t, pieces);
        now = until;
        const auto bytes = static_cast<std::uint32_t>(1 + rng.below(rng.below(6) == 0 ? 9000 : 200));
        controller->enqueue(
            {rng.below(1 << 20), bytes, rng.below(3) == 0, static_cast<std::uint32_t>(rng.below(3)), i}, now);
      }
      for (const MemoryPiece& piece : test::drain(*controller)) pieces.push_back(piece);
      return std::make_pair(pieces, controller->counters());
    };
    const auto [pieces, counters] = run(false);
    const auto [again, counters_again] = run(true);
    EXPECT_TRUE(pieces == again);
    EXPECT_EQ(counters, counters_again);
    std::map<std::uint32_t, std::uint64_t> next;
    std::uint64_t bytes = 0, cycle = 0;
    for (const MemoryPiece& piece : pieces) {
      EXPECT_LE(cycle, piece.cycle);
      cycle = piece.cycle;
      const auto [at, first] = next.emplace(piece.tag, piece.address);
      EXPECT_EQ(at->second, piece.address) << "piece out of order";
      EXPECT_LE(piece.bytes, spec.answer_packet_bytes);
      at->second += piece.bytes;
      EXPECT_TRUE(piece.last || at->second % 32 == 0);
      bytes += piece.bytes;
    }
    EXPECT_EQ(next.size(), 300u);
    EXPECT_EQ(bytes, counters.bytes_read + counters.bytes_written);
  }
}

TEST(ChannelGroup, RepeatsARunAfterReset) {
  const auto controller = make_memory_controller(channels(4, 256), 1000);
  const auto load = [&] {
    for (std::uint32_t i = 0; i < 20; ++i)
      controller->enqueue({i * 5000ull, 3000, i % 3 == 0, i % 2, i}, i * 10);
    return test::drain(*controller);
  };
  const auto first = load();
  const MemoryCounters counters = controller->counters();
  controller->reset();
  EXPECT_EQ(controller->next_event(), MemoryController::kNever);
  EXPECT_TRUE(load() == first);
  EXPECT_EQ(controller->counters(), counters);
}

TEST(ChannelGroup, RefusesWhatDoesNotFit) {
  MemoryControllerSpec spec = channels(2, 48);
  EXPECT_THROW(make_memory_controller(spec, 1000), SimulationError);
  spec = channels(2, 64);
  const auto controller = make_memory_controller(spec, 1000);
  EXPECT_THROW(controller->enqueue({spec.capacity().count() - 16, 32, false, 0, 0}, 0), SimulationError);
  spec.refresh = "per_bank";
  EXPECT_THROW(make_memory_controller(spec, 1000), SimulationError);
}

}  // namespace
}  // namespace dfsim
