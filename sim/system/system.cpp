#include "sim/system/system.h"

#include <fmt/format.h>

#include <algorithm>
#include <limits>
#include <systemc>

#include "sim/api/observer.h"
#include "sim/base/errors.h"
#include "sim/system/machine.h"
#include "sim/system/measure.h"
#include "sim/system/sampler.h"

namespace dfsim {

namespace {

constexpr std::uint64_t kNoDeadline = std::numeric_limits<std::uint64_t>::max();
constexpr std::size_t kReportedLines = 12;

/// Runs programs on one machine, one after another.
class SystemRunner : public ProgramRunner {
 public:
  explicit SystemRunner(const HardwareSpec& hardware) : machine_(hardware), sampler_(machine_) {
    next_hop_ = [this](NocId from, NocId to, TransferId transfer) {
      return machine_.routes().port_towards(from, to, transfer);
    };
  }

  const HardwareSpec& hardware() const override { return machine_.hardware(); }

  RunOutcome run(const Program& program, const RunLimit& limit, Observer* observer) override {
    RunOutcome outcome;
    const std::string reason = load_program(program, hardware(), next_hop_, loaded_, limit.check_order);
    if (!reason.empty()) {
      outcome.status = RunStatus::invalid_program;
      outcome.reason = reason;
      return outcome;
    }
    prepare(program, limit, observer);
    outcome.status = simulate(limit);
    finish(outcome, observer);
    return outcome;
  }

 private:
  void prepare(const Program& program, const RunLimit& limit, Observer* observer) {
    machine_.reset();
    RunContext& context = machine_.context();
    context.observer = observer;
    observe_packets(observer && observer->wants_packets() ? observer : nullptr);
    sampler_.start(observer);
    context.loaded = &loaded_;
    context.progress.reset(loaded_);
    context.primitive_bytes.assign(program.primitives.size(), 0);
    context.transfer_done.assign(program.transfers.size(), 0);
    context.transfer_start.assign(observer ? program.transfers.size() * std::max(1u, program.periods) : 0, 0);
    context.pause_after_period =
        limit.last_period_cycles > 0 && program.periods > 1 ? program.periods - 1 : 0;
    for (LoadedPe& pe : loaded_.pes) machine_.pe(pe.pe).start(pe);
  }

  void observe_packets(Observer* observer) {
    for (std::uint32_t n = 0; n < hardware().nocs.size(); ++n)
      machine_.noc(NocId(n)).observe(observer, NocId(n));
  }

  /// The first cycle by which something must have happened that has not.
  std::uint64_t deadline(const RunLimit& limit) const {
    const std::vector<std::uint64_t>& done = progress().period_done();
    std::uint64_t cycle = limit.cycles > 0 ? limit.cycles : kNoDeadline;
    if (limit.first_period_cycles > 0 && !done.empty() && done.front() == RunProgress::kNotYet)
      cycle = std::min(cycle, limit.first_period_cycles);
    const std::size_t n = done.size();
    if (limit.last_period_cycles > 0 && n > 1 && done[n - 2] != RunProgress::kNotYet &&
        done[n - 1] == RunProgress::kNotYet)
      cycle = std::min(cycle, done[n - 2] + limit.last_period_cycles);
    return cycle;
  }

  RunStatus simulate(const RunLimit& limit) {
    for (;;) {
      const std::uint64_t until = deadline(limit);
      machine_.context().paused = false;
      advance(until);
      if (progress().finished()) {
        if (past_last_period(limit)) {
          stopped_at_ = progress().last_end();
          return RunStatus::limit_reached;
        }
        advance(kNoDeadline);  // what is still under way: credits, refreshes
        return RunStatus::finished;
      }
      if (!sc_core::sc_pending_activity()) return RunStatus::deadlock;
      // The deadline may have moved meanwhile: the first period has ended in time, or the last but one has
      // ended.
      if (!machine_.context().paused && deadline(limit) <= until) {
        stopped_at_ = until;
        return RunStatus::limit_reached;
      }
    }
  }

  /// The last two periods may have ended so close to each other that nobody could set the deadline between.
  bool past_last_period(const RunLimit& limit) const {
    const std::vector<std::uint64_t>& done = progress().period_done();
    const std::size_t n = done.size();
    return limit.last_period_cycles > 0 && n > 1 && done[n - 1] > done[n - 2] + limit.last_period_cycles;
  }

