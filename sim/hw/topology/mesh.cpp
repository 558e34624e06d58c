// Mesh in 1 (a chain), 2 or 3 dimensions.
#include "sim/hw/topology/topology.h"

namespace dfsim {
namespace {

class Mesh : public Topology {
 public:
  std::string refuse(const std::vector<std::uint32_t>&) const override { return {}; }
  std::vector<Link> links(const LinkGraph& graph) const override { return grid_links(graph, false); }
};

const Registration<Topology, Mesh> kMesh{"mesh", "grid in 1 to 3 dimensions, no wrap-around"};

}  // namespace
}  // namespace dfsim
