// sim/pe/hazards.h: finds two micro-ops of one PE that use the same bytes, at least one writing, in no stated
// order.
#pragma once

#include <cstdint>
#include <optional>

#include "sim/api/program.h"

namespace dfsim {

struct Hazard {
  std::uint32_t earlier = 0, later = 0;  ///< micro-ops, in list order over the periods
  std::uint32_t periods_apart = 0;
  std::uint32_t micro_tensor_earlier = 0, micro_tensor_later = 0;
};

/// The first pair of conflicting accesses that no chain of dependences of this PE orders, if there is one.
/// Only adjacent conflicts are looked at (a read after the last writes, a write after the last writes and the
/// reads since): the others follow. The list is unrolled over as many periods as it takes to meet every slot
/// again. Accesses of one micro-tensor conflict if their boxes meet; those of two micro-tensors if the bytes
/// of their slots do. Indices of `pe` must have been checked. Not modelled: orders that only a chain through
/// another PE guarantees are not recognised; state them as dependences.
std::optional<Hazard> find_hazard(const PeProgram& pe, std::uint32_t periods);

/// A dependence that the matrix pipeline keeps by itself: an accumulating matmul on the one right before it
/// on the unit, of the same operator and period, whose results it reads only where it adds to them. Partial
/// sums are passed on in order inside the pipeline, fold by fold, so the later one need not wait for the
/// earlier one's last result.
bool kept_by_pipeline(const PeProgram& pe, std::uint32_t previous_matmul, std::uint32_t op);

}  // namespace dfsim
