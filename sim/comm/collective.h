// sim/comm/collective.h: communication primitives among a box of PEs, as messages. Pure functions of the
// shape and the size; one file per algorithm, each registered under "kind/algorithm".
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "sim/base/registry.h"

namespace dfsim {

/// Elements [begin, end) of the vector.
struct ElementRange {
  std::uint64_t begin = 0, end = 0;
  std::uint64_t size() const { return end - begin; }
  auto operator<=>(const ElementRange&) const = default;
};
using ElementRanges = std::vector<ElementRange>;

/// Sorted, with what touches or overlaps joined and what is empty left out.
ElementRanges joined(ElementRanges ranges);

enum class CollectiveKind : std::uint8_t {
  broadcast,       ///< the root's vector to everybody
  scatter,         ///< block r of the root's vector to rank r
  gather,          ///< block r, of rank r, to the root
  reduce,          ///< the sum of all vectors to the root
  all_gather,      ///< block r, of rank r, to everybody
  reduce_scatter,  ///< block r of the sum of all vectors to rank r
  all_reduce,      ///< the sum of all vectors to everybody
  all_to_all       ///< block d of the vector of rank r to rank d, for all r and d
};
const std::vector<CollectiveKind>& collective_kinds();
std::string to_string(CollectiveKind kind);

/// A primitive to be carried out on columns x rows PEs. Rank r sits at x = r mod columns, y = r / columns.
struct CollectiveRequest {
  CollectiveKind kind = CollectiveKind::all_reduce;
  std::uint32_t columns = 1, rows = 1;
  std::uint64_t elements = 0;  ///< G: of the vector (all_to_all: of each rank's)
  std::uint32_t root = 0;      ///< of broadcast, scatter, gather, reduce

  std::uint32_t ranks() const { return columns * rows; }
  /// Block b of the vector cut into `ranks()` nearly equal ones.
  ElementRange block(std::uint64_t b) const { return {elements * b / ranks(), elements * (b + 1) / ranks()}; }
  /// all_to_all numbers the elements of all ranks in one row: rank r's from r x elements on.
  ElementRange block_from(std::uint64_t rank, std::uint64_t b) const {
    return {rank * elements + block(b).begin, rank * elements + block(b).end};
  }
  std::uint64_t all_elements() const {
    return kind == CollectiveKind::all_to_all ? elements * ranks() : elements;
  }
  /// Vectors are added up, element by element; otherwise every element has one value.
  bool adds() const {
    return kind == CollectiveKind::reduce || kind == CollectiveKind::reduce_scatter ||
           kind == CollectiveKind::all_reduce;
  }
  bool has_root() const {
    return kind == CollectiveKind::broadcast || kind == CollectiveKind::scatter ||
           kind == CollectiveKind::gather || kind == CollectiveKind::reduce;
  }
};

/// What a rank holds before, and must hold afterwards.
ElementRanges held_before(const CollectiveRequest& request, std::uint32_t rank);
ElementRanges held_after(const CollectiveRequest& request, std::uint32_t rank);

/// The fewest elements that some rank must send or must receive, by any algorithm without additions inside
/// the network. With P ranks and G elements:
///   broadcast, reduce            G                 each rank but the root must receive, or send, all
///   scatter, gather              G - own block     the root sends, or receives, all blocks but its own
///   all_gather, all_to_all       (P-1)/P G         every rank receives all blocks but its own
///   reduce_scatter               (P-1)/P G         P-1 additions of something received, for each element
///   all_reduce                   2(P-1)/P G        the same, and the sum must reach P-1 ranks
/// (Chan, Heimlich, Purkayastha, van de Geijn, Collective communication: theory, practice, and experience,
/// Concurrency and Computation 19(13), 2007, table 1; all_reduce: Patarasuk and Yuan, Bandwidth optimal
/// all-reduce algorithms for clusters of workstations, J. Parallel Distrib. Comput. 69(2), 2009, theorem 1.)
double least_elements(const CollectiveRequest& request);

/// One rank sends elements to another, which adds them to its own or takes them over. Messages stand in an
/// order that would be right if they were carried out one after the other.
struct CollectiveMessage {
  std::uint32_t from = 0, to = 0;
  ElementRange range;
  bool add = false;
  std::uint32_t step = 0;  ///< of the algorithm: messages of one step do not wait for each other
  auto operator<=>(const CollectiveMessage&) const = default;
};

/// How a primitive is carried out.
class CollectiveAlgorithm {
 public:
  virtual ~CollectiveAlgorithm() = default;
  /// Why not on these ranks; empty if it can.
  virtual std::string refusal(const CollectiveRequest&) const { return {}; }
  virtual std::vector<CollectiveMessage> messages(const CollectiveRequest& request) const = 0;
};

/// Names are "kind/algorithm", for example "all_reduce/ring".
using CollectiveRegistry = Registry<CollectiveAlgorithm>;
/// Algorithms of a kind, by name without the kind.
std::vector<std::string> collective_algorithms(CollectiveKind kind);

/// What a list of messages amounts to.
struct CollectiveTraffic {
  std::uint64_t messages = 0, steps = 0;
  std::uint64_t elements = 0;                      ///< sent, by all ranks
  std::uint64_t most_sent = 0, most_received = 0;  ///< elements, of one rank
};
CollectiveTraffic traffic_of(const std::vector<CollectiveMessage>& messages);

}  // namespace dfsim
