#include "sim/api/program.h"

#include <algorithm>

namespace dfsim {

bool Box::contains(const Box& other) const {
  if (other.rank != rank) return false;
  for (std::uint8_t d = 0; d < rank; ++d)
    if (other.offset[d] < offset[d] || other.offset[d] + other.extent[d] > offset[d] + extent[d])
      return false;
  return true;
}

Box Box::intersection(const Box& other) const {
  Box common;
  common.rank = rank;
  for (std::uint8_t d = 0; d < rank; ++d) {
    const std::uint32_t begin = std::max(offset[d], other.offset[d]);
    const std::uint32_t end = std::min(offset[d] + extent[d], other.offset[d] + other.extent[d]);
    common.offset[d] = begin;
    common.extent[d] = end > begin ? end - begin : 0;
  }
  return common;
}

std::string Box::to_string() const {
  std::string text = "[";
  for (std::uint8_t d = 0; d < rank; ++d) {
    if (d > 0) text += ',';
    text += std::to_string(offset[d]) + ':' + std::to_string(offset[d] + extent[d]);
  }
  return text + ']';
}

std::string to_string(MicroOpKind kind) {
  switch (kind) {
    case MicroOpKind::matmul:
      return "matmul";
    case MicroOpKind::vector:
      return "vector";
    case MicroOpKind::load:
      return "load";
    case MicroOpKind::store:
      return "store";
    case MicroOpKind::send:
      return "send";
    case MicroOpKind::receive:
      return "receive";
  }
  return "?";
}

std::string to_string(TransferKind kind) {
  switch (kind) {
    case TransferKind::load:
      return "load";
    case TransferKind::store:
      return "store";
    case TransferKind::send:
      return "send";
  }
  return "?";
}

std::string to_string(DramTensorRole role) {
  switch (role) {
    case DramTensorRole::weight:
      return "weight";
    case DramTensorRole::embedding:
      return "embedding";
    case DramTensorRole::input:
      return "input";
    case DramTensorRole::output:
      return "output";
  }
  return "?";
}

std::span<const PeId> receivers(const Program& program, const Transfer& transfer) {
  if (transfer.leaves.size() > 0)
    return std::span(program.leaves).subspan(transfer.leaves.begin, transfer.leaves.size());
  if (transfer.kind == TransferKind::send) return {&transfer.destination, 1};
  return {};
}

}  // namespace dfsim
