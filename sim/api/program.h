// sim/api/program.h: what the hardware executes. Plain data; saved and loaded as JSON
// (sim/api/program_json.h).
//
// Every PE has an ordered list of micro-ops. The first `prologue_ops` run once; the rest is one *period* and
// runs `Program::periods` times. Instance p of a micro-op waits for its dependences; each unit (matrix,
// vector, every DMA channel) takes its own micro-ops in list order, period after period, and does not wait
// for other units.
#pragma once

#include <array>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "sim/api/hardware.h"
#include "sim/base/units.h"

namespace dfsim {

inline constexpr std::uint32_t kMaxRank = 5;

/// Axis-aligned box of a tensor: offset and extent per dimension, in elements.
struct Box {
  std::uint8_t rank = 0;
  std::array<std::uint32_t, kMaxRank> offset{};
  std::array<std::uint32_t, kMaxRank> extent{};

  std::uint64_t elements() const {  ///< 0 if any extent is 0; 1 for rank 0
    std::uint64_t product = 1;
    for (std::uint8_t d = 0; d < rank; ++d) product *= extent[d];
    return product;
  }
  bool empty() const { return elements() == 0; }
  bool contains(const Box& other) const;
  /// The common part; empty() (with the same rank) if there is none.
  Box intersection(const Box& other) const;
  std::string to_string() const;  ///< "[0:8,64:96]"
  auto operator<=>(const Box&) const = default;
};

/// A slice of a tensor that lives in one PE's scratchpad at [address, address + bytes). With `slots` > 1
/// instance p of a period uses the slot at address + (p mod slots) * bytes.
struct MicroTensor {
  TensorId tensor;
  Box box;
  std::uint32_t address = 0;
  std::uint32_t bytes = 0;
  std::uint32_t slots = 1;
  bool partial = false;   ///< partial sums (4 bytes an element), still to be added to those of other PEs
  bool resident = false;  ///< written by the prologue, or there from the start, and read by every period
  bool operator==(const MicroTensor&) const = default;
};

/// Reads or writes the part `box` of micro-tensor `micro_tensor` of the same PE.
struct Access {
  std::uint32_t micro_tensor = 0;
  Box box;
  bool operator==(const Access&) const = default;
};

/// Instance p waits for the end of instance p - distance of micro-op `op` of the same PE (none if p <
/// distance). A dependence on a prologue micro-op waits for its only instance.
struct Dependence {
  std::uint32_t op = 0;
  std::uint32_t distance = 0;
  auto operator<=>(const Dependence&) const = default;
};

enum class MicroOpKind : std::uint8_t { matmul, vector, load, store, send, receive };
std::string to_string(MicroOpKind kind);

/// `count` products of m x k by k x n on the matrix unit, one after the other. With `accumulate` the results
/// are added to the partial sums already there. Consecutive micro-ops of one operator continue the same
/// pipeline.
struct MatmulWork {
  std::uint32_t m = 0, n = 0, k = 0, count = 1;
  DataType type = DataType::fp16;
  bool accumulate = false;
  std::uint64_t macs() const { return std::uint64_t{m} * n * k * count; }
  bool operator==(const MatmulWork&) const = default;
};

/// `elements` elements through function `function` (index in Program::vector_functions) on the vector unit.
/// The cost is that of the function in VectorUnitSpec::cycles_per_group.
struct VectorWork {
  std::uint32_t function = 0;
  std::uint64_t elements = 0;
  bool operator==(const VectorWork&) const = default;
};

/// A range [begin, end) in one of the flat arrays of the PE.
struct Range {
  std::uint32_t begin = 0, end = 0;
  std::uint32_t size() const { return end - begin; }
  bool operator==(const Range&) const = default;
};

struct MicroOp {
  MicroOpKind kind = MicroOpKind::vector;
  std::uint8_t channel = 0;  ///< DMA channel of load, store and send
  OpId op;                   ///< index in Program::operators
  MatmulWork matmul;
  VectorWork vector;
  TransferId transfer;  ///< of load, store, send, receive
  Range dependences, reads, writes;
  bool operator==(const MicroOp&) const = default;
};

struct PeProgram {
  PeId pe;
  std::uint32_t prologue_ops = 0;
  std::vector<MicroOp> ops;
  std::vector<Dependence> dependences;
  std::vector<Access> accesses;  ///< reads and writes of the micro-ops
  std::vector<MicroTensor> micro_tensors;
  bool operator==(const PeProgram&) const = default;
};

/// `count` pieces of `bytes` bytes of one port's memory, `stride` bytes apart.
struct DramSegment {
  PortId port;
  std::uint64_t address = 0;
  std::uint32_t bytes = 0;
  std::uint32_t count = 1;
  std::uint32_t stride = 0;
  bool operator==(const DramSegment&) const = default;
};

enum class TransferKind : std::uint8_t { load, store, send };
std::string to_string(TransferKind kind);

/// Bytes that move. A *load* or *store* moves between the segments and the PE `source` and has one micro-op,
/// there. A *send* has a send micro-op at `source` and a receive micro-op at `destination`: it starts when
/// its own dependences are met and the receiver has granted the region (its receive micro-op's dependences
/// are met; what needs no earlier micro-op counts as granted at cycle 0). A send of 0 bytes is a token: one
/// flit, no grant.
///
/// With `leaves` it is a *multicast*; all its PEs are on one NoC. A send to several PEs has a receive
/// micro-op at each leaf (the first of which is `destination`) and starts when all of them have granted. A
/// load for several PEs has its load micro-op at `source`, which asks for the data once the leaves (the PEs
/// besides itself) have granted, and a receive at each leaf; the memory port answers to all of them. Every PE
/// gets all `bytes`, each in a region of its own.
struct Transfer {
  TransferKind kind = TransferKind::send;
  PeId source;
  PeId destination;  ///< of a send; equal to source otherwise
  TensorId tensor;
  Box box;
  std::uint32_t bytes = 0;
  Range segments;               ///< in Program::segments, of a load or store; their bytes add up to `bytes`
  std::uint32_t primitive = 0;  ///< index in Program::primitives
  Range leaves = {};            ///< of a multicast: in Program::leaves, ascending and without `source`
  bool operator==(const Transfer&) const = default;
};

/// The communication primitive that a transfer belongs to, for plan, trace and report.
struct Primitive {
  std::string kind;  ///< send, multicast, scatter, gather, all_gather, reduce, reduce_scatter, all_reduce,
                     ///< all_to_all, reshard, load, store
  std::string algorithm;  ///< direct, chain, ...
  std::string tensor;
  std::string layout_from, layout_to;
  std::string scope;        ///< intra_stage, inter_stage, memory
  OpId op;                  ///< consumer (of a store: producer)
  std::uint64_t bytes = 0;  ///< of one period, counted per destination
  bool operator==(const Primitive&) const = default;
};

enum class DramTensorRole : std::uint8_t { weight, embedding, input, output };
std::string to_string(DramTensorRole role);

/// A tensor in DRAM, as its pieces.
struct DramTensor {
  TensorId tensor;
  DramTensorRole role = DramTensorRole::weight;
  std::vector<DramSegment> pieces;
  bool operator==(const DramTensor&) const = default;
};

struct ProgramTensor {
  std::string name;
  DataType type = DataType::fp16;
  std::vector<std::uint32_t> shape;
  bool operator==(const ProgramTensor&) const = default;
};

struct ProgramOperator {
  std::string name;
  std::uint32_t stage = 0;  ///< index in Program::stages
  bool operator==(const ProgramOperator&) const = default;
};

struct Program {
  std::string name;
  std::uint32_t samples = 1;  ///< of one period
  std::uint32_t periods = 1;  ///< how many periods a run executes
  std::vector<std::string> stages;
  std::vector<ProgramOperator> operators;
  std::vector<ProgramTensor> tensors;
  std::vector<std::string> vector_functions;
  std::vector<Primitive> primitives;
  std::vector<Transfer> transfers;
  std::vector<DramSegment> segments;
  std::vector<DramTensor> dram_tensors;
  std::vector<PeId> leaves;    ///< of multicasts
  std::vector<PeProgram> pes;  ///< ascending PeId; PEs without work are left out
  bool operator==(const Program&) const = default;
};

/// The PEs that have a receive micro-op for `transfer`, in ascending order.
std::span<const PeId> receivers(const Program& program, const Transfer& transfer);

}  // namespace dfsim
