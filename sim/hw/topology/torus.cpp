// Torus in 1, 2 or 3 dimensions: a mesh whose lines are closed to rings.
#include "sim/hw/topology/topology.h"

namespace dfsim {
namespace {

class Torus : public Topology {
 public:
  std::string refuse(const std::vector<std::uint32_t>&) const override { return {}; }
  std::vector<Link> links(const LinkGraph& graph) const override { return grid_links(graph, true); }
};

const Registration<Topology, Torus> kTorus{"torus", "grid in 1 to 3 dimensions, every line closed to a ring"};

}  // namespace
}  // namespace dfsim
