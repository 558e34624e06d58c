// Ring: one closed line of routers.
#include "sim/hw/topology/topology.h"

namespace dfsim {
namespace {

class Ring : public Topology {
 public:
  std::string refuse(const std::vector<std::uint32_t>& extent) const override {
    if (extent.size() != 1) return "a ring has one dimension";
    return {};
  }
  std::vector<Link> links(const LinkGraph& graph) const override { return grid_links(graph, true); }
};

const Registration<Topology, Ring> kRing{"ring", "one closed line, both directions"};

}  // namespace
}  // namespace dfsim
