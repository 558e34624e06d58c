// sim/pe/dma.h: moves data between the scratchpad of a PE and the network.
#pragma once

#include <cstdint>
#include <span>
#include <systemc>
#include <vector>

#include "sim/noc/ports.h"
#include "sim/pe/loaded_program.h"
#include "sim/pe/run_context.h"
#include "sim/pe/scratchpad.h"

namespace dfsim {

/// Walks the DRAM segments of a transfer as contiguous ranges, as long as possible.
class SegmentWalk {
 public:
  void start(const Program& program, Range segments);
  bool empty() const { return left_ == 0; }
  /// The next bytes, at most `limit`, none across a gap. Not to be called when empty.
  DramSegment take(std::uint32_t limit);

 private:
  bool next_piece(DramSegment& piece);
  void refill();

  const Program* program_ = nullptr;
  std::uint32_t segment_ = 0, segments_end_ = 0, piece_ = 0;
  DramSegment ahead_;  ///< read, but not contiguous with the range before
  bool has_ahead_ = false;
  PortId port_;
  std::uint64_t address_ = 0, left_ = 0;
};

/// Channels feed their packets to the network interface in turn, and at most `kQueuedPackets` of them are in
/// its source queue at a time, so that no channel blocks another and a stream has no gaps. A channel takes
/// its next micro-op when the last packet of this one has been fed. Driven by the sequencer; has no process
/// of its own. Not modelled: the DMA's own address generation and set-up time.
class Dma : public sc_core::sc_module {
 public:
  static constexpr std::uint32_t kQueuedPackets = 2;
  static constexpr std::uint32_t kLoadRequestBytes = 64 * 1024;  ///< most that one request asks for

  Dma(sc_core::sc_module_name name, RunContext& context, const DmaSpec& spec, Scratchpad& scratchpad,
      PeId pe);
  void bind(PacketInjector& noc) { noc_ = &noc; }
  void load(LoadedPe& loaded);
  void reset();

  bool channel_free(std::uint32_t channel) const { return !channels_[channel].active; }
  bool transfer_allowed() const { return outstanding_ < spec_.outstanding_transfers; }
  void begin(std::uint32_t channel, std::uint32_t op, std::uint32_t instance);
  /// Feeds what fits; true if a channel became free.
  bool feed(std::uint64_t now);
  /// A load or store is complete.
  void transfer_ended() { --outstanding_; }
  std::uint32_t outstanding() const { return outstanding_; }

  /// Grants the region of a receive to its sender.
  void send_ready(const LoadedOp& receive, std::uint32_t instance, std::uint64_t now);
  /// Returns true if the packet counted among those fed by channels.
  bool packet_left(const Packet& packet);
  std::uint32_t packets_in_noc() const { return queued_ + grants_queued_; }

  std::uint64_t bytes_sent() const { return bytes_sent_; }
  std::uint64_t bytes_stored() const { return bytes_stored_; }
  /// When the micro-op's first packet was fed, by state; kept only with an observer.
  std::vector<std::uint64_t>& starts() { return starts_; }

 private:
  struct Channel {
    bool active = false, fed_any = false;
    std::uint32_t op = 0, instance = 0;
    std::uint32_t bytes_left = 0;  ///< of a send
    SegmentWalk walk;              ///< of a load or store
  };
  Packet next_packet(Channel& channel);
  /// Endpoints that the data of a multicast goes to; none of others.
  std::span<const EndpointId> leaves_of(const LoadedOp& op) const {
    return std::span(loaded_->leaf_endpoints).subspan(op.leaves.begin, op.leaves.size());
  }
  void note_start(const Channel& channel, const LoadedOp& op, std::uint64_t now);

  RunContext& context_;
  const DmaSpec& spec_;
  Scratchpad& scratchpad_;
  PacketInjector* noc_ = nullptr;
  EndpointId endpoint_;
  std::uint32_t link_width_bytes_, packet_bytes_, multicast_bytes_;
  LoadedPe* loaded_ = nullptr;
  std::vector<Channel> channels_;
  std::uint32_t turn_ = 0;  ///< channel that feeds next
  std::uint32_t queued_ = 0, grants_queued_ = 0, outstanding_ = 0;
  std::uint64_t bytes_sent_ = 0, bytes_stored_ = 0;
  std::vector<std::uint64_t> starts_;
};

}  // namespace dfsim
