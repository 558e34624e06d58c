#include "planner/lower/tensor_table.h"

#include "planner/lower/box_cover.h"

namespace dfsim {

const std::vector<Copy>& TensorTable::at(TensorId tensor, PeId pe) const {
  static const std::vector<Copy> none;
  const auto it = copies_.find(tensor);
  if (it == copies_.end()) return none;
  const auto at = it->second.find(pe);
  return at == it->second.end() ? none : at->second;
}

std::vector<Copy> TensorTable::owners(TensorId tensor) const {
  std::vector<Copy> result;
  if (const auto it = copies_.find(tensor); it != copies_.end())
    for (const auto& [pe, list] : it->second)
      for (const Copy& copy : list)
        if (copy.owner) result.push_back(copy);
  return result;
}

std::vector<Access> TensorTable::cover(TensorId tensor, PeId pe, const Box& box,
                                       std::vector<Box>& missing) const {
  std::vector<Access> accesses;
  missing.assign(1, box);
  for (const Copy& copy : at(tensor, pe)) {
    if (missing.empty()) break;
    bool useful = false;
    for (const Box& part : missing) {
      const Box common = part.intersection(copy.box);
      if (common.empty()) continue;
      accesses.push_back({copy.micro_tensor, common});
      useful = true;
    }
    if (useful) subtract_from(missing, copy.box);
  }
  return accesses;
}

void TensorTable::drop(TensorId tensor, PeId pe, std::uint32_t micro_tensor) {
  std::erase_if(copies_[tensor][pe], [&](const Copy& copy) { return copy.micro_tensor == micro_tensor; });
}

}  // namespace dfsim
