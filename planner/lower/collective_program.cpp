#include "planner/lower/collective_program.h"

#include <fmt/format.h>

#include <algorithm>
#include <deque>
#include <map>

#include "planner/lower/pe_builder.h"
#include "sim/base/errors.h"

namespace dfsim {

namespace {

constexpr std::uint32_t kElementBytes = 4;

Box box_of_range(const ElementRange& range) {
  Box box;
  box.rank = 1;
  box.offset[0] = static_cast<std::uint32_t>(range.begin);
  box.extent[0] = static_cast<std::uint32_t>(range.size());
  return box;
}

class CollectiveWriter {
 public:
  CollectiveWriter(const HardwareSpec& hardware, const CollectiveLowering& lowering)
      : lowering_(lowering), request_(lowering.request), channels_(hardware.pe.dma.channels) {
    for (const PeId pe : lowering.pes) builders_.emplace_back(pe, hardware.pe.scratchpad.bytes.count());
    const std::string kind = to_string(request_.kind);
    Program& program = result_.program;
    program.name = kind + " " + lowering.algorithm;
    program.stages = {kind};
    program.operators = {{kind, 0}};
    program.tensors = {{"vector", DataType::fp32, {static_cast<std::uint32_t>(request_.all_elements())}}};
    program.vector_functions = {"accumulate"};
    Primitive primitive;
    primitive.kind = kind;
    primitive.algorithm = lowering.algorithm;
    primitive.tensor = "vector";
    primitive.scope = "intra_stage";
    program.primitives = {primitive};
  }

  CollectiveProgram write() {
    const std::vector<CollectiveMessage> messages =
        CollectiveRegistry::instance()
            .make(to_string(request_.kind) + "/" + lowering_.algorithm)
            ->messages(request_);
    place(messages);
    for (const CollectiveMessage& message : messages) write(message);
    for (PeBuilder& builder : builders_)
      if (!builder.empty()) result_.program.pes.push_back(builder.finish());
    return std::move(result_);
  }

 private:
  struct Home {
    ElementRange range;
    std::uint32_t micro_tensor;
  };

  /// Every rank has places for what it ever holds, next to each other where elements are.
  void place(const std::vector<CollectiveMessage>& messages) {
    std::vector<ElementRanges> used(request_.ranks());
    for (const CollectiveMessage& message : messages) {
      used[message.from].push_back(message.range);
      used[message.to].push_back(message.range);
    }
    for (std::uint32_t rank = 0; rank < request_.ranks(); ++rank) {
      const ElementRanges before = held_before(request_, rank), after = held_after(request_, rank);
      used[rank].insert(used[rank].end(), before.begin(), before.end());
      used[rank].insert(used[rank].end(), after.begin(), after.end());
      for (const ElementRange& range : joined(used[rank]))
        homes_[rank].push_back(
            {range, builders_[rank].allocate(TensorId(0), box_of_range(range),
                                             static_cast<std::uint32_t>(range.size()) * kElementBytes,
                                             Placement::lowest, false, true)});
      for (const ElementRange& range : before)
        result_.given.push_back({rank, lowering_.pes[rank], home_of(rank, range)});
      for (const ElementRange& range : after)
        result_.results.push_back({rank, lowering_.pes[rank], home_of(rank, range)});
    }
  }

  Access home_of(std::uint32_t rank, const ElementRange& range) const {
    for (const Home& home : homes_.at(rank))
      if (home.range.begin <= range.begin && range.end <= home.range.end)
        return {home.micro_tensor, box_of_range(range)};
    throw SimulationError(
        fmt::format("collective: rank {} never holds elements [{}, {})", rank, range.begin, range.end));
  }

  void write(const CollectiveMessage& message) {
    const std::uint64_t bytes = message.range.size() * kElementBytes;
    const std::uint64_t pieces = std::max<std::uint64_t>(1, bytes / std::max(1u, lowering_.piece_bytes));
    for (std::uint64_t i = 0; i < pieces; ++i) {
      const std::uint64_t size = message.range.size();
      const ElementRange piece{message.range.begin + size * i / pieces,
                               message.range.begin + size * (i + 1) / pieces};
      if (piece.size() > 0) write(message, piece);
    }
  }

  void write(const CollectiveMessage& message, const ElementRange& piece) {
    PeBuilder& receiver = builders_[message.to];
    const Access own = home_of(message.to, piece);
    if (!message.add) {
      send(message, piece, own);
      return;
    }
    const std::uint32_t bytes = static_cast<std::uint32_t>(piece.size()) * kElementBytes;
    const Box box = box_of_range(piece);
    const Access arrived{receiver.allocate(TensorId(0), box, bytes, Placement::stream, false, false), box};
    send(message, piece, arrived);
    MicroOp op;
    op.kind = MicroOpKind::vector;
    op.op = OpId(0);
    op.vector.elements = piece.size();
    receiver.emit(op, {arrived, own}, {own});
    receiver.release(arrived.micro_tensor);
  }

  /// What is added up and what is handed out go through different channels: the one must not wait behind the
  /// other.
  void send(const CollectiveMessage& message, const ElementRange& piece, const Access& destination) {
    Transfer transfer;
    transfer.source = lowering_.pes[message.from];
    transfer.destination = lowering_.pes[message.to];
    transfer.tensor = TensorId(0);
    transfer.box = box_of_range(piece);
    transfer.bytes = static_cast<std::uint32_t>(piece.size()) * kElementBytes;
    MicroOp op;
    op.kind = MicroOpKind::send;
    op.op = OpId(0);
    op.channel = static_cast<std::uint8_t>((message.add ? 0 : 1) % channels_);
    op.transfer = TransferId(static_cast<std::uint32_t>(result_.program.transfers.size()));
    result_.program.transfers.push_back(transfer);
    result_.program.primitives[0].bytes += transfer.bytes;
    builders_[message.from].emit(op, {home_of(message.from, piece)}, {});
    op.kind = MicroOpKind::receive;
    op.channel = 0;
    builders_[message.to].emit(op, {}, {destination});
  }

  const CollectiveLowering& lowering_;
  const CollectiveRequest& request_;
  std::uint32_t channels_;
  std::deque<PeBuilder> builders_;                    // by rank
  std::map<std::uint32_t, std::vector<Home>> homes_;  // by rank
  CollectiveProgram result_;
};

}  // namespace

Result<CollectiveProgram, Infeasible> lower_collective(const HardwareSpec& hardware,
                                                       const CollectiveLowering& lowering) {
  try {
    return CollectiveWriter(hardware, lowering).write();
  } catch (const ScratchpadFull& full) {
    return Infeasible{fmt::format("{} of {} bytes: the scratchpad of PE {}", to_string(lowering.request.kind),
                                  lowering.request.elements * kElementBytes, full.pe.value()),
                      full.demand, full.free, "bytes", "use fewer bytes or a larger scratchpad"};
  }
}

}  // namespace dfsim
