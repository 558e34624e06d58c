// planner/verify/executor_move.cpp: micro-ops that move data.
#include <fmt/format.h>

#include <algorithm>

#include "planner/verify/executor.h"
#include "planner/verify/micro_operands.h"

namespace dfsim {

/// The transfer of a micro-op that reads or writes `access`. Throws FaultFound if it moves something else.
const Transfer& Executor::moved(const Step& step, const Access& access) const {
  const Transfer& transfer = program_.transfers[op(step).transfer.value()];
  const MicroTensor& micro_tensor = pe(step).micro_tensors[access.micro_tensor];
  const std::uint64_t bytes = access.box.elements() * map_.element_bytes(micro_tensor);
  if (access.box != transfer.box || bytes != transfer.bytes) {
    Fault fault;
    fault.what = fmt::format("moves {} bytes of a region of {}, but its transfer is {} of {} bytes",
                             transfer.bytes, bytes, transfer.box.to_string(), transfer.bytes);
    fault.tensor = program_.tensors[micro_tensor.tensor.value()].name;
    fault.region = access.box;
    throw FaultFound(std::move(fault));
  }
  return transfer;
}

/// What has arrived goes to the one region that the micro-op writes.
void Executor::write_moved(const Step& step, const Transfer& transfer, const std::vector<float>& values) {
  const MicroOp& micro_op = op(step);
  if (micro_op.writes.size() != 1) throw FaultFound("brings data and does not write one region");
  const Access& access = pe(step).accesses[micro_op.writes.begin];
  moved(step, access);
  write(step, access, values.data());
  if (!primitive_bytes_.empty()) primitive_bytes_[transfer.primitive] += transfer.bytes;
}

/// While data is on its way its region belongs to the transfer, and holds nothing.
void Executor::begin(const Step& step) {
  const MicroOp& micro_op = op(step);
  for (std::uint32_t a = micro_op.writes.begin; a < micro_op.writes.end; ++a) {
    const Access& access = pe(step).accesses[a];
    memories_[step.pe].clear(place(step, access.micro_tensor), access.box);
  }
}

void Executor::load(const Step& step) {
  const Transfer& transfer = program_.transfers[op(step).transfer.value()];
  brought(step, transfer, dram_.load(transfer, step.period));
}

/// The values of a load: for its own PE, and for those that receive them with it.
void Executor::brought(const Step& step, const Transfer& transfer, const std::vector<float>& values) {
  write_moved(step, transfer, values);
  const std::size_t leaves = receivers(program_, transfer).size();
  if (leaves > 0) under_way_[{op(step).transfer, step.period}] = {values, leaves};
}

/// An indirect load: the row numbers are in a tensor that the micro-op reads.
void Executor::gather(const Step& step) {
  const MicroOp& micro_op = op(step);
  const Transfer& transfer = program_.transfers[micro_op.transfer.value()];
  const KernelOp kernel_op = this->kernel_op(step);
  const std::vector<TensorId>& inputs = kernel_op.op().inputs;
  if (std::find(inputs.begin(), inputs.end(), map_.tensor(transfer.tensor)) == inputs.end())
    throw FaultFound("gathers rows of a table that is none of its operator's inputs");
  MicroOperands operands = operands_of(step);
  std::vector<std::vector<float>> buffers;
  const std::vector<OutputBlock> blocks = output_blocks(step, buffers);
  dram_.check_rows(transfer);
  kernel_of(kernel_op.op()).run(kernel_op, blocks.front().box, {blocks.front()}, operands);
  brought(step, transfer, buffers.front());
}

void Executor::store(const Step& step) {
  const MicroOp& micro_op = op(step);
  if (micro_op.reads.size() != 1) throw FaultFound("stores, and does not read one region");
  const Access& access = pe(step).accesses[micro_op.reads.begin];
  const Transfer& transfer = moved(step, access);
  std::vector<float> values(access.box.elements());
  memories_[step.pe].read(place(step, access.micro_tensor), access.box, access.box, values.data());
  dram_.store(transfer, access.box, step.period, values.data());
  if (!primitive_bytes_.empty()) primitive_bytes_[transfer.primitive] += transfer.bytes;
}

void Executor::send(const Step& step) {
  const MicroOp& micro_op = op(step);
  const Transfer& transfer = program_.transfers[micro_op.transfer.value()];
  Message& message = under_way_[{micro_op.transfer, step.period}];
  message.receivers = receivers(program_, transfer).size();
  if (micro_op.reads.size() == 0 && transfer.bytes == 0) return;  // a token
  if (micro_op.reads.size() != 1) throw FaultFound("sends, and does not read one region");
  const Access& access = pe(step).accesses[micro_op.reads.begin];
  moved(step, access);
  message.values.resize(access.box.elements());
  memories_[step.pe].read(place(step, access.micro_tensor), access.box, access.box, message.values.data());
}

void Executor::receive(const Step& step) {
  const MicroOp& micro_op = op(step);
  const Transfer& transfer = program_.transfers[micro_op.transfer.value()];
  const auto message = under_way_.find({micro_op.transfer, step.period});
  if (transfer.bytes > 0) write_moved(step, transfer, message->second.values);
  if (--message->second.receivers == 0) under_way_.erase(message);
}

}  // namespace dfsim
