#include "sim/eth/core/framing.h"

#include <gtest/gtest.h>

namespace dfsim {
namespace {

EthernetLinkSpec link(double rate_gbps, std::uint32_t mtu, std::uint64_t delay_ns = 500) {
  EthernetLinkSpec spec;
  spec.rate_gbps = rate_gbps;
  spec.mtu_bytes = mtu;
  spec.delay_ns = delay_ns;
  return spec;
}

TEST(EthernetFraming, AddsOverheadAndPadsToTheLeastFrame) {
  const EthernetFraming framing(link(100, 1500));
  EXPECT_EQ(framing.wire_bytes(1500), 1538u);
  EXPECT_EQ(framing.wire_bytes(1), 84u);  // 64 + preamble 8 + gap 12
  EXPECT_EQ(framing.line_ps(1500), 1538u * 80);
  EXPECT_EQ(framing.arrival_ps(1500), 1526u * 80 + 500'000);
}

TEST(EthernetFraming, CutsAStreamOfMessagesIntoFrames) {
  FrameQueue queue;
  queue.push(1000);
  queue.push(400);
  queue.push(2000);
  const auto expect = [&](std::uint32_t payload, std::uint32_t ended) {
    const FrameQueue::Cut cut = queue.cut(1500);
    EXPECT_EQ(cut.payload, payload);
    EXPECT_EQ(cut.ended, ended);
  };
  expect(1500, 2);
  expect(1500, 0);
  expect(400, 1);
  EXPECT_TRUE(queue.empty());
}

TEST(EthernetFraming, EndsAMessageThatFillsItsFrame) {
  FrameQueue queue;
  queue.push(1500);
  queue.push(1);
  EXPECT_EQ(queue.cut(1500).ended, 1u);
  EXPECT_EQ(queue.cut(1500).payload, 1u);
}

// 1 MiB over 100 Gbit/s: F = ceil(2^20 / MTU) frames, the line is busy for 2^20 + 38 F bytes; the last gap is
// not waited for and the last bit needs the delay.
TEST(EthernetFraming, MovesAMebibyteInTheTimeOfTheClosedForm) {
  constexpr std::uint64_t kBytes = 1 << 20;
  for (std::uint32_t mtu : {1500u, 9000u}) {
    const EthernetLinkSpec spec = link(100, mtu);
    const std::uint64_t frames = (kBytes + mtu - 1) / mtu;
    const std::uint64_t line_ps = (kBytes + 38 * frames) * 80;
    const EthernetRun run = run_transfers(spec, kBytes, 1);
    EXPECT_EQ(run.frames, frames);
    EXPECT_EQ(run.completion_ps, line_ps - 12 * 80 + 500'000);
    EXPECT_EQ(run.completion_ps, EthernetFraming(spec).transfer_ps(kBytes));
    EXPECT_EQ(run.wire_bytes, kBytes + 38 * frames);
  }
}

TEST(EthernetFraming, PacksManyTransfersBackToBack) {
  const EthernetRun one = run_transfers(link(100, 1500), 3'000'000, 1);
  const EthernetRun three = run_transfers(link(100, 1500), 1'000'000, 3);
  EXPECT_EQ(one.completion_ps, three.completion_ps);
  EXPECT_EQ(one.frames, three.frames);
}

TEST(EthernetFraming, RoundsUpToAPicosecondAtOddRates) {
  const EthernetFraming framing(link(3, 1500, 0));
  EXPECT_EQ(framing.line_ps(46), 224'000u);  // 84 * 8000 / 3
  EXPECT_EQ(framing.line_ps(47), 226'667u);
}

}  // namespace
}  // namespace dfsim
