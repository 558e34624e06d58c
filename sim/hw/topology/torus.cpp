// Torus in 1, 2 or 3 dimensions: a mesh whose lines are closed to rings.
#include "sim/hw/topology/topology.h"

namespace dfsim {
namespace {

class Torus : public Topology {
 public:
  std::string refuse(const std::vector<std::uint32_t>&) const override { return {}; }
  std::vector<Link> links(const LinkGraph& graph) const override { return grid_links(graph, true); }
  std::vector<std::string> routings() const override { return {"xy"}; }
  /// The cycle of channels of a ring is broken at a dateline, behind which a packet uses the second group
  /// (Dally and Seitz, Deadlock-free message routing in multiprocessor interconnection networks, IEEE ToC
  /// 1987).
  std::uint32_t routing_classes() const override { return 2; }
};

const Registration<Topology, Torus> kTorus{"torus", "grid in 1 to 3 dimensions, every line closed to a ring"};

}  // namespace
}  // namespace dfsim
