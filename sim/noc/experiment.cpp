#include "sim/noc/experiment.h"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <limits>
#include <utility>

#include "sim/base/errors.h"
#include "sim/base/rng.h"
#include "sim/noc/core/network_core.h"
#include "sim/noc/traffic.h"

namespace dfsim {
namespace {

constexpr double kGiveUpLatency = 500;       ///< cycles, average of the measured packets
constexpr std::uint64_t kCheckCycles = 500;  ///< between two looks at that average
constexpr std::uint64_t kLongestDrain = 1'000'000;
constexpr std::uint64_t kMostPackets = 10'000'000;
constexpr double kAcceptedShare = 0.96;  ///< of the offered flits; below, the network is saturated
constexpr std::uint32_t kBuckets = 20;
constexpr std::uint64_t kCalendarCycles = 1024;
constexpr std::uint32_t kNobody = std::numeric_limits<std::uint32_t>::max();
constexpr std::uint64_t kFlitsInEjection = 3;  ///< cycles from the switch of the last router to the sink

class Experiment {
 public:
  explicit Experiment(const NocExperiment& experiment)
      : experiment_(experiment),
        pattern_(experiment.traffic, experiment.spec.graph),
        routing_(make_routing(experiment.spec.routing, experiment.spec.graph)),
        core_(experiment.spec, *routing_),
        nodes_(pattern_.nodes()) {
    for (std::uint32_t node = 0; node < nodes_; ++node) {
      gaps_.emplace_back(experiment.seed, 4ull * node);
      destinations_.emplace_back(experiment.seed, 4ull * node + 1);
      coins_.emplace_back(experiment.seed, 4ull * node + 2);
    }
    due_.resize(nodes_);
  }

  NocExperimentResult run() {
    const auto start = std::chrono::steady_clock::now();
    switch (experiment_.mode) {
      case NocExperiment::Mode::open_loop:
        run_open_loop();
        break;
      case NocExperiment::Mode::batch:
        run_batch();
        break;
      case NocExperiment::Mode::saturate:
        run_saturated();
        break;
      case NocExperiment::Mode::single:
        run_single();
        break;
    }
    if (!result_.saturated || experiment_.mode != NocExperiment::Mode::open_loop || !gave_up_) average();
    explain();
    const NocCounters counters = core_.counters(cycle_);
    result_.flit_hops = counters.flit_hops;
    result_.stalls = counters.stalls;
    result_.simulated_cycles = cycle_;
    result_.wall_seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
    return result_;
  }

 private:
  // ---------------------------------------------------------------- packets

  void send(std::uint32_t source, std::uint32_t destination, std::uint64_t cycle, std::uint64_t created) {
    Packet packet;
    packet.source = EndpointId(source);
    packet.destination = EndpointId(destination);
    packet.flits = experiment_.packet_flits;
    packet.notify_left = experiment_.mode == NocExperiment::Mode::saturate;
    packet.message.address = created;
    core_.inject(packet, cycle, static_cast<std::uint32_t>(coins_[source].next()));
  }
  void send(std::uint32_t source, std::uint64_t cycle, std::uint64_t created) {
    send(source, pattern_.destination(source, destinations_[source]), cycle, created);
  }

