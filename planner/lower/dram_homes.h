// planner/lower/dram_homes.h: where tensors live in DRAM.
#pragma once

#include <cstdint>
#include <map>
#include <utility>
#include <vector>

#include "planner/graph/graph.h"
#include "planner/plan/plan.h"
#include "sim/api/hardware.h"
#include "sim/api/program.h"

namespace dfsim {

/// Gives DRAM addresses to tensors. A program's tensors of one kind never share a byte.
///
/// Weights are stored tile by tile, each tile contiguous at one port, since nobody else reads them in another
/// shape. Network inputs and outputs are row-major per sample; the samples are dealt to the ports in turn.
/// Embedding tables are row-major; rows are dealt to the ports in turn.
class DramHomes {
 public:
  explicit DramHomes(const HardwareSpec& hardware);

  /// Ports that a PE group uses: those of its NoCs in rows that the group covers, so that traffic stays in
  /// its own rows; all ports of its NoCs if there is none.
  std::vector<PortId> ports_of(const PeGroup& group) const;

  /// The tile `box` of weight `tensor`, placed at first call: at the port of `candidates` with the fewest
  /// bytes so far, where a hop from port to nearest reader counts as much as two such tiles.
  DramSegment weight_tile(TensorId tensor, const Box& box, std::uint32_t bytes,
                          const std::vector<PortId>& candidates, const std::vector<PeId>& readers);
  /// The pieces of `box` (sample dimension first) of a network input or output with `samples` samples.
  std::vector<DramSegment> sample_box(TensorId tensor, const std::vector<std::uint32_t>& shape,
                                      std::uint32_t element_bytes, std::uint32_t samples, const Box& box,
                                      const std::vector<PortId>& candidates);
  /// Row `row` of an embedding table.
  DramSegment table_row(TensorId tensor, std::uint32_t rows, std::uint32_t row_bytes, std::uint32_t row,
                        const std::vector<PortId>& candidates);

  /// All pieces given out, by tensor.
  std::vector<std::pair<TensorId, std::vector<DramSegment>>> pieces() const;

 private:
  struct RowMajor {
    std::vector<DramSegment> parts;  // one per sample, or one per port
  };
  std::uint64_t reserve(PortId port, std::uint64_t bytes);

  const HardwareSpec& hardware_;
  std::vector<std::uint64_t> used_;  // bytes given out, by port
  std::map<std::pair<TensorId, Box>, DramSegment> tiles_;
  std::map<TensorId, RowMajor> row_major_;
};

/// Hops between two routers of one NoC on a mesh; wrap-around links of tori and rings count.
std::uint32_t hops(const LinkGraph& graph, RouterId from, RouterId to);

}  // namespace dfsim
