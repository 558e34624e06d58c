#include "tests/planner/verify/mutation.h"

#include <fmt/format.h>

#include <algorithm>
#include <set>
#include <utility>
#include <vector>

namespace dfsim::test {

namespace {

template <class Size>
std::pair<std::size_t, std::uint32_t> pick(const Program& program, Rng& rng, const Size& size) {
  std::uint64_t all = 0;
  for (const PeProgram& pe : program.pes) all += size(pe);
  std::uint64_t number = rng.below(all);
  std::size_t pe = 0;
  while (number >= size(program.pes[pe])) number -= size(program.pes[pe++]);
  return {pe, static_cast<std::uint32_t>(number)};
}

std::string name_of(const Program& program, std::size_t pe, std::uint32_t op) {
  const MicroOp& micro_op = program.pes[pe].ops[op];
  return fmt::format("PE {} {} #{} of '{}'", program.pes[pe].pe.value(), to_string(micro_op.kind), op,
                     program.operators[micro_op.op.value()].name);
}

/// Takes the dependences out for which `unwanted(micro-op, dependence)`, and renumbers the others.
template <class Unwanted, class Renumber>
void rewrite_dependences(PeProgram& pe, const Unwanted& unwanted, const Renumber& renumber) {
  std::vector<Dependence> kept;
  for (std::uint32_t op = 0; op < pe.ops.size(); ++op) {
    const Range range = pe.ops[op].dependences;
    pe.ops[op].dependences.begin = static_cast<std::uint32_t>(kept.size());
    for (std::uint32_t d = range.begin; d < range.end; ++d)
      if (!unwanted(op, d)) kept.push_back({renumber(pe.dependences[d].op), pe.dependences[d].distance});
    pe.ops[op].dependences.end = static_cast<std::uint32_t>(kept.size());
  }
  pe.dependences = std::move(kept);
}

std::string delete_dependence(Program& program, Rng& rng) {
  const auto [index, dependence] =
      pick(program, rng, [](const PeProgram& pe) { return pe.dependences.size(); });
  PeProgram& pe = program.pes[index];
  std::uint32_t owner = 0;
  while (pe.ops[owner].dependences.end <= dependence || pe.ops[owner].dependences.begin > dependence) ++owner;
  const Dependence gone = pe.dependences[dependence];
  rewrite_dependences(
      pe, [&, number = dependence](std::uint32_t, std::uint32_t d) { return d == number; },
      [](std::uint32_t op) { return op; });
  return fmt::format("{} no longer waits for {}, distance {}", name_of(program, index, owner),
                     name_of(program, index, gone.op), gone.distance);
}

void delete_micro_op(PeProgram& pe, std::uint32_t gone) {
  rewrite_dependences(
      pe, [&](std::uint32_t op, std::uint32_t d) { return op == gone || pe.dependences[d].op == gone; },
      [&](std::uint32_t op) { return op - (op > gone ? 1 : 0); });
  pe.ops.erase(pe.ops.begin() + gone);
  if (gone < pe.prologue_ops) --pe.prologue_ops;
}

std::string shift_region(Program& program, Rng& rng) {
  const auto [index, access] = pick(program, rng, [](const PeProgram& pe) { return pe.accesses.size(); });
  PeProgram& pe = program.pes[index];
  std::uint32_t owner = 0;
  while (!(pe.ops[owner].reads.begin <= access && access < pe.ops[owner].writes.end)) ++owner;
  Box& box = pe.accesses[access].box;
  const auto d = static_cast<std::size_t>(rng.below(box.rank));
  const std::string before = box.to_string();
  box.offset[d] += box.offset[d] > 0 && rng.below(2) == 0 ? -1 : 1;
  return fmt::format("{}: region of '{}' shifted from {} to {}", name_of(program, index, owner),
                     program.tensors[pe.micro_tensors[pe.accesses[access].micro_tensor].tensor.value()].name,
                     before, box.to_string());
}

}  // namespace

bool implied(const PeProgram& pe, std::uint32_t op, std::uint32_t dependence) {
  const auto normal = [&](const Dependence& d) {  // a prologue micro-op has one instance
    return std::make_pair(d.op, d.op < pe.prologue_ops ? 0u : d.distance);
  };
  const auto target = normal(pe.dependences[dependence]);
  std::set<std::pair<std::uint32_t, std::uint32_t>> seen;
  std::vector<std::pair<std::uint32_t, std::uint32_t>> todo;  // micro-op, periods before
  const auto follow = [&](std::uint32_t from, std::uint32_t before) {
    for (std::uint32_t d = pe.ops[from].dependences.begin; d < pe.ops[from].dependences.end; ++d) {
      auto next = normal(pe.dependences[d]);
      next.second += before;
      const bool may_lead_there =
          next.second < target.second || (next.second == target.second && next.first >= target.first);
      if (d != dependence && may_lead_there && seen.insert(next).second) todo.push_back(next);
    }
  };
  follow(op, 0);
  while (!todo.empty()) {
    const auto at = todo.back();
    todo.pop_back();
    if (at == target) return true;
    follow(at.first, at.second);
  }
  return false;
}

std::string delete_transfer(Program& program, TransferId gone) {
  std::string text = "deleted:";
  for (std::size_t pe = 0; pe < program.pes.size(); ++pe)
    for (std::uint32_t op = 0; op < program.pes[pe].ops.size(); ++op) {
      const MicroOp& micro_op = program.pes[pe].ops[op];
      const bool moves = micro_op.kind != MicroOpKind::matmul && micro_op.kind != MicroOpKind::vector;
      if (!moves || micro_op.transfer != gone) continue;
      text += " " + name_of(program, pe, op);
      delete_micro_op(program.pes[pe], op);
      break;
    }
  return text;
}

std::string mutate(Program& program, Rng& rng) {
  switch (rng.below(3)) {
    case 0:
      return delete_dependence(program, rng);
    case 1:
      return delete_transfer(program,
                             TransferId(static_cast<std::uint32_t>(rng.below(program.transfers.size()))));
    default:
      return shift_region(program, rng);
  }
}

}  // namespace dfsim::test
