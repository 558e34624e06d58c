#include "planner/verify/value_run.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>

#include "planner/verify/pe_memory.h"
#include "planner/verify/work_order.h"

namespace dfsim {

namespace {

class ValueRunner {
 public:
  ValueRunner(const Program& program, const HardwareSpec& hardware) : program_(program) {
    result_.primitive_bytes.assign(program.primitives.size(), 0);
    std::uint32_t cell = UINT32_MAX;
    for (const ProgramTensor& tensor : program.tensors)
      cell = std::min(cell, static_cast<std::uint32_t>(bytes_of(tensor.type).count()));
    for (const PeProgram& pe : program.pes) {
      index_of_[pe.pe] = memories_.size();
      memories_.emplace_back(cell, hardware.pe.scratchpad.bytes.count());
    }
  }

  ValueRun run(const std::vector<PlacedValues>& given, const std::vector<PlacedValues>& expected,
               std::uint64_t seed) {
    try {
      for (const PlacedValues& placed : given)
        if (const auto at = index_of_.find(placed.pe); at != index_of_.end())
          memories_[at->second].write(place(at->second, placed.access), placed.access.box,
                                      placed.values.data());
      execute_all(seed);
      for (const PlacedValues& placed : expected) compare(placed);
    } catch (const FaultFound& found) {
      result_.fault = found.fault;
    }
    return std::move(result_);
  }

 private:
  using Step = WorkOrder::Step;

  void execute_all(std::uint64_t seed) {
    WorkOrder order(program_, 1, seed);
    result_.micro_ops = order.instances();
    while (const auto step = order.next()) {
      try {
        step->begins ? begin(*step) : execute(*step);
      } catch (FaultFound& found) {
        found.fault.pe = fmt::format("PE {}", program_.pes[step->pe].pe.value());
        found.fault.micro_op = fmt::format("{} #{}", to_string(op(*step).kind), step->op);
        throw FaultFound(std::move(found.fault));
      }
      order.done(*step);
    }
    if (!order.complete()) throw FaultFound("nothing can go on: micro-ops wait for each other");
  }

  const MicroOp& op(const Step& step) const { return program_.pes[step.pe].ops[step.op]; }
  const Access& access(const Step& step, std::uint32_t index) const {
    return program_.pes[step.pe].accesses[index];
  }
  PeMemory::Place place(std::size_t pe, const Access& access) const {
    const MicroTensor& tensor = program_.pes[pe].micro_tensors[access.micro_tensor];
    return {&tensor,
            static_cast<std::uint32_t>(bytes_of(program_.tensors[tensor.tensor.value()].type).count()), 0};
  }

  std::vector<float> read(std::size_t pe, const Access& access) const {
    std::vector<float> values(access.box.elements());
    memories_[pe].read(place(pe, access), access.box, access.box, values.data());
    return values;
  }

  /// While data is on its way its region holds nothing.
  void begin(const Step& step) {
    for (std::uint32_t a = op(step).writes.begin; a < op(step).writes.end; ++a)
      memories_[step.pe].clear(place(step.pe, access(step, a)), access(step, a).box);
  }

  void execute(const Step& step) {
    const MicroOp& micro_op = op(step);
    switch (micro_op.kind) {
      case MicroOpKind::send:
        return send(step);
      case MicroOpKind::receive:
        return receive(step);
      case MicroOpKind::vector:
        if (program_.vector_functions[micro_op.vector.function] == "accumulate") return accumulate(step);
        [[fallthrough]];
      default:
        throw FaultFound("is no micro-op of a communication primitive");
    }
  }

  void send(const Step& step) {
    const MicroOp& micro_op = op(step);
    const Transfer& transfer = program_.transfers[micro_op.transfer.value()];
    Message& message = under_way_[micro_op.transfer];
    message.receivers = receivers(program_, transfer).size();
    if (micro_op.reads.size() == 0 && transfer.bytes == 0) return;  // a token
    if (micro_op.reads.size() != 1) throw FaultFound("sends, and does not read one region");
    message.values = read(step.pe, access(step, micro_op.reads.begin));
  }

  /// A multicast ends when the last of its receivers has taken the values. The order of work lets nobody
  /// receive what has not been sent.
  void receive(const Step& step) {
    const MicroOp& micro_op = op(step);
    const Transfer& transfer = program_.transfers[micro_op.transfer.value()];
    const auto message = under_way_.find(micro_op.transfer);
    if (transfer.bytes > 0) take(step, message->second.values);
    result_.primitive_bytes[transfer.primitive] += transfer.bytes;
    if (--message->second.receivers == 0) under_way_.erase(message);
  }

  void take(const Step& step, const std::vector<float>& values) {
    const MicroOp& micro_op = op(step);
    if (micro_op.writes.size() != 1) throw FaultFound("receives, and does not write one region");
    const Access& into = access(step, micro_op.writes.begin);
    if (into.box.elements() != values.size())
      throw FaultFound("receives another number of elements than were sent");
    memories_[step.pe].write(place(step.pe, into), into.box, values.data());
  }

  void accumulate(const Step& step) {
    const MicroOp& micro_op = op(step);
    if (micro_op.writes.size() != 1) throw FaultFound("adds up, and does not write one region");
    const Access& into = access(step, micro_op.writes.begin);
    std::vector<float> sum(into.box.elements(), 0);
    for (std::uint32_t a = micro_op.reads.begin; a < micro_op.reads.end; ++a) {
      const std::vector<float> values = read(step.pe, access(step, a));
      if (values.size() != sum.size()) throw FaultFound("adds up regions of different sizes");
      for (std::size_t i = 0; i < sum.size(); ++i) {
        if (is_no_value(values[i])) throw FaultFound("reads what nobody has written");
        sum[i] += values[i];
      }
    }
    memories_[step.pe].write(place(step.pe, into), into.box, sum.data());
  }

  void compare(const PlacedValues& placed) {
    const auto at = index_of_.find(placed.pe);
    if (at == index_of_.end()) return;  // a PE without micro-ops keeps what it has
    const std::vector<float> got = read(at->second, placed.access);
    for (std::size_t i = 0; i < got.size(); ++i) {
      if (got[i] == placed.values[i]) continue;
      Fault fault;
      fault.what = "a wrong value";
      fault.pe = fmt::format("PE {}", placed.pe.value());
      fault.region = placed.access.box;
      fault.expected = placed.values[i];
      fault.got = got[i];
      throw FaultFound(std::move(fault));
    }
  }

  struct Message {
    std::vector<float> values;
    std::size_t receivers = 0;  // that have not taken it
  };

  const Program& program_;
  std::vector<PeMemory> memories_;  // by index in Program::pes
  std::map<PeId, std::size_t> index_of_;
  std::map<TransferId, Message> under_way_;
  ValueRun result_;
};

}  // namespace

ValueRun run_values(const Program& program, const HardwareSpec& hardware,
                    const std::vector<PlacedValues>& given, const std::vector<PlacedValues>& expected,
                    std::uint64_t seed) {
  return ValueRunner(program, hardware).run(given, expected, seed);
}

}  // namespace dfsim