  /// Up to and including cycle `until`, or until nothing is left to do.
  void advance(std::uint64_t until) {
    if (!sc_core::sc_pending_activity()) return;
    try {
      if (until == kNoDeadline && sampler_.active()) return sampler_.run();
      if (until == kNoDeadline) return sc_core::sc_start();
      // One tick more than the cycle, so that the processes of that cycle have run. The kernel's time stays
      // at the last event before, which is what a deadlock report should say.
      const RunContext& context = machine_.context();
      if (until < context.now()) return;
      const sc_core::sc_time span = context.until(until) + sc_core::sc_time::from_value(1);
      sc_core::sc_start(span, sc_core::SC_EXIT_ON_STARVATION);
    } catch (const sc_core::sc_report& report) {
      throw SimulationError(report.get_msg());
    }
  }

  void finish(RunOutcome& outcome, Observer* observer) {
    RunContext& context = machine_.context();
    const std::uint64_t end = outcome.status == RunStatus::finished        ? progress().last_end()
                              : outcome.status == RunStatus::limit_reached ? stopped_at_
                                                                           : context.now();
    if (outcome.status == RunStatus::deadlock) outcome.reason = describe_deadlock(end);
    outcome.measurement = measure(machine_, end);
    if (observer)
      for (std::uint32_t pe = 0; pe < hardware().pes.size(); ++pe)
        if (!has_program(PeId(pe)) && end > 0) observer->stall(PeId(pe), StallCause::no_work, 0, end);
    sampler_.finish(end);
    observe_packets(nullptr);
    if (outcome.status == RunStatus::limit_reached) machine_.drain();
    for (const LoadedPe& pe : loaded_.pes) machine_.pe(pe.pe).reset();
    context.observer = nullptr;
  }

  bool has_program(PeId pe) const {
    return std::any_of(loaded_.pes.begin(), loaded_.pes.end(), [&](const LoadedPe& p) { return p.pe == pe; });
  }

  std::string describe_deadlock(std::uint64_t cycle) {
    std::vector<std::string> lines;
    std::uint64_t blocked = 0;
    for (std::size_t i = 0; i < loaded_.pes.size(); ++i) {
      const Sequencer& sequencer = machine_.pe(loaded_.pes[i].pe).sequencer();
      if (sequencer.finished()) continue;
      ++blocked;
      if (lines.size() < kReportedLines) sequencer.describe_blocked(loaded_.program->pes[i], lines);
    }
    std::string text =
        fmt::format("deadlock at cycle {}: {} of {} PEs are blocked, {} micro-ops have not ended", cycle,
                    blocked, loaded_.pes.size(), progress().unfinished());
    for (std::size_t i = 0; i < std::min(lines.size(), kReportedLines); ++i) text += "\n  " + lines[i];
    if (lines.size() > kReportedLines) text += "\n  ...";
    for (std::uint32_t n = 0; n < hardware().nocs.size(); ++n)
      if (const std::string circle = machine_.noc(NocId(n)).deadlock_report(); !circle.empty())
        text += fmt::format("\n  chip{}.noc, virtual channels that wait for each other:\n{}", n, circle);
    return text;
  }

  const RunProgress& progress() const { return const_cast<Machine&>(machine_).context().progress; }

  Machine machine_;
  Sampler sampler_;
  NextHop next_hop_;
  LoadedProgram loaded_;
  std::uint64_t stopped_at_ = 0;  ///< cycle of the limit that ended the run
};

void print_tree(const sc_core::sc_object& object, std::size_t level, std::string& text) {
  if (!dynamic_cast<const sc_core::sc_module*>(&object)) return;
  text += fmt::format("{:{}}{}\n", "", 2 * level, object.name());
  for (const sc_core::sc_object* child : object.get_child_objects()) print_tree(*child, level + 1, text);
}

}  // namespace

std::unique_ptr<ProgramRunner> make_program_runner(const HardwareSpec& hardware) {
  if (sc_core::sc_get_status() != sc_core::SC_ELABORATION)
    throw SimulationError("this process has elaborated its modules already");
  return std::make_unique<SystemRunner>(hardware);
}

std::string module_tree() {
  std::string text;
  for (const sc_core::sc_object* object : sc_core::sc_get_top_level_objects()) print_tree(*object, 0, text);
  return text;
}

}  // namespace dfsim
