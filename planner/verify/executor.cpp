#include "planner/verify/executor.h"

#include <fmt/format.h>

#include <algorithm>

#include "planner/ops/operator.h"
#include "planner/verify/micro_operands.h"

namespace dfsim {

namespace {

constexpr const char* kAccumulate = "accumulate";

std::string pe_name(const HardwareSpec& hardware, PeId id) {
  const PePlace& place = hardware.pes[id.value()];
  const std::string name = fmt::format("chip{}.pe_{}_{}", place.noc.value(), place.x, place.y);
  return hardware.nocs[place.noc.value()].graph.dimensions > 2 ? fmt::format("{}_{}", name, place.z) : name;
}

std::vector<bool> written_micro_tensors(const PeProgram& pe) {
  std::vector<bool> written(pe.micro_tensors.size(), false);
  for (const MicroOp& op : pe.ops)
    for (std::uint32_t a = op.writes.begin; a < op.writes.end; ++a)
      written[pe.accesses[a].micro_tensor] = true;
  return written;
}

}  // namespace

bool Executor::holds_given_tensors(const Program& program) {
  return std::any_of(program.pes.begin(), program.pes.end(), [](const PeProgram& pe) {
    const std::vector<bool> written = written_micro_tensors(pe);
    for (std::size_t i = 0; i < written.size(); ++i)
      if (pe.micro_tensors[i].resident && !written[i]) return true;
    return false;
  });
}

Executor::Executor(const Program& program, const ProgramMap& map, const Graph& graph,
                   const HardwareSpec& hardware, Comparison& comparison)
    : program_(program),
      map_(map),
      graph_(graph),
      hardware_(hardware),
      comparison_(comparison),
      dram_(program, map, graph, comparison),
      control_(program, map, graph),
      primitive_bytes_(program.primitives.size(), 0) {
  for (const PeProgram& pe : program.pes) {
    check_regions(pe);
    memories_.emplace_back(map.smallest_element(), hardware.pe.scratchpad.bytes.count());
    fill_given(static_cast<std::uint32_t>(memories_.size() - 1));
  }
}

void Executor::check_regions(const PeProgram& pe) const {
  const auto refuse = [&](const MicroTensor& micro_tensor, const Box& box, const std::string& what) {
    Fault fault;
    fault.what = what;
    fault.pe = pe_name(hardware_, pe.pe);
    fault.tensor = program_.tensors[micro_tensor.tensor.value()].name;
    fault.region = box;
    throw FaultFound(std::move(fault));
  };
  for (const MicroTensor& micro_tensor : pe.micro_tensors) {
    const std::uint64_t bytes = micro_tensor.box.elements() * map_.element_bytes(micro_tensor);
    if (bytes != micro_tensor.bytes || micro_tensor.address % map_.smallest_element() != 0)
      refuse(micro_tensor, micro_tensor.box,
             fmt::format("a micro-tensor of {} bytes at address {} for {} elements", micro_tensor.bytes,
                         micro_tensor.address, micro_tensor.box.elements()));
  }
  for (const Access& access : pe.accesses) {
    const MicroTensor& micro_tensor = pe.micro_tensors[access.micro_tensor];
    if (!micro_tensor.box.contains(access.box))
      refuse(micro_tensor, access.box,
             "uses a region outside of its micro-tensor " + micro_tensor.box.to_string());
  }
}

void Executor::fill_given(std::uint32_t index) {
  const PeProgram& pe = program_.pes[index];
  const std::vector<bool> written = written_micro_tensors(pe);
  std::vector<float> values;
  for (std::uint32_t i = 0; i < pe.micro_tensors.size(); ++i) {
    const MicroTensor& micro_tensor = pe.micro_tensors[i];
    if (!micro_tensor.resident || written[i]) continue;
    values.resize(micro_tensor.box.elements());
    comparison_.expected(map_.tensor(micro_tensor.tensor), micro_tensor.box, 0, values.data());
    for (std::uint32_t slot = 0; slot < micro_tensor.slots; ++slot)
      memories_[index].write({&micro_tensor, map_.element_bytes(micro_tensor), slot}, micro_tensor.box,
                             values.data());
  }
}

void Executor::run(std::uint32_t periods, std::uint64_t seed) {
  WorkOrder order(program_, periods, seed);
  control_.start(periods);
  steps_ = order.steps();
  while (const auto step = order.next()) {
    try {
      control_.execute(*step);
      execute(*step);
    } catch (FaultFound& found) {
      throw FaultFound(located(std::move(found.fault), *step));
    }
    order.done(*step);
  }
  if (!order.complete()) {
    Fault fault;
    fault.what = "nothing can go on: micro-ops wait for each other, or for data that nobody sends";
    throw FaultFound(located(std::move(fault), *order.blocked()));
  }
  dram_.check_complete(periods);
}

Fault Executor::located(Fault fault, const Step& step) const {
  const MicroOp& micro_op = op(step);
  const ProgramOperator& program_op = program_.operators[micro_op.op.value()];
  fault.op = program_op.name;
  fault.stage = program_.stages[program_op.stage];
  fault.pe = pe_name(hardware_, pe(step).pe);
  fault.micro_op = fmt::format("{} #{}", to_string(micro_op.kind), step.op);
  fault.period = step.period;
  return fault;
}

void Executor::execute(const Step& step) {
  switch (op(step).kind) {
    case MicroOpKind::matmul:
      return matmul(step);
    case MicroOpKind::vector:
      return program_.vector_functions[op(step).vector.function] == kAccumulate ? accumulate(step)
                                                                                : vector(step);
    case MicroOpKind::load:
      return graph_.tensor(map_.tensor(program_.transfers[op(step).transfer.value()].tensor)).role ==
                     TensorRole::embedding
                 ? gather(step)
                 : load(step);
    case MicroOpKind::store:
      return store(step);
    case MicroOpKind::send:
      return send(step);
    case MicroOpKind::receive:
      return receive(step);
  }
}

// ------------------------------------------------------------------------------------------------
// computation

PeMemory::Place Executor::place(const Step& step, std::uint32_t index) const {
  const MicroTensor& micro_tensor = pe(step).micro_tensors[index];
  return {&micro_tensor, map_.element_bytes(micro_tensor), step.period % micro_tensor.slots};
}

/// Writes the region and compares it with the reference, unless it holds partial sums.
void Executor::write(const Step& step, const Access& access, const float* values) {
  const MicroTensor& micro_tensor = pe(step).micro_tensors[access.micro_tensor];
  memories_[step.pe].write(place(step, access.micro_tensor), access.box, values);
  if (!micro_tensor.partial)
    comparison_.check(map_.tensor(micro_tensor.tensor), access.box, step.period, values);
}

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
  MicroOperands operands(graph_, kernel_op.id, map_, pe(step), micro_op, step.period, memories_[step.pe],
                         comparison_.reference());
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
  MicroOperands operands(graph_, kernel_op.id, map_, pe(step), micro_op, step.period, memories_[step.pe],
                         comparison_.reference());
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
  MicroOperands operands(graph_, kernel_op.id, map_, pe(step), micro_op, step.period, memories_[step.pe],
                         comparison_.reference());
  std::vector<std::vector<float>> buffers;
  const std::vector<OutputBlock> blocks = output_blocks(step, buffers);
  const Box block = kernel.block(kernel_op, blocks, 0, operands);
  check_work(step, block);
  kernel.run(kernel_op, block, blocks, operands);
  for (std::uint32_t a = micro_op.writes.begin; a < micro_op.writes.end; ++a)
    write(step, pe(step).accesses[a], blocks[a - micro_op.writes.begin].values);
}

