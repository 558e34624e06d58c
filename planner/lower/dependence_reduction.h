// planner/lower/dependence_reduction.h: a lowered program states no order that its other dependences imply.
#pragma once

#include "sim/api/program.h"

namespace dfsim {

/// Drops the dependences of `pe` that a chain of its other dependences implies, and repeated ones. Lists come
/// out sorted by micro-op and distance.
///
/// Instance p of micro-op a, which waits for instance p - k of b, need not say so if a chain of dependences
/// whose distances add up to exactly k leads from a to b: a shorter sum would end at a later instance of b,
/// and nothing orders instances of one micro-op but a dependence. A micro-op of the prologue is implied only
/// by a chain of distance 0, which holds in the first period too. The lists of the units imply nothing.
///
/// Unrolled over the periods the dependences are acyclic, and every instance of a dependence has the same
/// chains beside it. So the result is the transitive reduction, which is unique (Aho, Garey and Ullman, The
/// transitive reduction of a directed graph, SIAM J. Comput. 1(2), 1972), and all implied ones go at once.
///
/// Chains through other PEs do not count. A region is overwritten from the moment its receive has begun,
/// which waits for this PE's own dependences alone, and the loader proves the order of each PE by itself.
///
/// Indices of `pe` must be right, and dependences of distance 0 and those on the prologue must lead to
/// earlier micro-ops.
void drop_implied_dependences(PeProgram& pe);

}  // namespace dfsim
