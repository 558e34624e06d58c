#include "sim/trace/chrome_trace.h"

#include <fmt/compile.h>
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <iterator>
#include <numeric>
#include <tuple>
#include <vector>

#include "sim/trace/gzip_writer.h"

namespace dfsim {

namespace {

constexpr std::size_t kFlushBytes = 1 << 16;
constexpr std::uint32_t kLanes = 100;  ///< thread ids of one kind: lanes for slices that overlap in time

enum Thread : std::uint32_t { kMatrix = 1, kVector, kDma, kTransmit, kReceive, kStalls, kThreads };
constexpr std::array<const char*, kThreads> kThreadNames{"", "matrix", "vector", "dma", "tx", "rx", "stalls"};

std::string escaped(std::string_view text) {
  std::string out;
  for (const char c : text) {
    if (c == '"' || c == '\\') {
      out += '\\';
      out += c;
    } else if (static_cast<unsigned char>(c) < 0x20) {
      out += fmt::format("\\u{:04x}", static_cast<unsigned>(c));
    } else {
      out += c;
    }
  }
  return out;
}

/// Gives overlapping slices of one thread different lanes, so that none hides another.
class Lanes {
 public:
  std::uint32_t take(std::uint64_t start, std::uint64_t end) {
    std::uint32_t lane = 0;
    while (lane < ends_.size() && ends_[lane] > start) ++lane;
    if (lane == kLanes) lane = kLanes - 1;
    if (lane == ends_.size()) ends_.push_back(0);
    ends_[lane] = std::max(end, start + 1);
    return lane;
  }
  std::uint32_t count() const { return static_cast<std::uint32_t>(ends_.size()); }

 private:
  std::vector<std::uint64_t> ends_;
};

class TraceWriter {
 public:
  TraceWriter(const TraceRecorder& recorder, const Program& program, const HardwareSpec& hardware,
              const Measurement& measurement, const std::function<void(std::string_view)>& sink)
      : recorder_(recorder), program_(program), hardware_(hardware), measurement_(measurement), sink_(sink) {
    pe_programs_.assign(hardware.pes.size(), nullptr);
    for (const PeProgram& pe : program.pes) pe_programs_[pe.pe.value()] = &pe;
  }

  void run() {
    put("{\"displayTimeUnit\":\"ns\",\"traceEvents\":[\n");
    stages();
    records();
    put("\n],\"otherData\":{\"version\":1,\"program\":\"" + escaped(program_.name) + "\",\"hardware\":\"" +
        escaped(hardware_.name) + "\"," +
        fmt::format("\"clock_period_ps\":{},\"cycles\":{},\"events\":{},\"dropped\":{},\"note\":\"{}\"}}}}\n",
                    hardware_.clock_period_ps, measurement_.cycles, events_, dropped_, note()));
    sink_(text_);
  }

 private:
  std::string note() const {
    if (dropped_ > 0)
      return fmt::format("cut after {} events: choose a window or a higher limit to see the rest", events_);
    const TraceOptions& options = recorder_.options();
    if (!options.ops) return "stages only";
    if (options.from == 0 && options.until > measurement_.cycles) return "whole run";
    return fmt::format("micro-ops of cycles {} to {}, stages of the whole run", options.from, options.until);
  }

  void put(std::string_view part) {
    text_ += part;
    if (text_.size() < kFlushBytes) return;
    sink_(text_);
    text_.clear();
  }
  /// False if the limit has been reached.
  bool event() {
    if (events_ >= recorder_.options().max_events) {
      ++dropped_;
      return false;
    }
    if (any_) put(",\n");
    any_ = true;
    ++events_;
    return true;
  }
  void metadata(const char* what, std::uint32_t process, std::uint32_t thread, const std::string& name) {
    put(any_ ? ",\n" : "");
    any_ = true;
    put(fmt::format(R"({{"ph":"M","name":"{}","pid":{},"tid":{},"args":{{"name":"{}"}}}})", what, process,
                    thread, escaped(name)));
  }

