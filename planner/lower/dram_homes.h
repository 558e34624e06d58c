// planner/lower/dram_homes.h: where tensors live in DRAM.
#pragma once

#include <cstdint>
#include <map>
#include <tuple>
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
/// shape. Network inputs and outputs are row-major, samples outermost, and dealt to the ports in turn in
/// granules of 1 to 4 KiB (whole rows where they are short); embedding tables likewise, row by row. What
/// several NoCs read is in the memory of each.
class DramHomes {
 public:
  explicit DramHomes(const HardwareSpec& hardware);

  /// Ports that a PE group uses: those of its NoCs in rows that the group covers, so that traffic stays in
  /// its own rows; all ports of its NoCs if there is none.
  std::vector<PortId> ports_of(const PeGroup& group) const;
  /// Where inputs resp. outputs of the model lie: the bridges to the host on the group's NoCs if the host
  /// holds them, else ports_of().
  std::vector<PortId> input_ports_of(const PeGroup& group) const;
  std::vector<PortId> output_ports_of(const PeGroup& group) const;

  /// The tile `box` of weight `tensor`, placed at first call: at the port of `candidates` with the fewest
  /// bytes so far, first those in the row of `reader`.
  DramSegment weight_tile(TensorId tensor, const Box& box, std::uint32_t bytes,
                          const std::vector<PortId>& candidates, PeId reader);
  /// The pieces of `box` (sample dimension first) of a network input or output with `samples` samples.
  std::vector<DramSegment> sample_box(TensorId tensor, const std::vector<std::uint32_t>& shape,
                                      std::uint32_t element_bytes, std::uint32_t samples, const Box& box,
                                      const std::vector<PortId>& candidates);
  /// Row `row` of an embedding table.
  DramSegment table_row(TensorId tensor, std::uint32_t rows, std::uint32_t row_bytes, std::uint32_t row,
                        const std::vector<PortId>& candidates);

  /// All pieces given out, by tensor: tiles of weights; granules of inputs and outputs in the order of the
  /// tensor's bytes, one NoC's copy after the other's; the rows that each port holds of a table.
  std::vector<std::pair<TensorId, std::vector<DramSegment>>> pieces() const;

 private:
  struct Interleaved {
    std::uint64_t bytes = 0;
    std::uint64_t granule = 0;  // bytes at one port before the next takes over
    bool table = false;
    std::vector<std::pair<PortId, std::uint64_t>> parts;  // by turn: port and first address
  };
  std::vector<PortId> bridges_of(const PeGroup& group) const;
  std::uint64_t reserve(PortId port, std::uint64_t bytes);
  const Interleaved& interleaved(TensorId tensor, const Interleaved& wanted,
                                 const std::vector<PortId>& candidates);
  static void append_pieces(const Interleaved& home, std::vector<DramSegment>& pieces);
  static void append_run(const Interleaved& home, std::uint64_t offset, std::uint64_t bytes,
                         std::vector<DramSegment>& segments);

  const HardwareSpec& hardware_;
  std::vector<std::uint64_t> used_;  // bytes given out, by port
  std::map<std::tuple<TensorId, Box, NocId>, DramSegment> tiles_;
  std::map<std::pair<TensorId, NocId>, Interleaved> interleaved_;
};

/// Hops between two routers of one NoC on a mesh; wrap-around links of tori and rings count.
std::uint32_t hops(const LinkGraph& graph, RouterId from, RouterId to);

}  // namespace dfsim