  /// Lets every cycle before `end` happen, unless the network falls silent earlier.
  void advance(std::uint64_t end) {
    for (; next_sample_ < end; next_sample_ += experiment_.sample_cycles) {
      run_to(next_sample_);
      core_.sample_buffers(next_sample_, samples_);
    }
    run_to(end);
  }
  void run_to(std::uint64_t end) {
    while (end > 0 && core_.run_until(end - 1)) take_events();
    cycle_ = end;
  }
  void sample_from(std::uint64_t cycle) {
    if (experiment_.sample_cycles) next_sample_ = cycle;
  }
  void stop_sampling() { next_sample_ = kNever; }
  void drain() {
    while (core_.next_activity() != kNever) advance(next_sample_ == kNever ? kNever - 1 : next_sample_ + 1);
    stop_sampling();
    cycle_ = result_.completion_cycles;
    if (core_.packets_in_flight() == 0) return;
    result_.deadlock = true;
    result_.deadlock_report = core_.deadlock_report();
  }
  void take_events() {
    const std::uint64_t cycle = core_.event_cycle();
    for (const NocEvent& event : core_.events()) {
      if (event.kind == NocEvent::Kind::left) {
        send(event.packet.source.value(), cycle, cycle);
        continue;
      }
      result_.completion_cycles = cycle + 1;
      const std::uint64_t created = event.packet.message.address;
      if (!measures(created, cycle)) continue;
      ++result_.packets;
      packet_cycles_ += cycle - created;
      latencies_.add(cycle - created);
      network_cycles_ += cycle - event.entered;
      hops_ += event.hops;
      outstanding_created_ -= created;
    }
  }
  bool measures(std::uint64_t created, std::uint64_t arrived) const {
    const std::uint64_t from = experiment_.warmup_cycles, until = from + experiment_.measured_cycles;
    switch (experiment_.mode) {
      case NocExperiment::Mode::open_loop:
        return created >= from && created < until;
      case NocExperiment::Mode::saturate:
        return arrived >= from && arrived < until;
      default:
        return true;
    }
  }
  void average() {
    if (result_.packets == 0) return;
    const auto packets = static_cast<double>(result_.packets);
    result_.avg_packet_latency = static_cast<double>(packet_cycles_) / packets;
    result_.avg_network_latency = static_cast<double>(network_cycles_) / packets;
    result_.avg_hops = static_cast<double>(hops_) / packets;
  }

  void explain() {
    if (result_.avg_packet_latency) {
      result_.latency_histogram = latencies_.histogram(kBuckets);
      result_.latency_p50 = latencies_.percentile(0.50);
      result_.latency_p95 = latencies_.percentile(0.95);
      result_.latency_p99 = latencies_.percentile(0.99);
    }
    result_.buffer_samples = samples_.samples;
    result_.ports = samples_.stride / experiment_.spec.virtual_channels;
    for (std::size_t i = 0; i < samples_.sum.size(); ++i)
      result_.occupancy.push_back(
          {static_cast<double>(samples_.sum[i]) / static_cast<double>(samples_.samples), samples_.most[i]});
  }

  // ---------------------------------------------------------------- accepted flits

  struct Passed {
    std::vector<std::uint64_t> ejected, links;  ///< flits, by node and by link
  };
  Passed passed() {
    Passed flits;
    for (std::uint32_t node = 0; node < nodes_; ++node)
      flits.ejected.push_back(core_.flits_ejected_to(EndpointId(node), cycle_));
    flits.links = core_.link_flits(cycle_);
    return flits;
  }
  void accept(const Passed& before, const Passed& after, std::uint64_t cycles) {
    std::uint64_t sum = 0, least = kNever, most = 0;
    for (std::size_t link = 0; link < after.links.size(); ++link)
      result_.link_load.push_back(
          static_cast<double>(after.links[link] - (before.links.empty() ? 0 : before.links[link])) /
          static_cast<double>(cycles));
    for (std::uint32_t node = 0; node < nodes_; ++node) {
      const std::uint64_t flits = after.ejected[node] - (before.ejected.empty() ? 0 : before.ejected[node]);
      sum += flits;
      least = std::min(least, flits);
      most = std::max(most, flits);
    }
    const auto window = static_cast<double>(cycles);
    result_.accepted_flits_per_node_cycle = static_cast<double>(sum) / window / nodes_;
    result_.accepted_min_node = static_cast<double>(least) / window;
    result_.accepted_max_node = static_cast<double>(most) / window;
  }
  /// The cycle in which flits pass the last switch that reach the sink in `cycle`.
  static std::uint64_t at_last_switch(std::uint64_t cycle) {
    return cycle > kFlitsInEjection ? cycle - kFlitsInEjection : 0;
  }

  // ---------------------------------------------------------------- modes