  /// Microseconds, exact to the picosecond.
  std::string microseconds(std::uint64_t cycles) const {
    const std::uint64_t ps = cycles * hardware_.clock_period_ps;
    if (ps % 1'000'000 == 0) return fmt::format(FMT_COMPILE("{}"), ps / 1'000'000);
    if (ps % 1000 == 0) return fmt::format(FMT_COMPILE("{}.{:03}"), ps / 1'000'000, ps / 1000 % 1000);
    return fmt::format(FMT_COMPILE("{}.{:06}"), ps / 1'000'000, ps % 1'000'000);
  }
  bool slice(std::string_view name, std::string_view category, std::uint32_t process, std::uint32_t thread,
             std::uint64_t start, std::uint64_t end, std::string_view args) {
    if (!event()) return false;
    put(fmt::format(
        FMT_COMPILE(
            R"({{"ph":"X","name":"{}","cat":"{}","pid":{},"tid":{},"ts":{},"dur":{},"args":{{{}}}}})"),
        name, category, process, thread, microseconds(start), microseconds(end - start), args));
    return true;
  }

  void stages() {
    metadata("process_name", 0, 0, "stages");
    std::uint32_t thread = 0;
    for (std::size_t s = 0; s < program_.stages.size() && s < measurement_.stage_period_done_cycles.size();
         ++s) {
      Lanes lanes;
      for (std::size_t p = 0; p < measurement_.stage_period_done_cycles[s].size(); ++p) {
        const std::uint64_t start = measurement_.stage_period_start_cycles[s][p],
                            end = measurement_.stage_period_done_cycles[s][p];
        if (end <= start) continue;
        slice(escaped(program_.stages[s]), "stage", 0, thread + lanes.take(start, end), start, end,
              fmt::format("\"period\":{}", p));
      }
      for (std::uint32_t lane = 0; lane < lanes.count(); ++lane)
        metadata("thread_name", 0, thread + lane, program_.stages[s]);
      thread += std::max(lanes.count(), 1u);
    }
  }

  void records() {
    const std::vector<TraceRecorder::Record>& records = recorder_.records();
    dropped_ += recorder_.dropped();
    std::vector<std::uint32_t> order(records.size());
    std::iota(order.begin(), order.end(), 0u);
    std::stable_sort(order.begin(), order.end(), [&](std::uint32_t a, std::uint32_t b) {
      const auto &x = records[a], &y = records[b];
      return std::tie(x.pe, x.start, x.end) < std::tie(y.pe, y.start, y.end);
    });
    std::size_t i = 0;
    while (i < order.size()) {
      const std::uint32_t pe = records[order[i]].pe;
      std::array<Lanes, kThreads> lanes;
      metadata("process_name", pe + 1, 0, name_of(pe));
      for (; i < order.size() && records[order[i]].pe == pe; ++i) record(records[order[i]], lanes);
      for (std::uint32_t t = 1; t < kThreads; ++t)
        for (std::uint32_t lane = 0; lane < lanes[t].count(); ++lane)
          metadata("thread_name", pe + 1, t * kLanes + lane, kThreadNames[t]);
    }
  }

  std::string name_of(std::uint32_t pe) const {
    const PePlace& place = hardware_.pes[pe];
    if (hardware_.nocs[place.noc.value()].graph.dimensions > 2)
      return fmt::format("chip{} pe {},{},{}", place.noc.value(), place.x, place.y, place.z);
    return fmt::format("chip{} pe {},{}", place.noc.value(), place.x, place.y);
  }

  void record(const TraceRecorder::Record& record, std::array<Lanes, kThreads>& lanes) {
    if (record.kind == TraceRecorder::Kind::stall) {
      slice(to_string(static_cast<StallCause>(record.op)), "stall", record.pe + 1,
            kStalls * kLanes + lanes[kStalls].take(record.start, record.end), record.start, record.end, "");
      return;
    }
    const PeProgram& program = *pe_programs_[record.pe];
    const MicroOp& op = program.ops[record.op];
    const Thread thread = thread_of(op.kind);
    const std::uint32_t tid = thread * kLanes + lanes[thread].take(record.start, record.end);
    const std::string args = fmt::format(FMT_COMPILE("\"micro_op\":{},\"period\":{}{}"), record.op,
                                         record.instance, details(program, op));
    if (slice(escaped(program_.operators[op.op.value()].name), to_string(op.kind), record.pe + 1, tid,
              record.start, record.end, args))
      flow(op, record, tid);
  }

