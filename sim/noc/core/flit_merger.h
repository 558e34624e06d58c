// sim/noc/core/flit_merger.h: joins flits that follow one another over a link to runs, the same however the
// router model tells of them.
#pragma once

#include <cstdint>
#include <limits>
#include <vector>

#include "sim/noc/core/network_core.h"

namespace dfsim {

class FlitMerger {
 public:
  FlitMerger() = default;
  explicit FlitMerger(const NocSpec& spec) : vcs_(spec.virtual_channels), ports_(2 * spec.graph.dimensions) {
    link_of_.assign(spec.graph.router_count() * ports_, kNone);
    for (std::size_t link = 0; link < spec.graph.links.size(); ++link)
      link_of_[spec.graph.links[link].from.value() * ports_ + spec.graph.links[link].port_out] =
          static_cast<std::uint32_t>(link);
    open_.resize(spec.graph.links.size() * vcs_);
  }
  void clear() { open_.assign(open_.size(), Open{}); }

  /// A flit of `packet` in each of the cycles [start, end) through a router's output; `tail`: the last of
  /// them is the tail. Those of one output and VC come in order of time. Appends to `runs` what is complete;
  /// flits to endpoints cross no link.
  void add(std::uint32_t router, std::uint32_t port, std::uint32_t vc, const Packet& packet,
           std::uint64_t start, std::uint64_t end, bool tail, std::vector<FlitRun>& runs) {
    if (port >= ports_ || start == end) return;
    const std::uint32_t link = link_of_[router * ports_ + port];
    Open& open = open_[link * vcs_ + vc];
    if (open.any && open.run.end != start) close(open, runs);
    if (!open.any) {
      open.any = true;
      open.run = {link, vc, start, end, open.sent, packet};
    }
    open.run.end = end;
    open.sent += static_cast<std::uint32_t>(end - start);
    if (!tail) return;
    close(open, runs);
    open.sent = 0;
  }

 private:
  struct Open {
    bool any = false;
    std::uint32_t sent = 0;  ///< flits of the packet that has the VC
    FlitRun run;
  };
  static constexpr std::uint32_t kNone = std::numeric_limits<std::uint32_t>::max();

  static void close(Open& open, std::vector<FlitRun>& runs) {
    runs.push_back(open.run);
    open.any = false;
  }

  std::uint32_t vcs_ = 0;
  std::size_t ports_ = 0;               ///< of a router, to others
  std::vector<std::uint32_t> link_of_;  ///< [router * ports + port]
  std::vector<Open> open_;              ///< [link * vcs + vc]
};

}  // namespace dfsim
