#include "planner/verify/control_order.h"

#include <fmt/format.h>

#include "planner/verify/fault.h"

namespace dfsim {

ControlOrder::ControlOrder(const Program& program, const ProgramMap& map, const Graph& graph)
    : program_(program), map_(map), graph_(graph) {
  for (const auto& [before, later] : graph.control_edges()) {
    earlier_[later].push_back(before);
    in_period_[before].assign(program.samples, 0);
  }
  if (earlier_.empty()) return;
  for (const PeProgram& pe : program.pes)
    for (const MicroOp& op : pe.ops) {
      const auto counted = in_period_.find(map.op(op.op));
      if (counted == in_period_.end()) continue;
      const auto [first, count] = samples_of(pe, op);
      for (std::uint32_t s = first; s < first + count; ++s) ++counted->second[s];
    }
}

void ControlOrder::start(std::uint32_t periods) {
  left_.clear();
  for (const auto& [op, samples] : in_period_) left_[op].assign(periods, samples);
}

std::pair<std::uint32_t, std::uint32_t> ControlOrder::samples_of(const PeProgram& pe,
                                                                 const MicroOp& op) const {
  if (!computes(op) || op.writes.size() == 0) return {0, 0};
  const Box& box = pe.accesses[op.writes.begin].box;
  return {box.offset[0], box.extent[0]};
}

void ControlOrder::execute(const WorkOrder::Step& step) {
  if (earlier_.empty()) return;
  const PeProgram& pe = program_.pes[step.pe];
  const OpId op = map_.op(pe.ops[step.op].op);
  const auto [first, count] = samples_of(pe, pe.ops[step.op]);
  if (const auto edges = earlier_.find(op); edges != earlier_.end())
    for (const OpId before : edges->second)
      for (std::uint32_t s = first; s < first + count; ++s)
        if (left_.at(before)[step.period][s] > 0)
          throw FaultFound(
              fmt::format("works on sample {} before '{}' has ended with it, against the control edge", s,
                          graph_.op(before).name));
  if (const auto left = left_.find(op); left != left_.end())
    for (std::uint32_t s = first; s < first + count; ++s) --left->second[step.period][s];
}

}  // namespace dfsim