  void run_single() {
    send(experiment_.source, experiment_.destination, 0, 0);
    finish_batch();
  }
  void run_batch() {
    // Packet i of a source counts as created in cycle i; the source sends them as fast as it can.
    for (std::uint64_t i = 0; i < experiment_.packets_per_node; ++i)
      for (std::uint32_t node = 0; node < nodes_; ++node) send(node, 0, i);
    finish_batch();
  }
  void finish_batch() {
    sample_from(0);
    drain();
    accept({}, passed(), std::max<std::uint64_t>(cycle_, 1));
  }

  void run_saturated() {
    for (int i = 0; i < 2; ++i)  // one is being sent, one waits
      for (std::uint32_t node = 0; node < nodes_; ++node) send(node, 0, 0);
    const std::uint64_t from = experiment_.warmup_cycles, until = from + experiment_.measured_cycles;
    sample_from(from);
    advance(at_last_switch(from));
    const Passed before = passed();
    advance(at_last_switch(until));
    accept(before, passed(), experiment_.measured_cycles);
    advance(until);
    stop_sampling();
    result_.saturated = true;
    if (core_.next_activity() != kNever) return;
    result_.deadlock = true;
    result_.deadlock_report = core_.deadlock_report();
  }

  void run_open_loop() {
    const double probability = experiment_.rate / experiment_.packet_flits;
    log_idle_ = probability < 1 ? std::log1p(-probability) : 0;
    for (std::uint32_t node = 0; probability > 0 && node < nodes_; ++node) schedule(node, 0);
    const std::uint64_t from = experiment_.warmup_cycles, until = from + experiment_.measured_cycles;
    sample_from(from);
    advance_with_traffic(at_last_switch(from));
    const Passed before = passed();
    advance_with_traffic(at_last_switch(until));
    accept(before, passed(), experiment_.measured_cycles);
    advance_with_traffic(until);
    stop_sampling();
    while (!deadlocked() && result_.packets < created_ && !gave_up_) {
      if (average_so_far() > kGiveUpLatency || cycle_ > until + kLongestDrain) gave_up_ = true;
      const std::uint64_t end = cycle_ + kCheckCycles;
      while (!gave_up_ && cycle_ < end && result_.packets < created_) advance_with_traffic(cycle_ + 1);
    }
    const double offered = static_cast<double>(created_ * experiment_.packet_flits) /
                           static_cast<double>(experiment_.measured_cycles) / nodes_;
    result_.saturated =
        gave_up_ || result_.deadlock || result_.accepted_flits_per_node_cycle < kAcceptedShare * offered;
  }
  bool deadlocked() {
    if (core_.packets_in_flight() == 0 || core_.next_activity() != kNever) return false;
    result_.deadlock = true;
    result_.deadlock_report = core_.deadlock_report();
    return true;
  }
  /// Average latency of the measured packets, those under way with their age.
  double average_so_far() const {
    const std::uint64_t waiting = created_ - result_.packets;
    const std::uint64_t ages = waiting * cycle_ - outstanding_created_;
    return static_cast<double>(packet_cycles_ + ages) / static_cast<double>(created_);
  }
  /// The number of cycles without a packet is geometrically distributed.
  void schedule(std::uint32_t node, std::uint64_t from) {
    const double idle = log_idle_ == 0 ? 0 : std::floor(std::log1p(-gaps_[node].uniform()) / log_idle_);
    if (idle > 1e15) return;
    put(node, from + static_cast<std::uint64_t>(idle));
  }
  void put(std::uint32_t node, std::uint64_t cycle) {
    std::uint32_t& first = calendar_[cycle % kCalendarCycles];
    due_[node] = {cycle, first};
    first = node;
  }
  /// The packets of all nodes in `cycle`. The order of the nodes does not matter: each draws from streams of
  /// its own.
  void create(std::uint64_t cycle) {
    std::uint32_t node = std::exchange(calendar_[cycle % kCalendarCycles], kNobody);
    while (node != kNobody) {
      const Due due = due_[node];
      if (due.cycle != cycle) {  // in another round of the calendar
        put(node, due.cycle);
      } else {
        send(node, cycle, cycle);
        if (measures(cycle, 0)) {
          ++created_;
          outstanding_created_ += cycle;
        }
        schedule(node, cycle + 1);
      }
      node = due.next;
    }
  }
  void advance_with_traffic(std::uint64_t end) {
    for (; traffic_cycle_ < end; ++traffic_cycle_) {
      if (calendar_[traffic_cycle_ % kCalendarCycles] == kNobody) continue;
      if (traffic_cycle_ > cycle_) advance(traffic_cycle_);
      create(traffic_cycle_);
    }
    advance(end);
  }

