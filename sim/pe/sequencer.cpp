#include "sim/pe/sequencer.h"

#include <fmt/format.h>

#include "sim/base/errors.h"

namespace dfsim {

void UnitCursor::start(const UnitList& unit, std::uint32_t all_periods) {
  list = &unit;
  position = instance = 0;
  periods = all_periods;
  done = unit.ops.empty() || (unit.prologue == 0 && periods == 0);
}

void UnitCursor::next() {
  const bool was_prologue = position < list->prologue;
  ++position;
  if (was_prologue) {
    if (position == list->prologue) done = position == list->ops.size() || periods == 0;
    return;
  }
  if (position < list->ops.size()) return;
  position = list->prologue;
  done = ++instance == periods;
}

Sequencer::Sequencer(sc_core::sc_module_name name, RunContext& context, Scratchpad& scratchpad, Dma& dma,
                     PeId pe)
    : sc_module(name),
      context_(context),
      scratchpad_(scratchpad),
      dma_(dma),
      pe_(pe),
      endpoint_(context.hardware.pes[pe.value()].endpoint) {
  SC_HAS_PROCESS(Sequencer);
  SC_METHOD(step);
  sensitive << wake_;
  dont_initialize();
}

void Sequencer::connect(MatrixUnit& matrix, VectorUnit& vector) {
  matrix_ = &matrix;
  vector_ = &vector;
}

void Sequencer::bind(PacketInjector& noc) {
  noc_ = &noc;
  dma_.bind(noc);
}

void Sequencer::start(LoadedPe& loaded) {
  loaded_ = &loaded;
  dma_.load(loaded);
  account_.reset(pe_, context_.observer);
  unfinished_ = loaded.instances;
  ended_.assign(loaded.ops.size(), 0);
  cursors_.resize(loaded.units.size());
  for (std::size_t u = 0; u < cursors_.size(); ++u) cursors_[u].start(loaded.units[u], loaded.periods);
  for (std::size_t i = 0; i < loaded.ready_receives.size(); i += 2)
    post(loaded.ready_receives[i], loaded.ready_receives[i + 1], false, 0);
  if (unfinished_ > 0) wake();
}

void Sequencer::reset() {
  wake_.cancel();
  matrix_->reset();
  vector_->reset();
  dma_.reset();
  scratchpad_.reset();
  account_.reset(pe_, nullptr);
  activity_ = PeActivity{};
  arrived_.clear();
  computed_.clear();
  unfinished_ = 0;
  bytes_received_ = bytes_loaded_ = 0;
  blocked_before_ = 0;
  may_be_blocked_ = begun_ = false;
  loads_arriving_ = 0;
  loaded_ = nullptr;
}

// ------------------------------------------------------------------------------------------------ what comes
// in

void Sequencer::packet_arrived(const Packet& packet) {
  if (context_.draining) return;
  if (!loaded_) throw SimulationError(std::string(name()) + ": packet for a PE without a program");
  const Message& message = packet.message;
  const std::size_t transfer = message.transfer.value();
  if (message.kind == MessageKind::ready) {
    --loaded_->state(context_.loaded->source_op[transfer], message.instance).ungranted;
    wake();
    return;
  }
  // Data of a load that another PE has asked for is received as that of a send is.
  const bool receives =
      message.kind == MessageKind::data ||
      (message.kind == MessageKind::load_data && context_.loaded->program->transfers[transfer].source != pe_);
  const std::uint32_t op =
      receives ? context_.loaded->receive_at(message.transfer, pe_) : context_.loaded->source_op[transfer];
  InstanceState& state = loaded_->state(op, message.instance);
  const LoadedOp& loaded = loaded_->ops[op];
  const bool token = loaded.bytes == 0;
  const bool first_of_load = receives && message.kind == MessageKind::load_data && state.progress == 0;
  if (first_of_load) ++loads_arriving_;
  state.progress += token ? 1 : message.bytes;
  if (state.progress > (token ? 1 : loaded.bytes))
    throw SimulationError(
        fmt::format("{}: transfer {} brings more than its {} bytes", name(), transfer, loaded.bytes));
  if (message.kind == MessageKind::data) bytes_received_ += message.bytes;
  if (message.kind == MessageKind::load_data) bytes_loaded_ += message.bytes;
  if (message.kind != MessageKind::store_ack) scratchpad_.count(0, message.bytes);
  if (receives && message.kind == MessageKind::load_data && state.progress == loaded.bytes) --loads_arriving_;
  const bool complete = receives ? receive_complete(op, message.instance) : state.progress == loaded.bytes;
  if (complete) arrived_.push_back({op, message.instance});
  if (complete || first_of_load || !begun_) wake();
  if (!begun_) {
    close_interval(context_.now());
    begun_ = activity_.begun = true;
  }
}

void Sequencer::packet_left(const Packet& packet) {
  if (context_.draining || !dma_.packet_left(packet)) return;
  if (packet.message.kind == MessageKind::data) {
    const std::uint32_t op = context_.loaded->source_op[packet.message.transfer.value()];
    if (++loaded_->state(op, packet.message.instance).progress == loaded_->ops[op].packets)
      arrived_.push_back({op, packet.message.instance});
  }
  wake();
}

// ------------------------------------------------------------------------------------------------ one step

void Sequencer::step() {
  if (context_.draining || !loaded_) return;
  const std::uint64_t now = context_.now();
  close_interval(now);
  end_everything_due(now);
  start_compute(*matrix_, cursors_[kMatrixUnit], now);
  start_compute(*vector_, cursors_[kVectorUnit], now);
  start_transfers(now);
  set_rates();
  note_activity(now);
}

void Sequencer::end_everything_due(std::uint64_t now) {
  computed_.clear();
  matrix_->advance(now, computed_);
  vector_->advance(now, computed_);
  for (const RunningOp& op : computed_) end(op.op, op.instance, op.start, now);
  for (std::size_t i = 0; i < arrived_.size(); ++i) {  // grows while a token that was already there is taken
    const Done done = arrived_[i];
    const LoadedOp& op = loaded_->ops[done.op];
    if (op.kind == MicroOpKind::load || op.kind == MicroOpKind::store) dma_.transfer_ended();
    end(done.op, done.instance, context_.observer ? dma_.starts()[op.states + done.instance] : 0, now);
  }
  arrived_.clear();
}

void Sequencer::end(std::uint32_t op, std::uint32_t instance, std::uint64_t start, std::uint64_t now) {
  const LoadedOp& loaded = loaded_->ops[op];
  loaded_->state(op, instance).done = true;
  ++ended_[op];
  --unfinished_;
  RunProgress& progress = context_.progress;
  if (loaded_->is_prologue(op)) {
    progress.ended_in_prologue(now);
  } else if (progress.ended(loaded.stage, instance, now) && instance + 1 == context_.pause_after_period) {
    context_.paused = true;
    sc_core::sc_pause();
  }
  if (loaded.unit <= kVectorUnit) scratchpad_.count(loaded.read_bytes, loaded.write_bytes);
  report_end(loaded, op, instance, start, now);
  release(op, instance, now);
}

void Sequencer::report_end(const LoadedOp& op, std::uint32_t index, std::uint32_t instance,
                           std::uint64_t start, std::uint64_t now) {
  const bool moves =
      op.kind == MicroOpKind::load || op.kind == MicroOpKind::store || op.kind == MicroOpKind::receive;
  if (moves) {
    const Transfer& transfer = context_.loaded->program->transfers[op.transfer.value()];
    if (!context_.primitive_bytes.empty()) context_.primitive_bytes[transfer.primitive] += op.bytes;
    context_.transfer_done[op.transfer.value()] = 1;
  }
  if (!context_.observer) return;
  context_.observer->micro_op(pe_, index, instance, start, now);
  if (moves)
    context_.observer->transfer(
        op.transfer, instance,
        context_.transfer_start[op.transfer.value() * std::size_t{loaded_->periods} + instance], now);
}

void Sequencer::release(std::uint32_t op, std::uint32_t instance, std::uint64_t now) {
  const LoadedOp& loaded = loaded_->ops[op];
  const bool prologue = loaded_->is_prologue(op);
  for (std::uint32_t r = loaded.released_begin; r < loaded.released_end; ++r) {
    const Released& released = loaded_->released[r];
    if (prologue) {
      for (std::uint32_t p = 0; p < loaded_->instances_of(released.op); ++p) met_one(released.op, p, now);
    } else if (instance + released.distance < loaded_->periods) {
      met_one(released.op, instance + released.distance, now);
    }
  }
}

void Sequencer::met_one(std::uint32_t op, std::uint32_t instance, std::uint64_t now) {
  if (--loaded_->state(op, instance).waiting == 0 && loaded_->ops[op].kind == MicroOpKind::receive)
    post(op, instance, true, now);
}

void Sequencer::post(std::uint32_t op, std::uint32_t instance, bool announce, std::uint64_t now) {
  const LoadedOp& loaded = loaded_->ops[op];
  loaded_->state(op, instance).posted = true;
  if (context_.observer) dma_.starts()[loaded.states + instance] = now;
  if (announce && loaded.bytes > 0) dma_.send_ready(loaded, instance, now);
  if (receive_complete(op, instance)) arrived_.push_back({op, instance});
}

bool Sequencer::receive_complete(std::uint32_t op, std::uint32_t instance) {
  const InstanceState& state = loaded_->state(op, instance);
  const std::uint32_t bytes = loaded_->ops[op].bytes;
  return state.posted && state.progress == (bytes == 0 ? 1 : bytes);
}

bool Sequencer::head_ready(const UnitCursor& cursor) const {
  return !cursor.done && loaded_->state(cursor.op(), cursor.instance).waiting == 0;
}

void Sequencer::start_compute(ComputeUnit& unit, UnitCursor& cursor, std::uint64_t now) {
  if (!head_ready(cursor)) return;
  const std::uint32_t op = cursor.op();
  const LoadedOp& loaded = loaded_->ops[op];
  if (!unit.accepts(loaded)) return;
  unit.start(loaded, op, cursor.instance, now);
  if (!loaded_->is_prologue(op)) context_.progress.compute_started(loaded.stage, cursor.instance, now);
  begun_ = true;
  cursor.next();
}

bool Sequencer::may_begin(const UnitCursor& cursor) const {
  if (!head_ready(cursor)) return false;
  const LoadedOp& op = loaded_->ops[cursor.op()];
  if (loaded_->state(cursor.op(), cursor.instance).ungranted > 0) return false;
  return op.kind == MicroOpKind::send || dma_.transfer_allowed();
}

void Sequencer::start_transfers(std::uint64_t now) {
  do {
    for (std::uint32_t c = 0; c + kFirstChannel < cursors_.size(); ++c) {
      UnitCursor& cursor = cursors_[kFirstChannel + c];
      if (!dma_.channel_free(c) || !may_begin(cursor)) continue;
      dma_.begin(c, cursor.op(), cursor.instance);
      begun_ = true;
      cursor.next();
    }
  } while (dma_.feed(now));
}

void Sequencer::set_rates() {
  const Rates rates = scratchpad_.rates(matrix_->demand(), vector_->demand());
  matrix_->set_rate(rates.matrix);
  vector_->set_rate(rates.vector);
}

// ------------------------------------------------------------------------------------------------ stalls

void Sequencer::note_activity(std::uint64_t now) {
  activity_.computing = matrix_->computing() || vector_->computing();
  activity_.speed = std::max(matrix_->speed(), vector_->speed());
  activity_.transfer_outstanding = dma_.outstanding() > 0 || loads_arriving_ > 0;
  activity_.begun = begun_;
  activity_.finished = unfinished_ == 0;
  activity_.waits_for_grant = false;
  for (std::uint32_t c = 0; c + kFirstChannel < cursors_.size(); ++c) {
    const UnitCursor& cursor = cursors_[kFirstChannel + c];
    if (!dma_.channel_free(c) || !head_ready(cursor)) continue;
    if (loaded_->state(cursor.op(), cursor.instance).ungranted > 0) activity_.waits_for_grant = true;
  }
  may_be_blocked_ = !activity_.computing && dma_.packets_in_noc() > 0;
  if (may_be_blocked_) blocked_before_ = noc_->blocked_cycles(endpoint_, now);
}

void Sequencer::close_interval(std::uint64_t now) {
  if (now == account_.closed_until()) return;
  const std::uint64_t blocked = may_be_blocked_ ? noc_->blocked_cycles(endpoint_, now) - blocked_before_ : 0;
  account_.close(now, activity_, blocked);
  if (may_be_blocked_) blocked_before_ += blocked;
}

void Sequencer::close(std::uint64_t end) {
  computed_.clear();
  if (end > account_.closed_until()) {
    matrix_->advance(end, computed_);
    vector_->advance(end, computed_);
    close_interval(end);
  }
  account_.flush();
}

// ------------------------------------------------------------------------------------------------ reports

void Sequencer::describe_blocked(const PeProgram& program, std::vector<std::string>& lines) const {
  for (const UnitCursor& cursor : cursors_)
    if (!cursor.done) lines.push_back(describe_head(program, cursor));
  for (std::uint32_t op = 0; op < loaded_->ops.size(); ++op) {
    if (loaded_->ops[op].kind != MicroOpKind::receive) continue;
    for (std::uint32_t p = 0; p < loaded_->instances_of(op); ++p) {
      const InstanceState& state = loaded_->state(op, p);
      if (state.done) continue;
      const Transfer& transfer = context_.loaded->program->transfers[program.ops[op].transfer.value()];
      lines.push_back(state.posted
                          ? fmt::format("{}: receive #{} of period {} has {} of {} bytes from {}",
                                        pe_name(context_.hardware, pe_), op, p, state.progress,
                                        transfer.bytes, pe_name(context_.hardware, transfer.source))
                          : fmt::format("{}: receive #{} of period {} waits for {}",
                                        pe_name(context_.hardware, pe_), op, p, first_unmet(program, op, p)));
      break;
    }
  }
}

std::string Sequencer::describe_head(const PeProgram& program, const UnitCursor& cursor) const {
  const std::uint32_t op = cursor.op();
  std::string text = fmt::format("{}: {} #{} of period {} ", pe_name(context_.hardware, pe_),
                                 to_string(program.ops[op].kind), op, cursor.instance);
  if (!head_ready(cursor)) return text + "waits for " + first_unmet(program, op, cursor.instance);
  const std::uint32_t ungranted = loaded_->state(op, cursor.instance).ungranted;
  const Transfer* transfer = program.ops[op].kind == MicroOpKind::send || ungranted > 0
                                 ? &context_.loaded->program->transfers[program.ops[op].transfer.value()]
                                 : nullptr;
  if (transfer && transfer->leaves.size() > 0)
    return text + fmt::format("waits for {} of {} grants", ungranted, transfer->leaves.size());
  if (transfer) return text + "waits for the grant of " + pe_name(context_.hardware, transfer->destination);
  return text + "waits for its unit";
}

std::string Sequencer::first_unmet(const PeProgram& program, std::uint32_t op, std::uint32_t instance) const {
  const Range range = program.ops[op].dependences;
  for (std::uint32_t d = range.begin; d < range.end; ++d) {
    const Dependence& dependence = program.dependences[d];
    const bool prologue = loaded_->is_prologue(dependence.op);
    if (!prologue && dependence.distance > instance) continue;
    const std::uint32_t p = prologue ? 0 : instance - dependence.distance;
    if (!loaded_->state(dependence.op, p).done)
      return fmt::format("{} #{} of period {}", to_string(program.ops[dependence.op].kind), dependence.op, p);
  }
  return "nothing";
}

}  // namespace dfsim
