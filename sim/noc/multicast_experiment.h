// sim/noc/multicast_experiment.h: one multicast in an idle network, against unicasts.
#pragma once

#include <cstdint>
#include <vector>

#include "sim/api/hardware.h"

namespace dfsim {

struct MulticastExperiment {
  NocSpec spec;                             ///< one endpoint per router, in router order
  std::uint32_t source = 0;                 ///< node
  std::vector<std::uint32_t> destinations;  ///< nodes, in ascending order
  /// From the source to each destination. Cut into packets no longer than a buffer where they fork.
  std::uint32_t flits = 5;
  std::uint64_t seed = 1;  ///< of the coins that decide ties on rings
};

/// Cycles until the last tail has arrived, counting the one in which it does; flits over channels between
/// routers.
struct MulticastResult {
  bool forks = false;  ///< else the routing cannot, and a packet per destination was sent
  std::uint64_t packets = 0;
  std::uint64_t completion_cycles = 0, link_flits = 0;
  std::uint64_t flits_injected = 0, flits_forked = 0, flits_ejected = 0;
  std::uint64_t longest_unicast_cycles = 0;  ///< the same flits to the one destination that takes longest
  std::uint64_t unicasts_completion_cycles = 0, unicasts_link_flits = 0;  ///< to all, one after the other
};

/// Throws InputError if the network cannot be built or has no such nodes.
MulticastResult run_multicast_experiment(const MulticastExperiment& experiment);

}  // namespace dfsim
