#include "sim/host/fabric.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "sim/host/core/fair_share.h"

namespace dfsim {

namespace {

constexpr std::size_t kRoot = 0;
constexpr double kDoneBytes = 1e-6;  // rounding; wakes are whole picoseconds

std::size_t towards_host(std::uint32_t processor) { return 1 + 2 * std::size_t{processor}; }
std::size_t from_the_host(std::uint32_t processor) { return 2 + 2 * std::size_t{processor}; }

}  // namespace

HostFabric::HostFabric(sc_core::sc_module_name name, const ServerSpec& spec)
    : sc_module(name), listener("listener"), root_(spec.root) {
  capacities_.push_back(spec.root.bytes_per_ns / 1000);
  for (const ProcessorSpec& processor : spec.processors) {
    links_.push_back(processor.link
                         ? std::make_unique<HostLink>(("link_" + processor.name).c_str(), *processor.link)
                         : nullptr);
    const double rate = processor.link ? processor.link->bytes_per_ns() / 1000 : 0;
    capacities_.insert(capacities_.end(), {rate, rate});
  }
  SC_METHOD(woken);
  sensitive << wake_;
  dont_initialize();
}

const HostLink* HostFabric::link_of(const std::optional<std::uint32_t>& processor) const {
  return processor ? links_[*processor].get() : nullptr;
}

void HostFabric::copy(const Copy& copy) {
  Flow flow;
  flow.copy = copy;
  flow.left_bytes = static_cast<double>(copy.bytes);
  const HostLink* source = link_of(copy.from);
  const HostLink* destination = link_of(copy.to);
  std::uint64_t wait_ns = 0;
  if (source) {
    flow.crosses.push_back(towards_host(*copy.from));
    wait_ns += source->spec().latency_ns;
  }
  if (destination) {
    flow.crosses.push_back(from_the_host(*copy.to));
    wait_ns += destination->spec().latency_ns;
  }
  if (!flow.crosses.empty()) {
    flow.crosses.push_back(kRoot);
    // The DMA engine of the sender pushes; host memory has none, so there the receiver's pulls.
    wait_ns += root_.latency_ns + (source ? source : destination)->spec().dma_setup_ns;
  }
  flow.begins_ps = now_ps() + wait_ns * 1000;
  flows_.push_back(std::move(flow));
  wake_.notify(sc_core::SC_ZERO_TIME);
}

/// Takes off what has flowed since the last change.
void HostFabric::progress() {
  const std::uint64_t passed = now_ps() - updated_ps_;
  updated_ps_ = now_ps();
  std::vector<bool> used(capacities_.size(), false);
  for (Flow& flow : flows_) {
    if (!flow.flowing) continue;
    flow.left_bytes -= flow.bytes_per_ps * static_cast<double>(passed);
    for (const std::size_t c : flow.crosses) used[c] = true;
  }
  for (std::uint32_t p = 0; p < links_.size(); ++p) {
    if (!links_[p]) continue;
    if (used[towards_host(p)]) links_[p]->to_host.busy_ps += passed;
    if (used[from_the_host(p)]) links_[p]->from_host.busy_ps += passed;
  }
}

void HostFabric::share_out() {
  std::vector<std::vector<std::size_t>> crossings;
  std::vector<Flow*> flowing;
  for (Flow& flow : flows_) {
    flow.flowing = flow.begins_ps <= now_ps();
    if (!flow.flowing || flow.crosses.empty()) continue;
    crossings.push_back(flow.crosses);
    flowing.push_back(&flow);
  }
  const std::vector<double> rates = fair_rates(capacities_, crossings);
  for (std::size_t f = 0; f < flowing.size(); ++f) flowing[f]->bytes_per_ps = rates[f];
}

void HostFabric::woken() {
  progress();
  std::vector<Copy> ended;
  for (std::size_t i = 0; i < flows_.size();) {
    const Flow& flow = flows_[i];
    const bool there = flow.begins_ps <= now_ps() && (flow.crosses.empty() || flow.left_bytes < kDoneBytes);
    if (!there) {
      ++i;
      continue;
    }
    ended.push_back(flow.copy);
    flows_.erase(flows_.begin() + static_cast<std::ptrdiff_t>(i));
  }
  share_out();
  schedule();
  for (const Copy& copy : ended) {
    if (copy.from && links_[*copy.from]) links_[*copy.from]->to_host.bytes += copy.bytes;
    if (copy.to && links_[*copy.to]) links_[*copy.to]->from_host.bytes += copy.bytes;
    listener->copy_ended(copy.id);
  }
}

void HostFabric::schedule() {
  std::uint64_t next = std::numeric_limits<std::uint64_t>::max();
  for (const Flow& flow : flows_) {
    std::uint64_t at = flow.begins_ps;
    if (flow.flowing && !flow.crosses.empty())
      at = now_ps() + static_cast<std::uint64_t>(
                          std::ceil(std::max(0.0, (flow.left_bytes - kDoneBytes) / flow.bytes_per_ps)));
    next = std::min(next, std::max(at, now_ps()));
  }
  wake_.cancel();
  if (next != std::numeric_limits<std::uint64_t>::max())
    wake_.notify(sc_core::sc_time::from_value(next - now_ps()));
}

void HostFabric::reset() {
  wake_.cancel();
  flows_.clear();
  start_ = sc_core::sc_time_stamp();
  updated_ps_ = 0;
  for (const auto& link : links_)
    if (link) link->reset();
}

LinkUse HostFabric::to_host(std::uint32_t processor) const {
  return links_[processor] ? links_[processor]->to_host : LinkUse{};
}
LinkUse HostFabric::from_host(std::uint32_t processor) const {
  return links_[processor] ? links_[processor]->from_host : LinkUse{};
}

}  // namespace dfsim