  static Thread thread_of(MicroOpKind kind) {
    switch (kind) {
      case MicroOpKind::matmul:
        return kMatrix;
      case MicroOpKind::vector:
        return kVector;
      case MicroOpKind::load:
      case MicroOpKind::store:
        return kDma;
      case MicroOpKind::send:
        return kTransmit;
      case MicroOpKind::receive:
        return kReceive;
    }
    return kDma;
  }

  /// An arrow from the start of a send to the end of its receive.
  void flow(const MicroOp& op, const TraceRecorder::Record& record, std::uint32_t tid) {
    const bool sends = op.kind == MicroOpKind::send;
    if ((!sends && op.kind != MicroOpKind::receive) || !event()) return;
    const std::uint64_t id =
        std::uint64_t{op.transfer.value()} * std::max(program_.periods, 1u) + record.instance;
    const std::uint64_t at =
        sends ? record.start : std::max(record.start, record.end - std::min<std::uint64_t>(record.end, 1));
    put(fmt::format(
        FMT_COMPILE(
            R"({{"ph":"{}","name":"transfer","cat":"transfer","id":{},"pid":{},"tid":{},"ts":{}{}}})"),
        sends ? "s" : "f", id, record.pe + 1, tid, microseconds(at), sends ? "" : R"(,"bp":"e")"));
  }

  std::string details(const PeProgram& program, const MicroOp& op) const {
    switch (op.kind) {
      case MicroOpKind::matmul:
        return fmt::format(FMT_COMPILE(R"(,"m":{},"n":{},"k":{},"count":{},"macs":{}{})"), op.matmul.m,
                           op.matmul.n, op.matmul.k, op.matmul.count, op.matmul.macs(), result(program, op));
      case MicroOpKind::vector:
        return fmt::format(FMT_COMPILE(R"(,"function":"{}","elements":{}{})"),
                           escaped(program_.vector_functions[op.vector.function]), op.vector.elements,
                           result(program, op));
      default:
        return transfer_details(op);
    }
  }
  std::string result(const PeProgram& program, const MicroOp& op) const {
    if (op.writes.size() == 0) return {};
    const Access& access = program.accesses[op.writes.begin];
    return tensor_and_box(program.micro_tensors[access.micro_tensor].tensor, access.box);
  }
  std::string transfer_details(const MicroOp& op) const {
    const Transfer& transfer = program_.transfers[op.transfer.value()];
    std::string text =
        tensor_and_box(transfer.tensor, transfer.box) + fmt::format(",\"bytes\":{}", transfer.bytes);
    if (transfer.kind == TransferKind::send)
      text += fmt::format(
          ",\"peer\":\"{}\"",
          name_of((op.kind == MicroOpKind::send ? transfer.destination : transfer.source).value()));
    if (transfer.primitive < program_.primitives.size())
      text += fmt::format(",\"primitive\":\"{}\"", escaped(program_.primitives[transfer.primitive].kind));
    return text;
  }
  std::string tensor_and_box(TensorId tensor, const Box& box) const {
    if (tensor.value() >= program_.tensors.size()) return {};
    return fmt::format(R"(,"tensor":"{}","box":"{}")", escaped(program_.tensors[tensor.value()].name),
                       box.to_string());
  }

  const TraceRecorder& recorder_;
  const Program& program_;
  const HardwareSpec& hardware_;
  const Measurement& measurement_;
  const std::function<void(std::string_view)>& sink_;
  std::vector<const PeProgram*> pe_programs_;  ///< by PeId
  std::string text_;
  bool any_ = false;
  std::uint64_t events_ = 0, dropped_ = 0;
};

}  // namespace

void write_chrome_trace(const TraceRecorder& recorder, const Program& program, const HardwareSpec& hardware,
                        const Measurement& measurement, const std::function<void(std::string_view)>& sink) {
  TraceWriter(recorder, program, hardware, measurement, sink).run();
}

void write_chrome_trace_file(const TraceRecorder& recorder, const Program& program,
                             const HardwareSpec& hardware, const Measurement& measurement,
                             const std::string& path) {
  GzipWriter file(path);
  write_chrome_trace(recorder, program, hardware, measurement,
                     [&](std::string_view text) { file.write(text); });
  file.close();
}

}  // namespace dfsim
