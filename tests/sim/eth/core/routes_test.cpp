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

}  // namespace
}  // namespace dfsim
