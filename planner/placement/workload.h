// planner/placement/workload.h: what operators and sub-graphs ask of a processor.
#pragma once

#include <cstdint>
#include <string>

#include "planner/graph/graph.h"
#include "planner/placement/cut.h"
#include "sim/api/server.h"

namespace dfsim {

/// One operator on one sample. Matrix work counts two operations per multiply-accumulate; vector work counts
/// the operations of the usual evaluation of its function per element (configs/fragments/pe.yaml gives them:
/// exp 4, gelu 8, softmax 12 ...). Bytes: every tensor read or written once; of an embedding table the
/// gathered rows.
KernelWork kernel_of(const Graph& graph, OpId op);

/// All operators of a sub-graph, and the bytes of network inputs and outputs. No card times.
SubgraphWork work_of(const Graph& graph, const CutSubgraph& subgraph);

/// Bytes of one sample of these tensors together.
std::uint64_t tensor_bytes(const Graph& graph, const std::vector<TensorId>& tensors);

/// Bytes of the weights and embedding tables of a sub-graph.
std::uint64_t parameter_bytes(const Graph& graph, const CutSubgraph& subgraph);

/// A measure for balancing sub-graphs: operations, and 32 for every byte moved (about what CPUs and GPUs of
/// the presets compute per byte of memory bandwidth).
double relative_work(const Graph& graph, OpId op);

/// Why `processor` cannot run `op`: not in its list, or no rate for the data type. Empty: it can.
std::string refusal(const ProcessorSpec& processor, const Graph& graph, OpId op);

}  // namespace dfsim
