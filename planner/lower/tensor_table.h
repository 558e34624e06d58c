// planner/lower/tensor_table.h: where the micro-tensors of every tensor are while the program is being
// written.
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <vector>

#include "planner/lower/program_writer.h"
#include "sim/api/program.h"
#include "sim/base/units.h"

namespace dfsim {

/// One micro-tensor that holds `box` of a tensor at `pe`. The producer's own are the owners; the others were
/// moved there.
struct Copy {
  PeId pe;
  std::uint32_t micro_tensor = 0;
  Box box;
  bool owner = false;
  /// Disjoint parts of `box` in the order in which the producer completes them; null if it is there at once.
  std::shared_ptr<const std::vector<Box>> tiles = nullptr;
};

class TensorTable {
 public:
  void add(TensorId tensor, const Copy& copy) { copies_[tensor][copy.pe].push_back(copy); }
  const std::vector<Copy>& at(TensorId tensor, PeId pe) const;
  std::vector<Copy> owners(TensorId tensor) const;

  /// Accesses at `pe` that together read `box`; what is not there goes to `missing` as disjoint boxes.
  std::vector<Access> cover(TensorId tensor, PeId pe, const Box& box, std::vector<Box>& missing) const;

  /// Forgets the copies that `chosen` picks, giving their place back.
  template <class Choose>
  void release(TensorId tensor, ProgramWriter& writer, const Choose& chosen) {
    const auto it = copies_.find(tensor);
    if (it == copies_.end()) return;
    for (auto& [pe, list] : it->second)
      std::erase_if(list, [&](const Copy& copy) {
        if (!chosen(copy)) return false;
        writer.pe(copy.pe).release(copy.micro_tensor);
        return true;
      });
  }
  template <class Choose>
  void release_at(TensorId tensor, PeId pe, ProgramWriter& writer, const Choose& chosen) {
    const auto it = copies_.find(tensor);
    if (it == copies_.end()) return;
    std::erase_if(it->second[pe], [&](const Copy& copy) {
      if (!chosen(copy)) return false;
      writer.pe(pe).release(copy.micro_tensor);
      return true;
    });
  }
  /// Forgets one copy; its place has been taken over.
  void drop(TensorId tensor, PeId pe, std::uint32_t micro_tensor);

 private:
  std::map<TensorId, std::map<PeId, std::vector<Copy>>> copies_;
};

}  // namespace dfsim
