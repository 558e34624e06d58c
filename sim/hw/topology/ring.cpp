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
  std::vector<std::string> routings() const override { return {"xy"}; }
  std::uint32_t routing_classes() const override { return 2; }  ///< dateline, as in a torus
};

const Registration<Topology, Ring> kRing{"ring", "one closed line, both directions"};

}  // namespace
}  // namespace dfsim