// ------------------------------------------------------------------------------------------------ movement

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

void Executor::load(const Step& step) {
  const Transfer& transfer = program_.transfers[op(step).transfer.value()];
  write_moved(step, transfer, dram_.load(transfer, step.period));
}

/// An indirect load: the row numbers are in a tensor that the micro-op reads.
void Executor::gather(const Step& step) {
  const MicroOp& micro_op = op(step);
  const Transfer& transfer = program_.transfers[micro_op.transfer.value()];
  const KernelOp kernel_op = this->kernel_op(step);
  MicroOperands operands(graph_, kernel_op.id, map_, pe(step), micro_op, step.period, memories_[step.pe],
                         comparison_.reference());
  std::vector<std::vector<float>> buffers;
  const std::vector<OutputBlock> blocks = output_blocks(step, buffers);
  dram_.check_rows(transfer);
  kernel_of(kernel_op.op()).run(kernel_op, blocks.front().box, {blocks.front()}, operands);
  write_moved(step, transfer, buffers.front());
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
  std::vector<float>& message = under_way_[{micro_op.transfer, step.period}];
  if (micro_op.reads.size() == 0 && transfer.bytes == 0) return;  // a token
  if (micro_op.reads.size() != 1) throw FaultFound("sends, and does not read one region");
  const Access& access = pe(step).accesses[micro_op.reads.begin];
  moved(step, access);
  message.resize(access.box.elements());
  memories_[step.pe].read(place(step, access.micro_tensor), access.box, access.box, message.data());
}

void Executor::receive(const Step& step) {
  const MicroOp& micro_op = op(step);
  const Transfer& transfer = program_.transfers[micro_op.transfer.value()];
  auto message = under_way_.extract({micro_op.transfer, step.period});
  if (transfer.bytes > 0) write_moved(step, transfer, message.mapped());
}

}  // namespace dfsim
