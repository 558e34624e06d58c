#include "planner/lower/tensor_readers.h"

#include <algorithm>

namespace dfsim {

void TensorReaders::fetched(TensorId tensor, OpId reader, std::uint32_t samples_done) {
  std::uint32_t& fetched = readers_.at(tensor).at(reader).fetched;
  fetched = std::max(fetched, samples_done);
}

void TensorReaders::read(TensorId tensor, OpId reader, std::uint32_t samples_done) {
  readers_.at(tensor).at(reader).read = samples_done;
  fetched(tensor, reader, samples_done);
}

bool TensorReaders::useless(TensorId tensor, const Copy& copy) const {
  const auto known = readers_.find(tensor);
  if (known == readers_.end()) return true;
  const std::uint32_t end = copy.box.offset[0] + copy.box.extent[0];
  return std::all_of(known->second.begin(), known->second.end(), [&](const auto& reader) {
    const Progress& progress = reader.second;
    if (progress.group != nullptr && progress.group->contains(copy.pe)) return end <= progress.read;
    return !copy.owner || end <= progress.fetched;
  });
}

}  // namespace dfsim
