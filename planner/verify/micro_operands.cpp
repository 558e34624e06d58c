#include "planner/verify/micro_operands.h"

#include <fmt/format.h>

#include <algorithm>
#include <limits>

#include "planner/verify/boxes.h"
#include "planner/verify/fault.h"

namespace dfsim {

namespace {

void widen(Box& around, const Box& box) {
  if (around.rank == 0) {
    around = box;
    return;
  }
  for (std::uint8_t d = 0; d < box.rank; ++d) {
    const std::uint32_t end = std::max(around.offset[d] + around.extent[d], box.offset[d] + box.extent[d]);
    around.offset[d] = std::min(around.offset[d], box.offset[d]);
    around.extent[d] = end - around.offset[d];
  }
}

}  // namespace

/// Calls visit(access, micro-tensor) for what is read of a tensor of the graph, until it returns false.
template <class Visit>
void MicroOperands::each_read(TensorId tensor, const Visit& visit) const {
  for (std::uint32_t a = micro_op_.reads.begin; a < micro_op_.reads.end; ++a) {
    const Access& access = pe_.accesses[a];
    const MicroTensor& micro_tensor = pe_.micro_tensors[access.micro_tensor];
    if (micro_tensor.partial || map_.tensor(micro_tensor.tensor) != tensor) continue;
    if (!visit(access, micro_tensor)) return;
  }
}

Box MicroOperands::read(std::size_t input, std::uint64_t elements) const {
  const TensorId tensor = op_.inputs[input];
  for (std::size_t earlier = 0; earlier < input; ++earlier)
    if (op_.inputs[earlier] == tensor)
      throw FaultFound("the reads of '" + graph_.tensor(tensor).name + "' cannot be told apart");
  Box around;
  std::uint64_t seen = 0;
  each_read(tensor, [&](const Access& access, const MicroTensor&) {
    widen(around, access.box);
    seen += access.box.elements();
    return seen < elements;
  });
  if (around.rank == 0) throw FaultFound("reads nothing of '" + graph_.tensor(tensor).name + "'");
  return around;
}

const float* MicroOperands::values(std::size_t input, const Box& box) {
  const TensorId tensor = op_.inputs[input];
  std::vector<float>& copy = copies_.emplace_back();
  if (graph_.tensor(tensor).role == TensorRole::embedding) {
    copy = tables_.table_row(tensor, box.offset[0]);
    return copy.data() + box.offset[1];
  }
  copy.assign(box.elements(), std::numeric_limits<float>::quiet_NaN());
  each_read(tensor, [&](const Access& access, const MicroTensor& micro_tensor) {
    memory_.read({&micro_tensor, map_.element_bytes(micro_tensor), period_ % micro_tensor.slots}, access.box,
                 box, copy.data());
    return true;
  });
  if (std::any_of(copy.begin(), copy.end(), is_no_value)) no_value(tensor, box, copy);
  return copy.data();
}

/// Says which: nothing is read there, or what is read holds no number.
void MicroOperands::no_value(TensorId tensor, const Box& box, const std::vector<float>& values) const {
  std::vector<char> covered(values.size(), 0);
  each_read(tensor, [&](const Access& access, const MicroTensor&) {
    for_each_run(access.box.intersection(box), access.box, box,
                 [&](std::uint64_t, std::uint64_t at, std::uint64_t length) {
                   std::fill_n(covered.begin() + static_cast<std::ptrdiff_t>(at), length, char{1});
                 });
    return true;
  });
  const bool stated = std::find(covered.begin(), covered.end(), 0) == covered.end();
  Fault fault;
  fault.what = stated ? "reads what nobody has written, or what a wider element has destroyed"
                      : "needs a region that is not among what it reads";
  fault.tensor = graph_.tensor(tensor).name;
  fault.region = box;
  throw FaultFound(std::move(fault));
}

}  // namespace dfsim
