#include "sim/trace/timeline.h"

#include <fmt/format.h>

#include <algorithm>
#include <limits>
#include <span>
#include <unordered_set>

#include "sim/trace/counters.h"
#include "sim/trace/labels.h"
#include "sim/trace/tracks.h"

namespace dfsim {

namespace {

constexpr std::uint64_t kCounterShare = 4;  ///< counters take at most 1 / 4 of the limit

class Timeline {
 public:
  Timeline(const TraceSource& source, TraceSink& sink)
      : source_(source),
        options_(source.recorder.options()),
        program_(source.program),
        hardware_(source.hardware),
        sink_(sink),
        tracks_(source.program, source.hardware, sink),
        pe_programs_(source.hardware.pes.size(), nullptr) {
    for (const PeProgram& pe : program_.pes) pe_programs_[pe.pe.value()] = &pe;
  }

  TraceSummary run() {
    summary_.dropped = source_.recorder.dropped();
    summary_.complete_until = source_.recorder.complete_until();
    stages();
    summary_.counter_values = write_counters(source_, room() / kCounterShare, tracks_, sink_);
    summary_.events += summary_.counter_values;
    choose();
    records();
    packets();
    flits();
    summary_.note = note();
    sink_.finish(head());
    return summary_;
  }

 private:
  std::uint64_t room() const { return options_.max_events - std::min(options_.max_events, summary_.events); }

  void slice() {
    sink_.slice(slice_);
    ++summary_.slices;
    ++summary_.events;
  }
  void start_slice(const TrackPlace& place, std::uint64_t start, std::uint64_t end, std::string_view name,
                   std::string_view category) {
    slice_.process = place.process;
    slice_.thread = place.thread;
    slice_.start = start;
    slice_.end = end;
    slice_.name = name;
    slice_.category = category;
    slice_.arrow_in.reset();
    slice_.arrows_out.clear();
    slice_.arguments.clear();
  }

  void stages() {
    const Measurement& m = source_.measurement;
    for (std::uint32_t s = 0; s < program_.stages.size() && s < m.stage_period_done_cycles.size(); ++s) {
      for (std::size_t p = 0; p < m.stage_period_done_cycles[s].size(); ++p) {
        const std::uint64_t start = m.stage_period_start_cycles[s][p], end = m.stage_period_done_cycles[s][p];
        if (end <= start) continue;
        if (room() == 0) {
          drop(1, end);
          continue;
        }
        start_slice(tracks_.stage(s, start, end), start, end, program_.stages[s], "stage");
        slice_.arguments.push_back(trace_number("period", p));
        slice();
      }
    }
  }

  void drop(std::uint64_t slices, std::uint64_t end) {
    summary_.dropped += slices;
    summary_.complete_until = std::min(summary_.complete_until, end);
  }

  /// One number per receiver and instance of a transfer, for the micro-op that sends (or loads) for it and
  /// for its receive: one each at a receive, several at the source of a multicast. None of others.
  std::vector<std::uint64_t> arrows_of(const TraceRecorder::Record& record) const {
    std::vector<std::uint64_t> result;
    const MicroOp& op = op_of(record);
    if (op.kind != MicroOpKind::send && op.kind != MicroOpKind::receive && op.kind != MicroOpKind::load)
      return result;
    const Transfer& transfer = program_.transfers[op.transfer.value()];
    const std::span<const PeId> all = receivers(program_, transfer);
    for (std::size_t i = 0; i < all.size(); ++i) {
      if (op.kind == MicroOpKind::receive && all[i] != PeId(static_cast<std::uint32_t>(record.pe))) continue;
      // Those of further leaves come behind those of all transfers.
      const std::uint64_t row =
          i == 0 ? op.transfer.value() : program_.transfers.size() + transfer.leaves.begin + i;
      result.push_back(row * std::max(program_.periods, 1u) + record.instance);
    }
    return result;
  }
  const MicroOp& op_of(const TraceRecorder::Record& record) const {
    return pe_programs_[record.pe]->ops[record.op];
  }
  /// How many records, packets and runs of flits fit, in order of end, and which arrows have both ends among
  /// them.
  void choose() {
    TraceRecorder::Records::Reader records(source_.recorder.records());
    TraceRecorder::Packets::Reader packets(source_.recorder.packets());
    TraceRecorder::Flits::Reader flits(source_.recorder.flit_runs());
    constexpr std::uint64_t kNever = std::numeric_limits<std::uint64_t>::max();
    std::uint64_t left = room();
    for (;;) {
      const std::uint64_t record = records.get() ? records.get()->end() : kNever;
      const std::uint64_t packet = packets.get() ? packets.get()->arrived : kNever;
      const std::uint64_t flit = flits.get() ? flits.get()->end : kNever;
      if (record == kNever && packet == kNever && flit == kNever) break;
      if (record <= packet && record <= flit) {
        if (!choose_record(*records.get(), left)) break;
        records.next();
      } else {
        if (left == 0) break;
        --left;
        if (packet <= flit) {
          ++packets_;
          packets.next();
        } else {
          ++flits_;
          flits.next();
        }
      }
    }
    if (records.get()) drop(source_.recorder.records().size() - records_, records.get()->end());
    if (packets.get()) drop(source_.recorder.packets().size() - packets_, packets.get()->arrived);
    if (flits.get()) drop(source_.recorder.flit_runs().size() - flits_, flits.get()->end);
    open_arrows_.clear();
  }

