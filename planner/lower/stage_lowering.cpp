#include "planner/lower/stage_lowering.h"

#include <algorithm>
#include <deque>
#include <set>

#include "planner/lower/box_cover.h"

namespace dfsim {

StageLowering::StageLowering(LoweringState& state, const std::vector<Stage>& stages)
    : state_(state), stages_(stages), pes_(stages.size()) {
  for (std::uint32_t s = 0; s < stages.size(); ++s) {
    for (const PeId pe : stages[s].group.pes(state.hardware)) pes_[s].insert(pe);
    for (const OpId op : stages[s].operators) {
      stage_of_[op] = s;
      state_.reslicing.set_stage(op, s);
      order_.push_back(op);
    }
  }
  for (const OpId id : order_) {
    const Operator& op = state_.graph.op(id);
    for (const TensorId input : op.inputs) {
      const Tensor& tensor = state_.graph.tensor(input);
      if (tensor.producer && !stage_of_.contains(*tensor.producer)) state_.reslicing.set_given(input);
      add_readers(input);
    }
    for (const TensorId output : op.outputs) add_readers(output);
  }
}

void StageLowering::add_readers(TensorId id) {
  const Tensor& tensor = state_.graph.tensor(id);
  const bool given = tensor.producer && !stage_of_.contains(*tensor.producer);
  for (const OpId reader : tensor.consumers) {
    const auto stage = stage_of_.find(reader);
    if (stage != stage_of_.end())
      readers_.add(id, reader, &pes_[stage->second]);
    else if (!given)
      readers_.add(id, reader, nullptr);
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

StageLowering::SubBatch StageLowering::common(const SubBatch& a, const SubBatch& b) {
  const std::uint32_t first = std::max(a.first, b.first), end = std::min(a.end(), b.end());
  return {first, end > first ? end - first : 0};
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
  before_.assign(stages_.size(), {});
  turn_.assign(stages_.size(), {});
  shares_.assign(stages_.size(), false);
  written_.assign(stages_.size(), 0);
  for (const auto& [op, s] : stage_of_)
    for (const OpId earlier : state_.graph.predecessors(op))
      if (const auto it = stage_of_.find(earlier); it != stage_of_.end() && it->second != s)
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
    for (const std::size_t earlier : before_[stage]) write_until(earlier, next.end());
    for (const std::size_t earlier : turn_[stage]) write_until(earlier, state_.samples);
    write_sub_batch(stages_[stage], next);
    ++written_[stage];
  }
}

void StageLowering::write_sub_batch(const Stage& stage, const SubBatch& samples) {
  writing_ = stage.name;
  std::vector<OperatorMapping> mappings;
  for (std::size_t index = 0; index < stage.operators.size(); ++index)
    mappings.push_back(map(stage, index, samples));
  for (std::size_t index = 0; index < stage.operators.size();) {
    TileChain chain(state_.graph);
    const std::size_t first = index;
    while (index < stage.operators.size() && chain.add(stage.operators[index], mappings[index])) ++index;
    write_chain(stage, first, chain, mappings.data() + first, samples);
  }
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
    taken = samples.end();
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

/// The operators of `chain`, the first of which is number `first` of the stage; `mappings` from that one on.
void StageLowering::write_chain(const Stage& stage, std::size_t first, const TileChain& chain,
                                const OperatorMapping* mappings, const SubBatch& samples) {
  std::deque<OperatorScope> scopes;
  std::deque<OperatorLowering> lowerings;
  for (std::size_t member = 0; member < chain.size(); ++member) {
    const OpId id = stage.operators[first + member];
    const Operator& op = state_.graph.op(id);
    OperatorScope& scope = scopes.emplace_back();
    scope.op = id;
    scope.group = &stage.group;
    scope.weights_resident = stage.strategy.weights_resident;
    scope.input_dies = !op.inputs.empty() && dies_with(op.inputs[0], id);
    scope.after = wait_for_control(id, mappings[member], samples.end());
    lowerings.emplace_back(state_, scope, mappings[member]);
  }
  for (const auto& [member, tile] : chain.order()) {
    lowerings[member].write_tile(tile);
    if (tile + 1 == mappings[member].most_tiles)
      end_operator(stage, stage.operators[first + member], mappings[member], lowerings[member], samples);
  }
}

void StageLowering::end_operator(const Stage& stage, OpId id, const OperatorMapping& mapping,
                                 OperatorLowering& lowering, const SubBatch& samples) {
  const Operator& op = state_.graph.op(id);
  lowering.end();
  describe(id, mapping);
  computed_[id].emplace_back(samples.end(), lowering.computed());
  store_outputs(id, stage.group, samples);
  send_ahead(stage, id, samples);
  for (const TensorId input : std::set<TensorId>(op.inputs.begin(), op.inputs.end()))
    consumed(input, id, samples.end());
}

void StageLowering::store_outputs(OpId id, const PeGroup& group, const SubBatch& samples) {
  for (const TensorId output : state_.graph.op(id).outputs) {
    const Tensor& tensor = state_.graph.tensor(output);
    if (tensor.role == TensorRole::output) {
      std::vector<Box> stored;
      for (const Copy& copy : state_.table.owners(output)) {
        if (copy.box.offset[0] < samples.first || copy.box.offset[0] >= samples.end()) continue;
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

/// `op` has read `tensor` up to sample `samples_done`.
void StageLowering::consumed(TensorId tensor, OpId op, std::uint32_t samples_done) {
  const Tensor& t = state_.graph.tensor(tensor);
  if (t.role == TensorRole::weight || t.role == TensorRole::embedding) return;
  readers_.read(tensor, op, samples_done);
  release_useless(tensor);
}

void StageLowering::release_useless(TensorId tensor) {
  state_.table.release(tensor, state_.writer,
                       [&](const Copy& copy) { return readers_.useless(tensor, copy); });
}

/// `consumer` works on more samples at a time than `producer`, elsewhere.
bool StageLowering::gathers(const Stage& consumer, const Stage& producer) const {
  return sub_batches(consumer).size() < sub_batches(producer).size() &&
         !consumer.group.overlaps(producer.group);
}

/// What stages with larger sub-batches read of the outputs of `id` goes to them at once: until they read it,
/// the whole of it needs room on their side only.
void StageLowering::send_ahead(const Stage& producer, OpId id, const SubBatch& samples) {
  for (const TensorId output : state_.graph.op(id).outputs) {
    bool sent = false;
    for (const OpId reader : state_.graph.tensor(output).consumers) {
      const auto found = stage_of_.find(reader);
      if (found == stage_of_.end() || !gathers(stages_[found->second], producer)) continue;
      const Stage& consumer = stages_[found->second];
      const auto index =
          static_cast<std::size_t>(std::find(consumer.operators.begin(), consumer.operators.end(), reader) -
                                   consumer.operators.begin());
      for (const SubBatch& of : sub_batches(consumer))
        if (const SubBatch part = common(of, samples); part.count > 0)
          state_.reslicing.serve(demands_on(output, reader, map(consumer, index, of), part),
                                 {reader, &consumer.group, state_.samples, false, false});
      readers_.fetched(output, reader, samples.end());
      sent = true;
    }
    if (sent) release_useless(output);
  }
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
  const auto release = [&](bool owners, std::uint32_t end) {
    for (const TensorId tensor : given_outputs_)
      state_.table.release(tensor, state_.writer, [&](const Copy& copy) {
        return copy.owner == owners && copy.box.offset[0] + copy.box.extent[0] <= end;
      });
  };
  // As in the whole plan: no more than a sub-batch is there at a time, on either side.
  for (const SubBatch& made : sub_batches(producer)) {
    give_outputs(producer, consumer, made);
    for (const SubBatch& read : sub_batches(consumer)) {
      const SubBatch part = common(read, made);
      if (part.count > 0) move_inputs(consumer, read, part);
      if (read.end() <= made.end()) release(false, read.end());
    }
    release(true, made.end());
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

/// What `id`, mapped so, reads of `samples` of `tensor`.
std::vector<Demand> StageLowering::demands_on(TensorId tensor, OpId id, const OperatorMapping& mapping,
                                              const SubBatch& samples) const {
  std::vector<Demand> demands;
  const Operator& op = state_.graph.op(id);
  for (std::size_t input = 0; input < op.inputs.size(); ++input) {
    if (op.inputs[input] != tensor) continue;
    for (const MappedPart& part : mapping.parts) {
      Box box = kind_of(op).input_box(state_.graph, id, input, part.block);
      if (box.empty()) continue;
      const SubBatch wanted = common({box.offset[0], box.extent[0]}, samples);
      box.offset[0] = wanted.first;
      box.extent[0] = wanted.count;
      if (!box.empty()) demands.push_back({tensor, box, part.pe});
    }
  }
  return demands;
}

/// `samples` of what the consumer reads for its sub-batch `of`.
void StageLowering::move_inputs(const Stage& consumer, const SubBatch& of, const SubBatch& samples) {
  for (std::size_t index = 0; index < consumer.operators.size(); ++index) {
    const OpId id = consumer.operators[index];
    const std::vector<TensorId>& inputs = state_.graph.op(id).inputs;
    const OperatorMapping mapping = map(consumer, index, of);
    std::vector<Demand> demands;
    for (const TensorId input : std::set<TensorId>(inputs.begin(), inputs.end()))
      if (given_outputs_.contains(input)) {
        const std::vector<Demand> more = demands_on(input, id, mapping, samples);
        demands.insert(demands.end(), more.begin(), more.end());
      }
    state_.reslicing.serve(std::move(demands), {id, &consumer.group, state_.samples, false, false});
    describe(id, mapping);
  }
}

}  // namespace dfsim
