#include "sim/eth/core/routes.h"

#include <gtest/gtest.h>

namespace dfsim {
namespace {

TEST(EthernetRoutes, DealsTransfersOverABundleInTurn) {
  HardwareSpec hardware;
  for (std::uint32_t i = 0; i < 6; ++i)
    hardware.ethernet_ports.push_back({NocId(i % 3), RouterId(0), EndpointId(10 + i)});
  // NoC 0 has ports 0 and 3, NoC 1 has 1 and 4, NoC 2 has 2 and 5; two links join NoCs 0 and 1.
  EthernetLinkSpec link;
  link.port_a = 3;
  link.port_b = 4;
  hardware.ethernet_links.push_back(link);
  link.port_a = 1;
  link.port_b = 0;
  hardware.ethernet_links.push_back(link);
  const EthernetRoutes routes(hardware);
  EXPECT_EQ(routes.bundle(NocId(0), NocId(1)), (std::vector<std::uint32_t>{0, 3}));
  EXPECT_EQ(routes.port_towards(NocId(0), NocId(1), TransferId(4)), EndpointId(10));
  EXPECT_EQ(routes.port_towards(NocId(0), NocId(1), TransferId(5)), EndpointId(13));
  EXPECT_EQ(routes.port_towards(NocId(1), NocId(0), TransferId(5)), EndpointId(14));
  EXPECT_FALSE(routes.port_towards(NocId(0), NocId(2), TransferId(0)));
}

HardwareSpec chips(std::uint32_t count) {
  HardwareSpec hardware;
  hardware.nocs.resize(count);
  return hardware;
}

void join(HardwareSpec& hardware, std::uint32_t a, std::uint32_t b) {
  EthernetLinkSpec link;
  for (const std::uint32_t chip : {a, b}) {
    (chip == a ? link.port_a : link.port_b) = static_cast<std::uint32_t>(hardware.ethernet_ports.size());
    hardware.ethernet_ports.push_back({NocId(chip), RouterId(0), EndpointId(0)});
  }
  hardware.ethernet_links.push_back(link);
}

std::vector<std::uint32_t> way(const HardwareSpec& hardware, std::uint32_t from, std::uint32_t to) {
  std::vector<std::uint32_t> numbers;
  for (const NocId noc : EthernetPaths(hardware).path(NocId(from), NocId(to))) numbers.push_back(noc.value());
  return numbers;
}

using Way = std::vector<std::uint32_t>;

TEST(EthernetPaths, GoTheShorterWayRoundARing) {
  HardwareSpec ring = chips(5);
  for (std::uint32_t chip = 0; chip < 5; ++chip) join(ring, chip, (chip + 1) % 5);
  EXPECT_EQ(way(ring, 0, 2), (Way{0, 1, 2}));
  EXPECT_EQ(way(ring, 0, 3), (Way{0, 4, 3}));
  EXPECT_EQ(way(ring, 3, 0), (Way{3, 4, 0}));
  const EthernetPaths paths(ring);
  EXPECT_TRUE(paths.crosses_dateline(NocId(4), NocId(0)));
  EXPECT_TRUE(paths.crosses_dateline(NocId(0), NocId(4)));
  EXPECT_FALSE(paths.crosses_dateline(NocId(0), NocId(1)));
}

TEST(EthernetPaths, CrossTheDatelineAtMostOnce) {
  for (std::uint32_t size = 4; size < 9; ++size) {
    HardwareSpec ring = chips(size);
    for (std::uint32_t chip = 0; chip < size; ++chip) join(ring, chip, (chip + 1) % size);
    const EthernetPaths paths(ring);
    for (std::uint32_t from = 0; from < size; ++from)
      for (std::uint32_t to = 0; to < size; ++to) {
        const auto path = paths.path(NocId(from), NocId(to));
        int crossings = 0;
        for (std::size_t i = 0; i + 1 < path.size(); ++i)
          crossings += paths.crosses_dateline(path[i], path[i + 1]);
        EXPECT_LE(crossings, 1);
        EXPECT_LE(path.size(), size / 2 + 1);
      }
  }
}

TEST(EthernetPaths, PassAlongAChainButNotThroughABranch) {
  HardwareSpec chain = chips(4);
  for (std::uint32_t chip = 0; chip + 1 < 4; ++chip) join(chain, chip, chip + 1);
  EXPECT_EQ(way(chain, 3, 0), (Way{3, 2, 1, 0}));
  HardwareSpec branch = chips(4);
  for (std::uint32_t chip = 1; chip < 4; ++chip) join(branch, 0, chip);
  EXPECT_EQ(way(branch, 0, 3), (Way{0, 3}));
  EXPECT_EQ(way(branch, 1, 3), Way{}) << "a NoC with three neighbours does not forward";
}

TEST(EthernetRoutes, DealTransfersOverBundlesAtASwitch) {
  HardwareSpec star = chips(2);
  star.ethernet_switches.resize(1);
  for (std::uint32_t port = 0; port < 4; ++port) {
    star.ethernet_ports.push_back({NocId(port % 2), RouterId(0), EndpointId(port)});
    EthernetLinkSpec link;
    link.port_a = link.port_b = port;
    link.to_switch = 0;
    star.ethernet_links.push_back(link);
  }
  const EthernetRoutes routes(star);
  EXPECT_EQ(routes.hop(NocId(0), NocId(1), TransferId(4)), (EthernetHop{0, 1, false}));
  EXPECT_EQ(routes.hop(NocId(0), NocId(1), TransferId(5)), (EthernetHop{2, 3, false}));
  EXPECT_EQ(routes.hop(NocId(1), NocId(0), TransferId(5)), (EthernetHop{3, 2, false}));
}

}  // namespace
}  // namespace dfsim