  /// False if it does not fit with the arrows that end at it.
  bool choose_record(const TraceRecorder::Record& record, std::uint64_t& left) {
    const std::vector<std::uint64_t> ends =
        record.kind == TraceRecorder::Kind::micro_op ? arrows_of(record) : std::vector<std::uint64_t>{};
    const auto pairs = static_cast<std::uint64_t>(std::count_if(
        ends.begin(), ends.end(), [&](std::uint64_t arrow) { return open_arrows_.contains(arrow); }));
    const std::uint64_t cost = 1 + 2 * pairs;
    if (left < cost) return false;
    left -= cost;
    ++records_;
    for (const std::uint64_t arrow : ends) {
      if (open_arrows_.erase(arrow) > 0)
        arrows_.push_back(arrow);
      else
        open_arrows_.insert(arrow);
    }
    return true;
  }

  void records() {
    std::sort(arrows_.begin(), arrows_.end());
    TraceRecorder::Records::Reader records(source_.recorder.records());
    for (std::uint64_t i = 0; i < records_; ++i, records.next()) {
      if (records.get()->kind == TraceRecorder::Kind::stall)
        stall(*records.get());
      else
        micro_op(*records.get());
    }
    summary_.arrows = arrows_.size();
    summary_.events += 2 * summary_.arrows;
  }

  void stall(const TraceRecorder::Record& record) {
    const std::string cause = to_string(static_cast<StallCause>(record.op));
    start_slice(tracks_.pe(record.pe, PeTrack::stalls, record.start, record.end()), record.start,
                record.end(), cause, "stall");
    slice();
  }

  void micro_op(const TraceRecorder::Record& record) {
    const MicroOp& op = op_of(record);
    const std::string category = to_string(op.kind);
    start_slice(tracks_.pe(record.pe, track_of(op.kind), record.start, record.end()), record.start,
                record.end(), program_.operators[op.op.value()].name, category);
    slice_.arguments.push_back(trace_number("micro_op", record.op));
    slice_.arguments.push_back(trace_number("period", record.instance));
    details(*pe_programs_[record.pe], op);
    for (const std::uint64_t arrow : arrows_of(record)) {
      if (!std::binary_search(arrows_.begin(), arrows_.end(), arrow)) continue;
      if (op.kind == MicroOpKind::receive)
        slice_.arrow_in = arrow;
      else
        slice_.arrows_out.push_back(arrow);
    }
    slice();
  }

  void details(const PeProgram& program, const MicroOp& op) {
    auto& arguments = slice_.arguments;
    if (op.kind == MicroOpKind::matmul) {
      arguments.push_back(trace_number("m", op.matmul.m));
      arguments.push_back(trace_number("n", op.matmul.n));
      arguments.push_back(trace_number("k", op.matmul.k));
      arguments.push_back(trace_number("count", op.matmul.count));
      arguments.push_back(trace_number("macs", op.matmul.macs()));
      result(program, op);
    } else if (op.kind == MicroOpKind::vector) {
      arguments.push_back(trace_text("function", program_.vector_functions[op.vector.function]));
      arguments.push_back(trace_number("elements", op.vector.elements));
      result(program, op);
    } else {
      const Transfer& transfer = program_.transfers[op.transfer.value()];
      transfer_details(transfer);
      if (op.kind == MicroOpKind::receive) {
        arguments.push_back(trace_text("peer", pe_label(hardware_, transfer.source)));
      } else if (transfer.leaves.size() > 0) {
        arguments.push_back(trace_text("peers", peers(transfer)));
      } else if (transfer.kind == TransferKind::send) {
        arguments.push_back(trace_text("peer", pe_label(hardware_, transfer.destination)));
      }
    }
  }
  std::string peers(const Transfer& transfer) const {
    std::string text;
    for (const PeId leaf : receivers(program_, transfer))
      text += (text.empty() ? "" : ", ") + pe_label(hardware_, leaf);
    return text;
  }
  /// Of compute: what is written first.
  void result(const PeProgram& program, const MicroOp& op) {
    if (op.writes.size() == 0) return;
    const Access& access = program.accesses[op.writes.begin];
    tensor_and_box(program.micro_tensors[access.micro_tensor].tensor, access.box);
  }
  void transfer_details(const Transfer& transfer) {
    tensor_and_box(transfer.tensor, transfer.box);
    slice_.arguments.push_back(trace_number("bytes", transfer.bytes));
    if (transfer.primitive >= program_.primitives.size()) return;
    const Primitive& primitive = program_.primitives[transfer.primitive];
    slice_.arguments.push_back(trace_text("primitive", primitive.kind));
    if (!primitive.scope.empty()) slice_.arguments.push_back(trace_text("scope", primitive.scope));
  }
  void tensor_and_box(TensorId tensor, const Box& box) {
    if (tensor.value() >= program_.tensors.size()) return;
    slice_.arguments.push_back(trace_text("tensor", program_.tensors[tensor.value()].name));
    slice_.arguments.push_back(trace_text("box", box.to_string()));
  }

