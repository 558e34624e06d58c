// planner/lower/tensor_readers.h: how far the readers of every activation have come, and so which copies of
// it have become useless.
#pragma once

#include <cstdint>
#include <map>
#include <set>
#include <vector>

#include "planner/graph/graph.h"
#include "planner/lower/tensor_table.h"

namespace dfsim {

/// Samples are counted from the start of the period. A reader *fetches* what it reads from the owners into
/// the PEs of its own group, and then *reads* it there; from the same group it reads the owners' copies
/// themselves.
class TensorReaders {
 public:
  using Pes = std::set<PeId>;

  /// `group` of the reader must outlive this; null if it is not part of the program.
  void add(TensorId tensor, OpId reader, const Pes* group) {
    readers_[tensor].try_emplace(reader, Progress{group, 0, 0});
  }
  void fetched(TensorId tensor, OpId reader, std::uint32_t samples_done);
  /// What has been read has been fetched.
  void read(TensorId tensor, OpId reader, std::uint32_t samples_done);

  /// Nobody needs `copy` of `tensor` any more.
  bool useless(TensorId tensor, const Copy& copy) const;

 private:
  struct Progress {
    const Pes* group;
    std::uint32_t fetched, read;
  };
  std::map<TensorId, std::map<OpId, Progress>> readers_;
};

}  // namespace dfsim
