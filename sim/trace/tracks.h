// sim/trace/tracks.h: the groups and tracks of a trace: described to the file before their first event.
#pragma once

#include <cstdint>
#include <map>
#include <set>
#include <string>
#include <tuple>
#include <vector>

#include "sim/api/hardware.h"
#include "sim/api/program.h"
#include "sim/trace/events.h"
#include "sim/trace/lanes.h"

namespace dfsim {

/// Kinds of tracks of a PE, in the order in which they are shown.
enum class PeTrack : std::uint32_t { matrix, vector, dma, transmit, receive, stalls };
inline constexpr std::size_t kPeTracks = 6;
PeTrack track_of(MicroOpKind kind);

/// A track of slices: where a slice goes.
struct TrackPlace {
  std::uint32_t process = 0, thread = 0;
};

class Tracks {
 public:
  Tracks(const Program& program, const HardwareSpec& hardware, TraceSink& sink);

  /// A lane free in [start, end); slices of one kind of track come in order of end.
  TrackPlace stage(std::uint32_t stage, std::uint64_t start, std::uint64_t end);
  TrackPlace pe(std::uint32_t pe, PeTrack track, std::uint64_t start, std::uint64_t end);
  TrackPlace flits(NocId noc, std::uint32_t link, std::uint32_t vc, std::uint64_t start, std::uint64_t end);
  TrackPlace packets(NocId noc, EndpointId source, std::uint64_t start, std::uint64_t end);

  TraceCounter activity_counter(const std::string& name, const std::string& unit);
  TraceCounter link_counter(NocId noc, std::uint32_t link);
  TraceCounter memory_counter(PortId port, const std::string& what);
  TraceCounter ethernet_counter(std::uint32_t link, bool back);

  /// Stages that have micro-ops on a PE, as "stage0 stage1".
  std::string stages_of(std::uint32_t pe) const;

 private:
  struct Track {
    Lanes lanes;
    std::vector<std::uint32_t> threads;  ///< by lane
  };
  /// `name` of the track and `order` within its group.
  TrackPlace lane(Track& track, std::uint32_t process, const std::string& name, std::uint32_t order,
                  std::uint64_t start, std::uint64_t end);
  /// `name` is called for a group that is not described yet.
  template <class Name>
  std::uint32_t group(std::uint32_t process, Name name);
  TraceCounter counter(std::uint32_t process, const std::string& name, const std::string& unit);

  const Program& program_;
  const HardwareSpec& hardware_;
  TraceSink& sink_;
  std::vector<std::vector<std::uint32_t>> stages_of_pe_;
  std::set<std::uint32_t> groups_;  ///< described
  std::vector<Track> stages_;
  std::vector<std::vector<Track>> pes_;  ///< [pe][PeTrack]
  std::map<std::pair<NocId, EndpointId>, Track> packets_;
  std::map<std::tuple<NocId, std::uint32_t, std::uint32_t>, Track> flits_;  ///< by NoC, link, VC
  std::uint32_t next_id_ = 1;
};

}  // namespace dfsim
