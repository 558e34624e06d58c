#include "planner/lower/stage_lowering.h"

#include <algorithm>
#include <set>

#include "planner/lower/box_cover.h"

namespace dfsim {

StageLowering::StageLowering(LoweringState& state, const std::vector<Stage>& stages)
    : state_(state), stages_(stages) {
  std::set<OpId> inside;
  for (std::uint32_t s = 0; s < stages.size(); ++s)
    for (const OpId op : stages[s].operators) {
      inside.insert(op);
      state_.reslicing.set_stage(op, s);
      order_.push_back(op);
    }
  for (const OpId id : order_)
    for (const TensorId input : state_.graph.op(id).inputs) {
      const Tensor& tensor = state_.graph.tensor(input);
      const bool given = tensor.producer && !inside.contains(*tensor.producer);
      if (given) state_.reslicing.set_given(input);
      for (const OpId consumer : tensor.consumers)
        if (!given || inside.contains(consumer)) progress_[input].emplace(consumer, 0);
    }
}

std::vector<StageLowering::SubBatch> StageLowering::sub_batches(const Stage& stage) const {
  const std::uint32_t count = std::clamp<std::uint32_t>(stage.strategy.sub_batches, 1, state_.samples);
  std::vector<SubBatch> result;
  for (std::uint32_t i = 0; i < count; ++i) {
    const std::uint32_t first = state_.samples * i / count, end = state_.samples * (i + 1) / count;
    result.push_back({first, end - first});
  }
  return result;
}

OperatorMapping StageLowering::map(const Stage& stage, std::size_t index, const SubBatch& samples) const {
  return map_operator(state_.graph, state_.hardware, stage.operators[index], stage.group,
                      stage.strategy.operators[index], samples.first, samples.count);
}

void StageLowering::write_prologue() {
  for (const Stage& stage : stages_) write_prologue(stage);
}

void StageLowering::write_prologue(const Stage& stage) {
  if (!stage.strategy.weights_resident) return;
  writing_ = stage.name;
  const SubBatch first = sub_batches(stage).front();
  for (std::size_t index = 0; index < stage.operators.size(); ++index) {
    const OperatorMapping mapping = map(stage, index, first);
    OperatorScope scope;
    scope.op = stage.operators[index];
    scope.group = &stage.group;
    scope.weights_resident = true;
    OperatorLowering(state_, scope, mapping).write_prologue();
  }
}

void StageLowering::find_stages_before() {
  std::map<OpId, std::size_t> stage_of;
  for (std::size_t s = 0; s < stages_.size(); ++s)
    for (const OpId op : stages_[s].operators) stage_of[op] = s;
  before_.assign(stages_.size(), {});
  turn_.assign(stages_.size(), {});
  shares_.assign(stages_.size(), false);
  written_.assign(stages_.size(), 0);
  for (const auto& [op, s] : stage_of)
    for (const OpId earlier : state_.graph.predecessors(op))
      if (const auto it = stage_of.find(earlier); it != stage_of.end() && it->second != s)
        before_[s].insert(it->second);
  for (std::size_t a = 0; a < stages_.size(); ++a)
    for (std::size_t b = a + 1; b < stages_.size(); ++b)
      if (stages_[a].group.overlaps(stages_[b].group)) {
        turn_[b].insert(a);
        shares_[a] = shares_[b] = true;
      }
}

void StageLowering::write_all() {
  find_stages_before();
  for (std::uint32_t sample = 1; sample <= state_.samples; ++sample)
    for (std::size_t s = 0; s < stages_.size(); ++s) write_until(s, sample);
}

/// Writes a stage's sub-batches until `sample` samples are done.
void StageLowering::write_until(std::size_t stage, std::uint32_t sample) {
  if (shares_[stage]) sample = state_.samples;
  const std::vector<SubBatch> all = sub_batches(stages_[stage]);
  while (written_[stage] < all.size() && all[written_[stage]].first < sample) {
    const SubBatch& next = all[written_[stage]];
    for (const std::size_t earlier : before_[stage]) write_until(earlier, next.first + next.count);
    for (const std::size_t earlier : turn_[stage]) write_until(earlier, state_.samples);
    write_sub_batch(stages_[stage], next);
    ++written_[stage];
  }
}

void StageLowering::write_sub_batch(const Stage& stage, const SubBatch& samples) {
  writing_ = stage.name;
  for (std::size_t index = 0; index < stage.operators.size(); ++index) write_operator(stage, index, samples);
}

void StageLowering::write_alone() {
  const Stage& stage = stages_.front();
  const std::set<OpId> inside(stage.operators.begin(), stage.operators.end());
  std::uint32_t taken = 0;  // samples that other stages have by now
  for (const SubBatch& samples : sub_batches(stage)) {
    write_sub_batch(stage, samples);
    for (const OpId op : stage.operators)
      for (const TensorId output : state_.graph.op(op).outputs)
        for (const OpId reader : state_.graph.tensor(output).consumers)
          if (taken > 0 && !inside.contains(reader)) consumed(output, reader, taken);
    taken = samples.first + samples.count;
  }
}

void StageLowering::write_operator_alone() {
  const Stage& stage = stages_.front();
  for (const SubBatch& samples : sub_batches(stage)) {
    write_sub_batch(stage, samples);
    for (const TensorId output : state_.graph.op(stage.operators.front()).outputs)
      state_.table.release(output, state_.writer, [](const Copy&) { return true; });
  }
}

bool StageLowering::dies_with(TensorId tensor, OpId op) const {
  const Tensor& t = state_.graph.tensor(tensor);
  return t.role == TensorRole::activation && t.consumers.size() == 1 && t.consumers.front() == op;
}

void StageLowering::write_operator(const Stage& stage, std::size_t index, const SubBatch& samples) {
  const OpId id = stage.operators[index];
  const Operator& op = state_.graph.op(id);
  const OperatorMapping mapping = map(stage, index, samples);
  OperatorScope scope;
  scope.op = id;
  scope.group = &stage.group;
  scope.weights_resident = stage.strategy.weights_resident;
  scope.input_dies = !op.inputs.empty() && dies_with(op.inputs[0], id);
  scope.after = wait_for_control(id, mapping, samples.first + samples.count);

  OperatorLowering lowering(state_, scope, mapping);
  lowering.write();
  describe(id, mapping);
  computed_[id].emplace_back(samples.first + samples.count, lowering.computed());
  store_outputs(id, stage.group, samples);
  for (const TensorId input : std::set<TensorId>(op.inputs.begin(), op.inputs.end()))
    consumed(input, id, samples.first + samples.count);
}

void StageLowering::store_outputs(OpId id, const PeGroup& group, const SubBatch& samples) {
  for (const TensorId output : state_.graph.op(id).outputs) {
    const Tensor& tensor = state_.graph.tensor(output);
    if (tensor.role == TensorRole::output) {
      std::vector<Box> stored;
      for (const Copy& copy : state_.table.owners(output)) {
        if (copy.box.offset[0] < samples.first || copy.box.offset[0] >= samples.first + samples.count)
          continue;
        if (std::find(stored.begin(), stored.end(), copy.box) != stored.end()) continue;  // a replica
        stored.push_back(copy.box);
        std::vector<PortId> ports = state_.writer.homes().output_ports_of(group);
        std::erase_if(ports, [&](PortId port) {
          return state_.hardware.memory[port.value()].noc != state_.hardware.pes[copy.pe.value()].noc;
        });
        state_.writer.store(
            copy.pe, {copy.micro_tensor, copy.box},
            state_.writer.homes().sample_box(output, tensor.shape, state_.writer.element_bytes(output, false),
                                             state_.samples, copy.box, ports),
            {"store", "direct", "memory", output, id}, id);
      }
    }
    if (tensor.consumers.empty())
      state_.table.release(output, state_.writer, [](const Copy&) { return true; });
  }
}

/// `op` has read `tensor` up to sample `samples_done`; what every consumer has read gives its place back.
void StageLowering::consumed(TensorId tensor, OpId op, std::uint32_t samples_done) {
  const Tensor& t = state_.graph.tensor(tensor);
  if (t.role == TensorRole::weight || t.role == TensorRole::embedding) return;
  std::map<OpId, std::uint32_t>& progress = progress_[tensor];
  progress[op] = samples_done;
  std::uint32_t all = samples_done;
  for (const auto& [consumer, done] : progress) all = std::min(all, done);
  state_.table.release(tensor, state_.writer,
                       [&](const Copy& copy) { return copy.box.offset[0] + copy.box.extent[0] <= all; });
}

std::map<PeId, std::vector<std::uint32_t>> StageLowering::wait_for_control(OpId op,
                                                                           const OperatorMapping& mapping,
                                                                           std::uint32_t sub_batch_end) {
  std::map<PeId, std::vector<std::uint32_t>> after;
  for (const auto& [before, later] : state_.graph.control_edges()) {
    if (later != op || !computed_.contains(before)) continue;
    // All that the earlier operator does up to the end of this sub-batch is reported to one PE, which passes
    // the word on.
    std::map<PeId, std::vector<std::uint32_t>> ended;
    std::uint32_t covered = 0;
    for (const auto& [end, micro_ops] : computed_[before]) {
      if (covered >= sub_batch_end) break;
      covered = end;
      for (const auto& [pe, list] : micro_ops) ended[pe].insert(ended[pe].end(), list.begin(), list.end());
    }
    if (ended.empty()) continue;
    const PrimitiveKey key{"send", "token", "intra_stage", state_.graph.op(before).outputs.front(), op};
    const PeId collector = ended.begin()->first;
    std::vector<std::uint32_t> words = ended.begin()->second;
    for (auto it = std::next(ended.begin()); it != ended.end(); ++it)
      words.push_back(state_.writer.token(it->first, it->second, collector, key, op));
    std::set<PeId> waiting;
    for (const MappedPart& part : mapping.parts) waiting.insert(part.pe);
    for (const PeId pe : waiting) {
      if (pe == collector)
        after[pe].insert(after[pe].end(), words.begin(), words.end());
      else
        after[pe].push_back(state_.writer.token(collector, words, pe, key, op));
    }
  }
  return after;
}

void StageLowering::describe(OpId id, const OperatorMapping& mapping) {
  const Operator& op = state_.graph.op(id);
  for (std::size_t input = 0; input < op.inputs.size(); ++input) {
    std::vector<Box> read, held;
    for (const MappedPart& part : mapping.parts)
      read.push_back(kind_of(op).input_box(state_.graph, id, input, part.block));
    for (const Copy& copy : state_.table.owners(op.inputs[input])) held.push_back(copy.box);
    state_.reslicing.describe(op.inputs[input], id, held, read);
  }
}

void StageLowering::write_transfers(const Stage& producer, const Stage& consumer) {
  const std::vector<SubBatch> made = sub_batches(producer), read = sub_batches(consumer);
  if (made.size() != read.size()) {
    for (const SubBatch& samples : made) give_outputs(producer, consumer, samples);
    for (const SubBatch& samples : read) move_inputs(consumer, samples);
    return;
  }
  // In step, as two operators of one stage are: no more than a sub-batch is there at a time.
  for (std::size_t i = 0; i < made.size(); ++i) {
    give_outputs(producer, consumer, made[i]);
    move_inputs(consumer, read[i]);
    for (const TensorId tensor : given_outputs_)
      state_.table.release(tensor, state_.writer, [](const Copy&) { return true; });
  }
}

/// What the consumer reads of the producer's outputs is there from the start, in the producer's layout.
void StageLowering::give_outputs(const Stage& producer, const Stage& consumer, const SubBatch& samples) {
  std::set<TensorId> wanted;
  for (const OpId op : consumer.operators)
    for (const TensorId input : state_.graph.op(op).inputs) wanted.insert(input);
  for (std::size_t index = 0; index < producer.operators.size(); ++index) {
    const OpId id = producer.operators[index];
    const Operator& op = state_.graph.op(id);
    const OperatorMapping mapping = map(producer, index, samples);
    for (std::size_t output = 0; output < op.outputs.size(); ++output) {
      const TensorId tensor = op.outputs[output];
      if (!wanted.contains(tensor)) continue;
      given_outputs_.insert(tensor);
      for (const MappedPart& part : mapping.parts) {
        Box box = kind_of(op).output_box(state_.graph, id, output, part.block);
        box = share_of_reduction(box, part.share, static_cast<std::uint32_t>(part.partners.size()));
        if (box.empty()) continue;
        const std::uint32_t at = state_.writer.pe(part.pe).allocate(state_.writer.tensor(tensor), box,
                                                                    state_.writer.bytes(tensor, box, false),
                                                                    Placement::reserved, false, true);
        state_.table.add(tensor, {part.pe, at, box, true});
      }
    }
  }
}

void StageLowering::move_inputs(const Stage& consumer, const SubBatch& samples) {
  for (std::size_t index = 0; index < consumer.operators.size(); ++index) {
    const OpId id = consumer.operators[index];
    const Operator& op = state_.graph.op(id);
    const OperatorMapping mapping = map(consumer, index, samples);
    std::vector<Demand> demands;
    for (std::size_t input = 0; input < op.inputs.size(); ++input) {
      if (!given_outputs_.contains(op.inputs[input])) continue;
      for (const MappedPart& part : mapping.parts) {
        const Box box = kind_of(op).input_box(state_.graph, id, input, part.block);
        if (!box.empty()) demands.push_back({op.inputs[input], box, part.pe});
      }
    }
    DemandContext context;
    context.op = id;
    context.group = &consumer.group;
    context.samples = state_.samples;
    state_.reslicing.serve(std::move(demands), context);
    describe(id, mapping);
  }
}

}  // namespace dfsim
