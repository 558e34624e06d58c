// tests/planner/verify/mutation.h: programs with one mistake in them.
#pragma once

#include <string>

#include "sim/api/program.h"
#include "sim/base/rng.h"

namespace dfsim::test {

/// True if a chain of other dependences of the PE says the same as dependence number `dependence` of
/// micro-op `op`: deleting it changes nothing.
bool implied(const PeProgram& pe, std::uint32_t op, std::uint32_t dependence);

/// Deletes the micro-ops of a transfer and what waits for them; says which.
std::string delete_transfer(Program& program, TransferId gone);

/// Deletes one dependence, deletes one transfer (its micro-ops and what waits for them), or shifts one region
/// by one element, each with the same chance; says what was done. `program` must have
/// dependences, transfers and accesses.
std::string mutate(Program& program, Rng& rng);

}  // namespace dfsim::test
