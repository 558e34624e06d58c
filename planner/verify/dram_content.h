// planner/verify/dram_content.h: what is in DRAM, by address.
#pragma once

#include <cstdint>
#include <map>
#include <vector>

#include "planner/graph/graph.h"
#include "planner/verify/comparison.h"
#include "planner/verify/program_map.h"
#include "sim/api/program.h"

namespace dfsim {

/// Answers loads and takes stores by the addresses of their segments.
///
/// A network input or output lies row-major, one piece of its DramTensor per sample (and again for every
/// further copy). A weight lies in the tiles in which it is loaded: what a load brings is at its addresses,
/// and no other load may find something else there. Rows of a table are found by the number read, not by
/// address. Not modelled: the addresses of gathered rows, which the program fixes (they are only checked to
/// be rows of the table).
class DramContent {
 public:
  /// Throws FaultFound if two things are at one address.
  DramContent(const Program& program, const ProgramMap& map, const Graph& graph, Comparison& comparison);

  /// Values that `transfer` (a load, of no table) brings in `period`, in the order of its segments.
  std::vector<float> load(const Transfer& transfer, std::uint32_t period) const;
  /// Checks that the segments of a gathering load are rows of the table.
  void check_rows(const Transfer& transfer) const;
  /// Takes `values` (row-major over `box`) and compares them with what belongs at their addresses.
  void store(const Transfer& transfer, const Box& box, std::uint32_t period, const float* values);
  /// Throws FaultFound if an element of an output of the program was not stored in one of the periods.
  void check_complete(std::uint32_t periods) const;

 private:
  struct Piece {
    std::uint64_t end = 0;        // address behind it
    std::uint32_t tensor = 0;     // of the program
    std::uint64_t first = 0;      // bytes of the tensor's earlier pieces (all copies), or of a table
    std::uint32_t row_bytes = 0;  // of a table
  };
  struct Tile {
    std::uint32_t tensor = 0;
    Box box;
    std::uint64_t skipped = 0;  // bytes of the box in earlier segments of the load
    bool operator==(const Tile&) const = default;
  };
  using Address = std::pair<PortId, std::uint64_t>;

  void add_pieces(const DramTensor& tensor);
  void add_tiles(const Transfer& transfer);
  const std::pair<const Address, Piece>& piece_at(const Transfer& transfer, PortId port,
                                                  std::uint64_t address, std::uint64_t bytes) const;
  template <class Visit>
  void each_stretch(const Transfer& transfer, const Visit& visit) const;

  const Program& program_;
  const ProgramMap& map_;
  const Graph& graph_;
  Comparison& comparison_;
  std::map<Address, Piece> pieces_;  // by first address
  std::map<Address, Tile> tiles_;
  std::map<std::uint32_t, std::vector<std::uint32_t>> stored_;  // output -> per element: times stored
};

}  // namespace dfsim