  const NocExperiment& experiment_;
  TrafficPattern pattern_;
  std::unique_ptr<RoutingFunction> routing_;
  NetworkCore core_;
  std::uint32_t nodes_;
  std::vector<Rng> gaps_, destinations_, coins_;  ///< by node
  /// The next packet of a node, and the next node in the same place of the calendar.
  struct Due {
    std::uint64_t cycle = 0;
    std::uint32_t next = kNobody;
  };
  std::vector<Due> due_;  ///< by node
  std::vector<std::uint32_t> calendar_ =
      std::vector<std::uint32_t>(kCalendarCycles, kNobody);  ///< first node, by cycle
  std::uint64_t traffic_cycle_ = 0;        ///< packets of the cycles before it have been created
  double log_idle_ = 0;                    ///< logarithm of the chance of a cycle without a packet
  std::uint64_t cycle_ = 0;                ///< the cycles before it have happened
  std::uint64_t created_ = 0;              ///< measured packets
  std::uint64_t outstanding_created_ = 0;  ///< sum of the creation cycles of those that have not arrived
  std::uint64_t packet_cycles_ = 0, network_cycles_ = 0, hops_ = 0;
  bool gave_up_ = false;
  LatencyCounts latencies_;
  BufferSamples samples_;
  std::uint64_t next_sample_ = kNever;  ///< buffers are looked at before this cycle happens
  NocExperimentResult result_;
};

void check(const NocExperiment& experiment) {
  Diagnostics problems;
  if (const std::string reason = refuse_network(experiment.spec, 1); !reason.empty())
    problems.error({"network", 0, 0}, reason);
  if (experiment.packet_flits == 0 || experiment.packet_flits > 1'000'000)
    problems.error({"--packet-flits", 0, 0}, "a packet has 1 to 1000000 flits");
  if (experiment.mode == NocExperiment::Mode::open_loop &&
      !(experiment.rate >= 0 && experiment.rate <= experiment.packet_flits))
    problems.error({"--rate", 0, 0}, "a source creates at most one packet per cycle",
                   fmt::format("0 to {} flits per node and cycle", experiment.packet_flits));
  if (experiment.mode != NocExperiment::Mode::batch && experiment.mode != NocExperiment::Mode::single &&
      experiment.measured_cycles == 0)
    problems.error({"--measure", 0, 0}, "at least one cycle must be measured");
  if (experiment.mode == NocExperiment::Mode::batch && experiment.packets_per_node == 0)
    problems.error({"--batch", 0, 0}, "at least one packet per node");
  const std::uint32_t nodes = experiment.spec.graph.router_count();
  if (experiment.mode == NocExperiment::Mode::batch && experiment.packets_per_node > kMostPackets / nodes)
    problems.error({"--batch", 0, 0}, fmt::format("at most {} packets in all", kMostPackets));
  if (experiment.mode == NocExperiment::Mode::single &&
      (experiment.source >= nodes || experiment.destination >= nodes))
    problems.error({"--single", 0, 0}, fmt::format("nodes are numbered 0 to {}", nodes - 1));
  problems.throw_if_any<InputError>();
}

}  // namespace

NocExperimentResult run_noc_experiment(const NocExperiment& experiment) {
  check(experiment);
  return Experiment(experiment).run();
}

void attach_one_endpoint_per_router(NocSpec& spec) {
  spec.endpoints.clear();
  for (std::uint32_t r = 0; r < spec.graph.router_count(); ++r)
    spec.endpoints.push_back({EndpointKind::pe, RouterId(r), r});
}

}  // namespace dfsim
