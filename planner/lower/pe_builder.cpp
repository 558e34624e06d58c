#include "planner/lower/pe_builder.h"

#include <algorithm>

#include "planner/lower/dependence_reduction.h"

namespace dfsim {

namespace {

/// A piece of at most this size is put where streams are.
constexpr std::uint32_t kSmallPiece = 8 * 1024;

}  // namespace

PeBuilder::PeBuilder(PeId pe, std::uint64_t scratchpad_bytes, ScratchpadSetup setup)
    : own_places_(setup.own_places),
      policy_(setup.policy),
      map_(scratchpad_bytes, setup.policy, std::move(setup.foreseen)),
      capacity_(map_.free_bytes()) {
  program_.pe = pe;
}

std::uint32_t PeBuilder::allocate(TensorId tensor, const Box& box, std::uint32_t bytes, Placement placement,
                                  bool partial, bool resident) {
  MicroTensor added{tensor, box, 0, bytes, 1, partial, resident};
  const bool streams =
      placement == Placement::stream ||
      (placement == Placement::passing && bytes <= kSmallPiece && policy_ != PlacePolicy::packed);
  const auto address = placement == Placement::reserved ? reserved_place(added)
                       : placement == Placement::sum    ? map_.allocate_sum(bytes)
                       : streams                        ? map_.allocate_stream(bytes)
                                                        : map_.allocate_lowest(bytes);
  if (!address) throw ScratchpadFull(program_.pe, bytes, map_.largest_free());
  peak_bytes_ = std::max(peak_bytes_, capacity_ - map_.free_bytes());
  added.address = *address;
  const std::uint32_t index = add(added);
  if (placement == Placement::reserved) in_reserved_.insert(index);
  return index;
}

std::uint32_t PeBuilder::add(const MicroTensor& tensor) {
  const auto index = static_cast<std::uint32_t>(program_.micro_tensors.size());
  program_.micro_tensors.push_back(tensor);
  history_.emplace_back();
  occupy(index);
  return index;
}

/// Two places are enough to fill one while the other is read; what is never filled needs only one.
std::optional<std::uint32_t> PeBuilder::reserved_place(const MicroTensor& tensor) {
  Reserved& reserved = reserved_[{tensor.tensor, tensor.bytes}];
  const std::uint32_t enough = tensor.resident ? 1 : 2;
  if (reserved.places < enough || reserved.free.empty())
    if (const auto fresh = map_.allocate_lowest(tensor.bytes)) {
      ++reserved.places;
      return fresh;
    }
  if (reserved.free.empty()) return std::nullopt;
  const std::uint32_t address = program_.micro_tensors[reserved.free.front()].address;
  reserved.free.pop_front();
  return address;
}

std::uint32_t PeBuilder::take_over(std::uint32_t old, TensorId tensor) {
  MicroTensor taken = program_.micro_tensors[old];
  taken.tensor = tensor;
  const std::uint32_t index = add(taken);
  history_[index].same_geometry = true;
  return index;
}

void PeBuilder::release(std::uint32_t micro_tensor) {
  const MicroTensor& tensor = program_.micro_tensors[micro_tensor];
  if (in_reserved_.contains(micro_tensor))
    reserved_[{tensor.tensor, tensor.bytes}].free.push_back(micro_tensor);
  else if (!tensor.resident)
    map_.release(tensor.address, tensor.bytes);
}

/// Notes who had the addresses before, and takes them.
void PeBuilder::occupy(std::uint32_t micro_tensor) {
  const MicroTensor& tensor = program_.micro_tensors[micro_tensor];
  if (tensor.bytes == 0) return;
  const std::uint32_t begin = tensor.address;
  const std::uint32_t end = begin + ScratchpadMap::aligned(tensor.bytes);
  History& history = history_[micro_tensor];

  auto it = occupants_.upper_bound(begin);
  if (it != occupants_.begin() && std::prev(it)->second.end > begin) --it;
  std::uint32_t covered = begin;
  while (it != occupants_.end() && it->first < end) {
    const std::uint32_t old_begin = it->first;
    const Occupant old = it->second;
    history.predecessors.push_back(old.micro_tensor);
    if (covered < old_begin) history.untouched.emplace_back(covered, old_begin);
    covered = std::max(covered, old.end);
    it = occupants_.erase(it);
    if (old_begin < begin) occupants_.emplace(old_begin, Occupant{begin, old.micro_tensor});
    if (old.end > end) it = occupants_.emplace(end, Occupant{old.end, old.micro_tensor}).first;
  }
  if (covered < end) history.untouched.emplace_back(covered, end);
  occupants_.emplace(begin, Occupant{end, micro_tensor});
  std::sort(history.predecessors.begin(), history.predecessors.end());
  history.predecessors.erase(std::unique(history.predecessors.begin(), history.predecessors.end()),
                             history.predecessors.end());
}

std::uint32_t PeBuilder::emit(MicroOp op, const std::vector<Access>& reads, const std::vector<Access>& writes,
                              const std::vector<std::uint32_t>& after) {
  const auto index = static_cast<std::uint32_t>(program_.ops.size());
  std::vector<Dependence> dependences;
  for (const std::uint32_t earlier : after) dependences.push_back({earlier, 0});
  for (const Access& access : reads) add_conflicts(index, access, false, dependences);
  for (const Access& access : writes) add_conflicts(index, access, true, dependences);
  for (const Access& access : reads) record(index, access, false);
  for (const Access& access : writes) record(index, access, true);

  op.reads.begin = static_cast<std::uint32_t>(program_.accesses.size());
  program_.accesses.insert(program_.accesses.end(), reads.begin(), reads.end());
  op.reads.end = op.writes.begin = static_cast<std::uint32_t>(program_.accesses.size());
  program_.accesses.insert(program_.accesses.end(), writes.begin(), writes.end());
  op.writes.end = static_cast<std::uint32_t>(program_.accesses.size());
  program_.ops.push_back(op);
  pending_.push_back(std::move(dependences));
  return index;
}

void PeBuilder::add_conflicts(std::uint32_t op, const Access& access, bool write,
                              std::vector<Dependence>& out) {
  const History& history = history_[access.micro_tensor];
  bool written_whole = false;
  for (const Use& use : history.uses) {
    if (use.op == op || (!write && !use.write)) continue;
    if (use.box.intersection(access.box).empty()) continue;
    out.push_back({use.op, 0});
    written_whole = written_whole || use.box.contains(access.box);
  }
  // What used the addresses before has ended once the first write has started; later uses imply it.
  if (!write || written_whole) return;
  for (const std::uint32_t before : history.predecessors)
    for (const Use& use : history_[before].uses) {
      if (use.op == op) continue;
      if (history.same_geometry && use.box.intersection(access.box).empty()) continue;
      out.push_back({use.op, 0});
    }
}

void PeBuilder::record(std::uint32_t op, const Access& access, bool write) {
  History& history = history_[access.micro_tensor];
  // A use of a box implies the earlier ones inside it that it had to wait for.
  const auto implied = [&](const Use& use) {
    return use.op != op && access.box.contains(use.box) && (write || use.write);
  };
  if (write && std::none_of(history.uses.begin(), history.uses.end(),
                            [&](const Use& use) { return use.op != op && use.box.contains(access.box); }))
    history.first_writes.push_back({op, access.box, true});
  if (write) {
    history.uses.erase(std::remove_if(history.uses.begin(), history.uses.end(), implied), history.uses.end());
  }
  history.uses.push_back({op, access.box, write});
}

/// The first writer of a place in a period follows the last users of that place in the period before.
void PeBuilder::add_period_dependences() {
  for (std::uint32_t index = 0; index < history_.size(); ++index) {
    const History& history = history_[index];
    if (program_.micro_tensors[index].resident || history.untouched.empty()) continue;
    for (const auto& [begin, end] : history.untouched) {
      auto it = occupants_.upper_bound(begin);
      if (it != occupants_.begin() && std::prev(it)->second.end > begin) --it;
      for (; it != occupants_.end() && it->first < end; ++it)
        for (const Use& last : history_[it->second.micro_tensor].uses)
          for (const Use& first : history.first_writes) {
            const bool apart = it->second.micro_tensor == index && last.box.intersection(first.box).empty();
            if (!apart) pending_[first.op].push_back({last.op, 1});
          }
    }
  }
}

PeProgram PeBuilder::finish() {
  add_period_dependences();
  for (std::uint32_t index = 0; index < program_.ops.size(); ++index) {
    const std::vector<Dependence>& list = pending_[index];
    MicroOp& op = program_.ops[index];
    op.dependences.begin = static_cast<std::uint32_t>(program_.dependences.size());
    program_.dependences.insert(program_.dependences.end(), list.begin(), list.end());
    op.dependences.end = static_cast<std::uint32_t>(program_.dependences.size());
  }
  pending_.clear();
  drop_implied_dependences(program_);
  return std::move(program_);
}

}  // namespace dfsim
