#include "sim/trace/tracks.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "sim/trace/labels.h"

namespace dfsim {

namespace {

// Numbers of the groups; viewers show them in this order. 0 would be taken for the idle process.
constexpr std::uint32_t kStages = 1, kActivity = 2, kMemory = 3, kEthernet = 4, kLinks = 10, kPackets = 100,
                        kFlits = 200, kPes = 1000;
constexpr std::array<const char*, kPeTracks> kPeTrackNames{"matrix", "vector", "dma", "tx", "rx", "stalls"};
constexpr std::uint32_t kMostLanes = 10'000;  ///< of one kind, for the order in which tracks are shown
constexpr std::size_t kMostNamed = 4;         ///< stages in the name of a PE

}  // namespace

PeTrack track_of(MicroOpKind kind) {
  switch (kind) {
    case MicroOpKind::matmul:
      return PeTrack::matrix;
    case MicroOpKind::vector:
      return PeTrack::vector;
    case MicroOpKind::load:
    case MicroOpKind::store:
      return PeTrack::dma;
    case MicroOpKind::send:
      return PeTrack::transmit;
    case MicroOpKind::receive:
      return PeTrack::receive;
  }
  return PeTrack::dma;
}

Tracks::Tracks(const Program& program, const HardwareSpec& hardware, TraceSink& sink)
    : program_(program), hardware_(hardware), sink_(sink) {
  stages_.resize(program.stages.size());
  pes_.assign(hardware.pes.size(), std::vector<Track>(kPeTracks));
  stages_of_pe_.resize(hardware.pes.size());
  for (const PeProgram& pe : program.pes) {
    std::vector<std::uint32_t>& stages = stages_of_pe_[pe.pe.value()];
    for (const MicroOp& op : pe.ops) {
      const std::uint32_t stage = program.operators[op.op.value()].stage;
      if (std::find(stages.begin(), stages.end(), stage) == stages.end()) stages.push_back(stage);
    }
    std::sort(stages.begin(), stages.end());
  }
}

template <class Name>
std::uint32_t Tracks::group(std::uint32_t process, Name name) {
  if (groups_.insert(process).second) sink_.process({process, name(), process});
  return process;
}

TrackPlace Tracks::lane(Track& track, std::uint32_t process, const std::string& name, std::uint32_t order,
                        std::uint64_t start, std::uint64_t end) {
  const std::uint32_t lane = track.lanes.take(start, end);
  if (lane == track.threads.size()) {
    track.threads.push_back(next_id_++);
    sink_.thread({process, track.threads.back(), name, order * kMostLanes + lane});
  }
  return {process, track.threads[lane]};
}

TrackPlace Tracks::stage(std::uint32_t stage, std::uint64_t start, std::uint64_t end) {
  return lane(stages_[stage], group(kStages, [] { return "stages"; }), program_.stages[stage], stage, start,
              end);
}

TrackPlace Tracks::pe(std::uint32_t pe, PeTrack track, std::uint64_t start, std::uint64_t end) {
  const auto kind = static_cast<std::uint32_t>(track);
  const std::uint32_t process = group(kPes + pe, [&] {
    const std::string stages = stages_of(pe);
    return pe_label(hardware_, PeId(pe)) + (stages.empty() ? "" : " (" + stages + ")");
  });
  return lane(pes_[pe][kind], process, kPeTrackNames[kind], kind, start, end);
}

TrackPlace Tracks::packets(NocId noc, EndpointId source, std::uint64_t start, std::uint64_t end) {
  const std::uint32_t process =
      group(kPackets + noc.value(), [&] { return fmt::format("chip{} noc packets by source", noc.value()); });
  return lane(packets_[{noc, source}], process, endpoint_label(hardware_, noc, source), source.value(), start,
              end);
}

TrackPlace Tracks::flits(NocId noc, std::uint32_t link, std::uint32_t vc, std::uint64_t start,
                         std::uint64_t end) {
  const std::uint32_t process =
      group(kFlits + noc.value(), [&] { return fmt::format("chip{} noc flits by link", noc.value()); });
  const std::uint32_t order = link * hardware_.nocs[noc.value()].virtual_channels + vc;
  return lane(flits_[{noc, link, vc}], process, fmt::format("{} vc {}", link_label(hardware_, noc, link), vc),
              order, start, end);
}

std::string Tracks::stages_of(std::uint32_t pe) const {
  std::string text;
  const std::vector<std::uint32_t>& stages = stages_of_pe_[pe];
  for (std::size_t i = 0; i < std::min(stages.size(), kMostNamed); ++i)
    text += (i > 0 ? " " : "") + program_.stages[stages[i]];
  return stages.size() > kMostNamed ? text + " ..." : text;
}

TraceCounter Tracks::counter(std::uint32_t process, const std::string& name, const std::string& unit) {
  const TraceCounter counter{process, next_id_++, name, unit};
  sink_.counter_track(counter);
  return counter;
}

TraceCounter Tracks::activity_counter(const std::string& name, const std::string& unit) {
  return counter(group(kActivity, [] { return "activity"; }), name, unit);
}
TraceCounter Tracks::link_counter(NocId noc, std::uint32_t link) {
  return counter(group(kLinks + noc.value(), [&] { return fmt::format("chip{} noc links", noc.value()); }),
                 "link " + link_label(hardware_, noc, link), "% busy");
}
TraceCounter Tracks::memory_counter(PortId port, const std::string& what) {
  const MemoryPortSpec& spec = hardware_.memory[port.value()];
  return counter(group(kMemory, [] { return "memory"; }),
                 endpoint_label(hardware_, spec.noc, spec.endpoint) + " " + what, "bytes/cycle");
}
TraceCounter Tracks::ethernet_counter(std::uint32_t link, bool back) {
  const EthernetLinkSpec& spec = hardware_.ethernet_links[link];
  const auto name = [&](std::uint32_t port) {
    return endpoint_label(hardware_, hardware_.ethernet_ports[port].noc,
                          hardware_.ethernet_ports[port].endpoint);
  };
  const std::string a = name(spec.port_a);
  const std::string b = spec.to_switch ? fmt::format("switch {}", *spec.to_switch) : name(spec.port_b);
  return counter(group(kEthernet, [] { return "ethernet"; }), back ? b + " > " + a : a + " > " + b,
                 "bytes/cycle on the line");
}

}  // namespace dfsim
