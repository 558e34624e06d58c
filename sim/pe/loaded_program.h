// sim/pe/loaded_program.h: a program made ready to run: flat arrays per PE, costs and routes computed,
// dependences reversed. Plain data, no SystemC.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "sim/api/hardware.h"
#include "sim/api/program.h"
#include "sim/noc/packet.h"

namespace dfsim {

inline constexpr std::uint8_t kMatrixUnit = 0;
inline constexpr std::uint8_t kVectorUnit = 1;
inline constexpr std::uint8_t kFirstChannel = 2;
inline constexpr std::uint8_t kNoUnit = 255;  ///< receives wait in no unit

/// Where a packet of this micro-op goes: an endpoint of the own NoC, and the final one if it crosses
/// Ethernet.
struct Route {
  EndpointId next;
  MessageClass message_class = MessageClass::sinkable;
  NocId final_noc;
  EndpointId final_endpoint;
};

/// A micro-op with everything that its unit needs to know.
struct LoadedOp {
  MicroOpKind kind = MicroOpKind::vector;
  std::uint8_t unit = kNoUnit;
  OpId op;
  std::uint32_t stage = 0;
  std::uint32_t states = 0;                            ///< index of its instance 0 in LoadedPe::states
  std::uint32_t released_begin = 0, released_end = 0;  ///< in LoadedPe::released
  // Compute.
  std::uint64_t issue_cycles = 0;                 ///< the unit is occupied
  std::uint64_t tail_cycles = 0;                  ///< from there to the last result (matrix pipeline)
  std::uint64_t work = 0;                         ///< MACs or elements
  std::uint64_t read_bytes = 0, write_bytes = 0;  ///< of the scratchpad
  // Transfers.
  TransferId transfer;
  std::uint32_t bytes = 0;
  std::uint32_t packets = 0;    ///< of a send
  std::uint32_t receivers = 0;  ///< that grant: of a send, or of a load for several PEs
  Range leaves;                 ///< in LoadedPe::leaf_endpoints: where the data goes, if to several
  Route route;                  ///< send to one: to the receiver; receive: to who grants are for
};

/// Instance `p + distance` of `op` waits for instance p of the micro-op that this list belongs to. If that is
/// in the prologue, all instances of `op` wait for it.
struct Released {
  std::uint32_t op = 0;
  std::uint32_t distance = 0;
};

/// What changes during a run, of one instance of a micro-op.
struct InstanceState {
  std::uint32_t progress =
      0;  ///< bytes arrived, acknowledged or, of a send, packets left; of a token receive: tokens
  std::uint16_t waiting = 0;         ///< dependences not yet met
  std::uint16_t ungranted : 14 = 0;  ///< receivers of a send or multicast load that have not granted
  std::uint16_t posted : 1 = 0;      ///< of a receive: its dependences are met
  std::uint16_t done : 1 = 0;
};
inline constexpr std::uint32_t kMostReceivers = (1u << 14) - 1;
static_assert(sizeof(InstanceState) == 8);

struct UnitList {
  std::vector<std::uint32_t> ops;  ///< in list order
  std::uint32_t prologue = 0;      ///< how many of them belong to the prologue
};

struct LoadedPe {
  PeId pe;
  std::uint32_t prologue_ops = 0;
  std::uint32_t periods = 1;
  std::vector<LoadedOp> ops;
  std::vector<Released> released;
  std::vector<InstanceState> states;
  std::vector<UnitList> units;                ///< matrix, vector, DMA channels
  std::vector<EndpointId> leaf_endpoints;     ///< of multicasts, ascending within each
  std::vector<std::uint32_t> ready_receives;  ///< granted at cycle 0, as (op, instance) pairs
  std::uint64_t instances = 0;                ///< micro-op instances that a run ends
  std::uint64_t scratchpad_bytes = 0;         ///< union of the address ranges of the micro-tensors

  bool is_prologue(std::uint32_t op) const { return op < prologue_ops; }
  std::uint32_t instances_of(std::uint32_t op) const { return is_prologue(op) ? 1 : periods; }
  InstanceState& state(std::uint32_t op, std::uint32_t instance) { return states[ops[op].states + instance]; }
};

struct LoadedProgram {
  const Program* program = nullptr;
  std::vector<LoadedPe> pes;                  ///< parallel to Program::pes
  std::vector<std::uint32_t> source_op;       ///< by transfer: micro-op at its source
  std::vector<std::uint32_t> first_receiver;  ///< by transfer: in receive_op
  std::vector<std::uint32_t> receive_op;      ///< receive micro-op at each receiver, in their order
  std::vector<std::uint32_t> period_ops;      ///< [stage]: micro-ops of one period, over all PEs
  std::uint64_t prologue_ops = 0;             ///< over all PEs

  /// The receive micro-op of `transfer` at `pe`, which is one of its receivers.
  std::uint32_t receive_at(TransferId transfer, PeId pe) const;
};

/// Endpoint of NoC `from` to which a message of this transfer for NoC `to` is sent first; nothing if none
/// leads there.
using NextHop = std::function<std::optional<EndpointId>(NocId from, NocId to, TransferId transfer)>;

/// Checks `program` against `hardware` and fills `loaded` (its memory is reused from run to run). Returns an
/// empty string, or the first reasons (at most `kMaxReasons`) why the program is invalid, each naming PE and
/// micro-op: indices out of range, sizes of 0, a scratchpad overflow, a send without a receive or the other
/// way round, an unknown vector function, a memory port or a PE that cannot be reached, a dependence that
/// points forward, and two micro-ops that use the same bytes without being ordered (this one only with
/// `check_order`). `loaded` keeps a pointer to `program`.
std::string load_program(const Program& program, const HardwareSpec& hardware, const NextHop& next_hop,
                         LoadedProgram& loaded, bool check_order = true);

inline constexpr std::size_t kMaxReasons = 8;

/// "pe_3_4" (with a third number in three dimensions).
std::string pe_name(const HardwareSpec& hardware, PeId pe);

}  // namespace dfsim
