#include "planner/verify/executor.h"

#include <fmt/format.h>

#include <algorithm>

#include "planner/ops/blocks.h"
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
  for (const MicroTensor& micro_tensor : pe.micro_tensors)
    if (!whole_box(graph_.tensor(map_.tensor(micro_tensor.tensor)), box_of({whole(program_.samples)}))
             .contains(micro_tensor.box))
      refuse(micro_tensor, micro_tensor.box, "a micro-tensor outside of its tensor");
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
  micro_ops_ = order.instances();
  while (const auto step = order.next()) {
    try {
      if (step->begins) {
        begin(*step);
      } else {
        control_.execute(*step);
        execute(*step);
      }
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

}  // namespace dfsim
