// planner/verify/executor_compute.cpp: micro-ops that compute.
#include <fmt/format.h>

#include <algorithm>

#include "planner/ops/operator.h"
#include "planner/verify/executor.h"
#include "planner/verify/micro_operands.h"

namespace dfsim {

/// One block per write of an output, with zeros for values.
std::vector<OutputBlock> Executor::output_blocks(const Step& step,
                                                 std::vector<std::vector<float>>& buffers) const {
  const MicroOp& micro_op = op(step);
  const std::vector<TensorId>& outputs = graph_.op(map_.op(micro_op.op)).outputs;
  std::vector<OutputBlock> blocks;
  for (std::uint32_t a = micro_op.writes.begin; a < micro_op.writes.end; ++a) {
    const Access& access = pe(step).accesses[a];
    const TensorId tensor = map_.tensor(pe(step).micro_tensors[access.micro_tensor].tensor);
    const auto output = std::find(outputs.begin(), outputs.end(), tensor);
    if (output == outputs.end())
      throw FaultFound("writes '" + graph_.tensor(tensor).name + "', which is no output of its operator");
    std::vector<float>& buffer = buffers.emplace_back(access.box.elements(), 0.0f);
    blocks.push_back({static_cast<std::size_t>(output - outputs.begin()), access.box, buffer.data()});
  }
  if (blocks.empty()) throw FaultFound("computes and writes nothing");
  return blocks;
}

/// Adds all partial sums that the micro-op reads of `box` of output 0; counts them in `parts`.
void Executor::add_partial_sums(const Step& step, const Box& box, float* sums, std::uint32_t& parts) const {
  const MicroOp& micro_op = op(step);
  const TensorId output = graph_.op(map_.op(micro_op.op)).outputs.front();
  std::vector<float> part(box.elements());
  for (std::uint32_t a = micro_op.reads.begin; a < micro_op.reads.end; ++a) {
    const Access& access = pe(step).accesses[a];
    const MicroTensor& micro_tensor = pe(step).micro_tensors[access.micro_tensor];
    if (!micro_tensor.partial) continue;
    const bool same = map_.tensor(micro_tensor.tensor) == output && access.box == box;
    if (same) memories_[step.pe].read(place(step, access.micro_tensor), box, box, part.data());
    if (!same || std::any_of(part.begin(), part.end(), is_no_value)) {
      Fault fault;
      fault.what = same ? "reads partial sums that nobody has written, or that were overwritten"
                        : "reads partial sums of another region than it writes, " + box.to_string();
      fault.tensor = program_.tensors[micro_tensor.tensor.value()].name;
      fault.region = access.box;
      throw FaultFound(std::move(fault));
    }
    for (std::size_t i = 0; i < part.size(); ++i) sums[i] += part[i];
    ++parts;
  }
}

/// The simulator takes its time from the sizes that the micro-op states: they must be those of what it
/// computes.
void Executor::check_work(const Step& step, const Box& block) const {
  const MicroOp& micro_op = op(step);
  const OpId id = map_.op(micro_op.op);
  const Work work = kind_of(graph_.op(id)).work(graph_, id, block);
  if (micro_op.kind == MicroOpKind::matmul) {
    MatmulWork stated = micro_op.matmul;
    stated.accumulate = false;
    if (work.unit != WorkUnit::matrix || !(stated == work.matmul))
      throw FaultFound(
          fmt::format("is timed as {} products of {} x {} by {} x {}, but computes {} of {} x {} by {} x {}",
                      stated.count, stated.m, stated.k, stated.k, stated.n, work.matmul.count, work.matmul.m,
                      work.matmul.k, work.matmul.k, work.matmul.n));
    return;
  }
  const std::string& function = program_.vector_functions[micro_op.vector.function];
  if (work.unit != WorkUnit::vector || work.vector_function != function ||
      work.elements != micro_op.vector.elements)
    throw FaultFound(fmt::format("is timed as {} of {} elements, but computes {} of {}", function,
                                 micro_op.vector.elements, work.vector_function, work.elements));
}

/// Products are added to the partial sums that are read if the micro-op accumulates, to zero otherwise. A
/// write of partial sums gets the sums, a write of the output the finished values.
void Executor::matmul(const Step& step) {
  const MicroOp& micro_op = op(step);
  const KernelOp kernel_op = this->kernel_op(step);
  const Kernel& kernel = kernel_of(kernel_op.op());
  MicroOperands operands = operands_of(step);
  std::vector<std::vector<float>> buffers;
  const std::vector<OutputBlock> blocks = output_blocks(step, buffers);
  for (const OutputBlock& other : blocks)
    if (other.box != blocks.front().box) throw FaultFound("writes two different regions of its product");
  std::uint32_t parts = 0;
  add_partial_sums(step, blocks.front().box, blocks.front().values, parts);
  if (parts != (micro_op.matmul.accumulate ? 1u : 0u))
    throw FaultFound(micro_op.matmul.accumulate ? "accumulates onto nothing"
                                                : "reads partial sums and does not accumulate");
  const Box block = kernel.block(kernel_op, {blocks.front()}, micro_op.matmul.k, operands);
  check_work(step, block);
  kernel.run(kernel_op, block, {blocks.front()}, operands);
  bool finished = false;
  for (const bool partial : {true, false})
    for (std::uint32_t a = micro_op.writes.begin; a < micro_op.writes.end; ++a) {
      const Access& access = pe(step).accesses[a];
      if (pe(step).micro_tensors[access.micro_tensor].partial != partial) continue;
      if (!partial && !finished) kernel.finish(kernel_op, blocks.front(), operands);
      finished = finished || !partial;
      write(step, access, blocks.front().values);
    }
}

/// Adds the partial sums of the partners of a split reduction and finishes them.
void Executor::accumulate(const Step& step) {
  const MicroOp& micro_op = op(step);
  const KernelOp kernel_op = this->kernel_op(step);
  MicroOperands operands = operands_of(step);
  std::vector<std::vector<float>> buffers;
  const std::vector<OutputBlock> blocks = output_blocks(step, buffers);
  if (blocks.size() != 1) throw FaultFound("adds up partial sums into several regions");
  const Access& access = pe(step).accesses[micro_op.writes.begin];
  std::uint32_t parts = 0;
  add_partial_sums(step, blocks[0].box, blocks[0].values, parts);
  const std::uint64_t elements = blocks[0].box.elements();
  if (micro_op.vector.elements < elements * (std::max(parts, 2u) - 1) ||
      micro_op.vector.elements > elements * std::max(parts, 1u))
    throw FaultFound(fmt::format("is timed as {} elements, but adds {} partial sums of {}",
                                 micro_op.vector.elements, parts, elements));
  if (!pe(step).micro_tensors[access.micro_tensor].partial)
    kernel_of(kernel_op.op()).finish(kernel_op, blocks[0], operands);
  write(step, access, blocks[0].values);
}

void Executor::vector(const Step& step) {
  const MicroOp& micro_op = op(step);
  const KernelOp kernel_op = this->kernel_op(step);
  const Kernel& kernel = kernel_of(kernel_op.op());
  MicroOperands operands = operands_of(step);
  std::vector<std::vector<float>> buffers;
  const std::vector<OutputBlock> blocks = output_blocks(step, buffers);
  const Box block = kernel.block(kernel_op, blocks, 0, operands);
  check_work(step, block);
  kernel.run(kernel_op, block, blocks, operands);
  for (std::uint32_t a = micro_op.writes.begin; a < micro_op.writes.end; ++a)
    write(step, pe(step).accesses[a], blocks[a - micro_op.writes.begin].values);
}

}  // namespace dfsim
