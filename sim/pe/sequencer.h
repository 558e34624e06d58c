// sim/pe/sequencer.h: runs the micro-ops of one PE: dependences, unit order, grants, stalls.
#pragma once

#include <cstdint>
#include <string>
#include <systemc>
#include <vector>

#include "sim/noc/ports.h"
#include "sim/pe/compute_unit.h"
#include "sim/pe/dma.h"
#include "sim/pe/loaded_program.h"
#include "sim/pe/matrix_unit.h"
#include "sim/pe/run_context.h"
#include "sim/pe/scratchpad.h"
#include "sim/pe/stall_account.h"
#include "sim/pe/vector_unit.h"

namespace dfsim {

/// Where a unit stands in its list.
struct UnitCursor {
  const UnitList* list = nullptr;
  std::uint32_t position = 0, instance = 0, periods = 0;
  bool done = true;

  void start(const UnitList& unit, std::uint32_t all_periods);
  std::uint32_t op() const { return list->ops[position]; }
  void next();
};

/// One process, one activation per cycle in which something ends, arrives or leaves. Arrivals and ends of a
/// cycle are noted as they come; what follows from them is done in one go, a delta cycle later, so that their
/// order does not matter.
class Sequencer : public sc_core::sc_module, public Wakeable {
 public:
  Sequencer(sc_core::sc_module_name name, RunContext& context, Scratchpad& scratchpad, Dma& dma, PeId pe);
  void connect(MatrixUnit& matrix, VectorUnit& vector);
  void bind(PacketInjector& noc);

  /// Starts the program at cycle 0 of the run: reset() before, then sc_start().
  void start(LoadedPe& loaded);
  void reset();
  void wake() override { wake_.notify(sc_core::SC_ZERO_TIME); }

  void packet_arrived(const Packet& packet);
  void packet_left(const Packet& packet);

  /// Books the cycles up to `end`, after the run.
  void close(std::uint64_t end);
  const StallAccount& account() const { return account_; }
  bool finished() const { return unfinished_ == 0; }
  std::uint64_t bytes_received() const { return bytes_received_; }
  std::uint64_t bytes_loaded() const { return bytes_loaded_; }
  /// By LoadedPe::ops: instances that have ended.
  const std::vector<std::uint32_t>& ended() const { return ended_; }
  /// What each unit waits for, and which receives still wait for data; one line each, for deadlock reports.
  void describe_blocked(const PeProgram& program, std::vector<std::string>& lines) const;

 private:
  struct Done {
    std::uint32_t op, instance;
  };

  void step();
  void end_everything_due(std::uint64_t now);
  void end(std::uint32_t op, std::uint32_t instance, std::uint64_t start, std::uint64_t now);
  void report_end(const LoadedOp& op, std::uint32_t index, std::uint32_t instance, std::uint64_t start,
                  std::uint64_t now);
  void release(std::uint32_t op, std::uint32_t instance, std::uint64_t now);
  void met_one(std::uint32_t op, std::uint32_t instance, std::uint64_t now);
  void post(std::uint32_t op, std::uint32_t instance, bool announce, std::uint64_t now);
  bool receive_complete(std::uint32_t op, std::uint32_t instance);
  void start_compute(ComputeUnit& unit, UnitCursor& cursor, std::uint64_t now);
  void start_transfers(std::uint64_t now);
  bool may_begin(const UnitCursor& cursor) const;
  bool head_ready(const UnitCursor& cursor) const;
  void set_rates();
  void note_activity(std::uint64_t now);
  void close_interval(std::uint64_t now);
  std::string describe_head(const PeProgram& program, const UnitCursor& cursor) const;
  std::string first_unmet(const PeProgram& program, std::uint32_t op, std::uint32_t instance) const;

  RunContext& context_;
  Scratchpad& scratchpad_;
  Dma& dma_;
  PeId pe_;
  EndpointId endpoint_;
  PacketInjector* noc_ = nullptr;
  MatrixUnit* matrix_ = nullptr;
  VectorUnit* vector_ = nullptr;
  sc_core::sc_event wake_;

  LoadedPe* loaded_ = nullptr;
  std::vector<UnitCursor> cursors_;  ///< matrix, vector, DMA channels
  std::vector<RunningOp> computed_;  ///< scratch space of step()
  std::vector<Done> arrived_;        ///< ended by an arrival or a packet that left
  std::vector<std::uint32_t> ended_;
  std::uint64_t unfinished_ = 0;
  std::uint64_t bytes_received_ = 0, bytes_loaded_ = 0;
  std::uint32_t loads_arriving_ = 0;  ///< asked for by other PEs: begun to arrive, and not complete
  bool begun_ = false;

  StallAccount account_;
  PeActivity activity_;
  std::uint64_t blocked_before_ = 0;  ///< cycles that the network had blocked us when the interval began
  bool may_be_blocked_ = false;
};

}  // namespace dfsim
