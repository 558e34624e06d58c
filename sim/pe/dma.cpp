#include "sim/pe/dma.h"

#include <algorithm>

namespace dfsim {

void SegmentWalk::start(const Program& program, Range segments) {
  program_ = &program;
  segment_ = segments.begin;
  segments_end_ = segments.end;
  piece_ = 0;
  has_ahead_ = false;
  left_ = 0;
  refill();
}

bool SegmentWalk::next_piece(DramSegment& piece) {
  if (has_ahead_) {
    piece = ahead_;
    has_ahead_ = false;
    return true;
  }
  if (segment_ == segments_end_) return false;
  const DramSegment& segment = program_->segments[segment_];
  const bool dense = segment.stride == segment.bytes;
  piece.port = segment.port;
  piece.address = segment.address + std::uint64_t{segment.stride} * piece_;
  piece.bytes = dense ? segment.bytes * segment.count : segment.bytes;
  if (dense || ++piece_ == segment.count) {
    piece_ = 0;
    ++segment_;
  }
  return true;
}

void SegmentWalk::refill() {
  DramSegment piece;
  if (!next_piece(piece)) return;
  port_ = piece.port;
  address_ = piece.address;
  left_ = piece.bytes;
  while (next_piece(piece)) {
    if (piece.port != port_ || piece.address != address_ + left_) {
      ahead_ = piece;
      has_ahead_ = true;
      return;
    }
    left_ += piece.bytes;
  }
}

DramSegment SegmentWalk::take(std::uint32_t limit) {
  DramSegment taken;
  taken.port = port_;
  taken.address = address_;
  taken.bytes = static_cast<std::uint32_t>(std::min<std::uint64_t>(left_, limit));
  address_ += taken.bytes;
  left_ -= taken.bytes;
  if (left_ == 0) refill();
  return taken;
}

Dma::Dma(sc_core::sc_module_name name, RunContext& context, const DmaSpec& spec, Scratchpad& scratchpad,
         PeId pe)
    : sc_module(name), context_(context), spec_(spec), scratchpad_(scratchpad) {
  const PePlace& place = context.hardware.pes[pe.value()];
  const NocSpec& noc = context.hardware.nocs[place.noc.value()];
  endpoint_ = place.endpoint;
  link_width_bytes_ = noc.link_width_bytes;
  packet_bytes_ = noc.link_width_bytes * noc.max_packet_flits;
  multicast_bytes_ = noc.link_width_bytes * noc.multicast_packet_flits();
  channels_.resize(spec.channels);
}

void Dma::load(LoadedPe& loaded) {
  loaded_ = &loaded;
  starts_.assign(context_.observer ? loaded.states.size() : 0, 0);
}

void Dma::reset() {
  for (Channel& channel : channels_) channel.active = false;
  turn_ = queued_ = grants_queued_ = outstanding_ = 0;
  bytes_sent_ = bytes_stored_ = 0;
}

void Dma::begin(std::uint32_t channel, std::uint32_t op, std::uint32_t instance) {
  Channel& c = channels_[channel];
  const LoadedOp& loaded = loaded_->ops[op];
  c.active = true;
  c.fed_any = false;
  c.op = op;
  c.instance = instance;
  if (loaded.kind == MicroOpKind::send) {
    c.bytes_left = loaded.bytes;
    return;
  }
  const Program& program = *context_.loaded->program;
  c.walk.start(program, program.transfers[loaded.transfer.value()].segments);
  ++outstanding_;
}

Packet Dma::next_packet(Channel& channel) {
  const LoadedOp& op = loaded_->ops[channel.op];
  Packet packet;
  packet.source = endpoint_;
  packet.notify_left = true;
  Message& message = packet.message;
  message.transfer = op.transfer;
  message.instance = channel.instance;
  if (op.kind == MicroOpKind::send) {
    message.kind = MessageKind::data;
    packet.destinations = leaves_of(op);
    message.bytes =
        std::min(channel.bytes_left, packet.destinations.empty() ? packet_bytes_ : multicast_bytes_);
    message.final_noc = op.route.final_noc;
    message.final_endpoint = op.route.final_endpoint;
    packet.destination = op.route.next;
    packet.message_class = op.route.message_class;
    channel.bytes_left -= message.bytes;
    channel.active = channel.bytes_left > 0;
    bytes_sent_ += message.bytes;
  } else {
    const bool load = op.kind == MicroOpKind::load;
    const DramSegment piece = channel.walk.take(load ? kLoadRequestBytes : packet_bytes_);
    const MemoryPortSpec& port = context_.hardware.memory[piece.port.value()];
    message.kind = load ? MessageKind::load_request : MessageKind::store_data;
    message.bytes = piece.bytes;
    message.address = piece.address;
    message.reply_to = endpoint_;
    message.reply_to_all = leaves_of(op);
    message.final_noc = port.noc;
    message.final_endpoint = port.endpoint;
    packet.destination = port.endpoint;
    packet.message_class = MessageClass::to_memory;
    channel.active = !channel.walk.empty();
    if (!load) bytes_stored_ += piece.bytes;
  }
  if (message.kind != MessageKind::load_request) {
    packet.flits = std::max(1u, ceil_div(message.bytes, link_width_bytes_));
    scratchpad_.count(message.bytes, 0);
  }
  return packet;
}

bool Dma::feed(std::uint64_t now) {
  bool freed = false;
  const std::uint32_t n = static_cast<std::uint32_t>(channels_.size());
  for (std::uint32_t looked = 0; looked < n && queued_ < kQueuedPackets;) {
    Channel& channel = channels_[turn_];
    turn_ = turn_ + 1 == n ? 0 : turn_ + 1;
    if (!channel.active) {
      ++looked;
      continue;
    }
    looked = 0;
    if (!channel.fed_any) note_start(channel, loaded_->ops[channel.op], now);
    channel.fed_any = true;
    noc_->inject(next_packet(channel), now);
    ++queued_;
    freed = freed || !channel.active;
  }
  return freed;
}

void Dma::note_start(const Channel& channel, const LoadedOp& op, std::uint64_t now) {
  if (!context_.observer) return;
  starts_[op.states + channel.instance] = now;
  context_.transfer_start[op.transfer.value() * std::size_t{loaded_->periods} + channel.instance] = now;
}

void Dma::send_ready(const LoadedOp& receive, std::uint32_t instance, std::uint64_t now) {
  Packet packet;
  packet.source = endpoint_;
  packet.destination = receive.route.next;
  packet.message_class = receive.route.message_class;
  packet.notify_left = true;
  packet.message.kind = MessageKind::ready;
  packet.message.transfer = receive.transfer;
  packet.message.instance = instance;
  packet.message.final_noc = receive.route.final_noc;
  packet.message.final_endpoint = receive.route.final_endpoint;
  ++grants_queued_;
  noc_->inject(packet, now);
}

bool Dma::packet_left(const Packet& packet) {
  if (packet.message.kind == MessageKind::ready) {
    --grants_queued_;
    return false;
  }
  --queued_;
  return true;
}

}  // namespace dfsim