  void packets() {
    TraceRecorder::Packets::Reader packets(source_.recorder.packets());
    for (std::uint64_t i = 0; i < packets_; ++i, packets.next()) {
      const ObservedPacket& packet = *packets.get();
      const std::string to = endpoint_label(hardware_, packet.noc, packet.destination);
      const std::string name = (packet.data ? "data to " : "control to ") + to;
      start_slice(tracks_.packets(packet.noc, packet.source, packet.entered, packet.arrived), packet.entered,
                  packet.arrived, name, "packet");
      auto& arguments = slice_.arguments;
      arguments.push_back(trace_number("period", packet.instance));
      arguments.push_back(trace_number("bytes", packet.bytes));
      arguments.push_back(trace_number("flits", packet.flits));
      arguments.push_back(trace_number("hops", packet.hops));
      arguments.push_back(trace_number("queued_cycles", packet.entered - packet.created));
      transfer_of(packet.transfer);
      slice();
    }
  }

  void flits() {
    TraceRecorder::Flits::Reader runs(source_.recorder.flit_runs());
    for (std::uint64_t i = 0; i < flits_; ++i, runs.next()) {
      const ObservedFlits& run = *runs.get();
      const std::string from = endpoint_label(hardware_, run.noc, run.source);
      const std::string name = (run.data ? "data from " : "control from ") + from;
      start_slice(tracks_.flits(run.noc, run.link, run.vc, run.start, run.end), run.start, run.end, name,
                  "flits");
      auto& arguments = slice_.arguments;
      arguments.push_back(trace_number("period", run.instance));
      arguments.push_back(trace_number("flits", run.end - run.start));
      arguments.push_back(trace_number("first_flit", run.first));
      transfer_of(run.transfer);
      slice();
    }
  }
  /// Of a packet: what it carries, or is about.
  void transfer_of(TransferId id) {
    if (id.value() >= program_.transfers.size()) return;
    const Transfer& transfer = program_.transfers[id.value()];
    slice_.arguments.push_back(trace_number("transfer", id.value()));
    tensor_and_box(transfer.tensor, transfer.box);
  }

  std::string note() const {
    if (summary_.dropped > 0)
      return fmt::format(
          "cut at {} events: complete for what ended before cycle {}; {} slices left out. Choose a window "
          "(--trace-window), fewer PEs (--trace-pe) or a higher limit (--trace-limit)",
          summary_.events, summary_.complete_until, summary_.dropped);
    if (options_.detail == TraceDetail::stage) return "stages only";
    const char* what = options_.detail == TraceDetail::flit     ? "micro-ops, packets and flits"
                       : options_.detail == TraceDetail::packet ? "micro-ops and packets"
                                                                : "micro-ops";
    if (options_.from == 0 && options_.until > source_.measurement.cycles)
      return fmt::format("stages and {} of the whole run", what);
    return fmt::format("{} of cycles {} to {}, stages of the whole run", what, options_.from, options_.until);
  }

  TraceHead head() const {
    const bool nanoseconds = options_.time == TraceTime::nanoseconds;
    TraceHead head = {trace_number("version", 2), trace_text("program", program_.name),
                      trace_text("hardware", hardware_.name)};
    head.insert(head.end(), source_.origin.begin(), source_.origin.end());
    head.push_back(trace_number("clock_period_ps", hardware_.clock_period_ps));
    head.push_back(trace_text("time", nanoseconds ? "nanoseconds" : "cycles, one shown as a nanosecond"));
    head.push_back(trace_number("cycles", source_.measurement.cycles));
    head.push_back(trace_number("counter_cycles", options_.counter_cycles));
    head.push_back(trace_number("events", summary_.events));
    head.push_back(trace_number("slices", summary_.slices));
    head.push_back(trace_number("arrows", summary_.arrows));
    head.push_back(trace_number("counter_values", summary_.counter_values));
    head.push_back(trace_number("dropped", summary_.dropped));
    head.push_back(trace_text("note", summary_.note));
    return head;
  }

  const TraceSource& source_;
  const TraceOptions& options_;
  const Program& program_;
  const HardwareSpec& hardware_;
  TraceSink& sink_;
  Tracks tracks_;
  std::vector<const PeProgram*> pe_programs_;            ///< by PeId
  std::uint64_t records_ = 0, packets_ = 0, flits_ = 0;  ///< how many are written
  std::unordered_set<std::uint64_t> open_arrows_;        ///< with one end so far
  std::vector<std::uint64_t> arrows_;                    ///< ascending once all are known
  TraceSlice slice_;                                     ///< reused
  TraceSummary summary_;
};

}  // namespace

TraceSummary write_timeline(const TraceSource& source, TraceSink& sink) {
  return Timeline(source, sink).run();
}

}  // namespace dfsim
