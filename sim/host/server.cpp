#include "sim/host/server.h"

#include <fmt/format.h>

#include <algorithm>
#include <systemc>
#include <vector>

#include "sim/base/errors.h"
#include "sim/host/dispatcher.h"
#include "sim/host/fabric.h"
#include "sim/host/processor.h"

namespace dfsim {

namespace {

class Server final : public sc_core::sc_module, public ServerRunner {
 public:
  Server(sc_core::sc_module_name name, const ServerSpec& spec)
      : sc_module(name),
        spec_(spec),
        fabric_("fabric", spec_),
        dispatcher_("dispatcher", spec_.processors.size()) {
    for (std::uint32_t p = 0; p < spec_.processors.size(); ++p) {
      const ProcessorSpec& processor = spec_.processors[p];
      if (processor.kind == ProcessorKind::card)
        processors_.push_back(std::make_unique<CardProcessor>(processor.name.c_str(), processor, p));
      else
        processors_.push_back(std::make_unique<RooflineProcessor>(processor.name.c_str(), processor, p));
      processors_.back()->listener(dispatcher_);
      dispatcher_.processors[p](*processors_.back());
    }
    fabric_.listener(dispatcher_);
    dispatcher_.fabric(fabric_);
  }

  ServerMeasurement run(const ServerTask& task, const ServerRun& run) override {
    check(task, run);
    for (const auto& processor : processors_) processor->reset();
    fabric_.reset();
    dispatcher_.begin(task, run);
    sc_core::sc_start();
    if (!dispatcher_.finished())
      throw SimulationError(fmt::format("{}: nothing moves, but requests are left", sc_module::name()));
    ServerMeasurement measurement = std::move(dispatcher_.measurement());
    if (!measurement.done_ps.empty())
      measurement.total_ps = *std::max_element(measurement.done_ps.begin(), measurement.done_ps.end());
    for (std::uint32_t p = 0; p < processors_.size(); ++p) {
      measurement.busy_ps.push_back(processors_[p]->busy_ps());
      measurement.to_host.push_back(fabric_.to_host(p));
      measurement.from_host.push_back(fabric_.from_host(p));
    }
    return measurement;
  }

  const ServerSpec& server() const override { return spec_; }

 private:
  /// Before anything moves: an exception inside a process would leave the kernel in an error state.
  void check(const ServerTask& task, const ServerRun& run) const {
    for (std::size_t i = 0; i < task.subgraphs.size(); ++i) {
      const std::uint32_t p = run.assignment.at(i);
      const ProcessorSpec& processor = spec_.processors.at(p);
      for (const SubgraphWork& work : task.subgraphs[i])
        if (processor.kind != ProcessorKind::card)
          for (const KernelWork& kernel : work.kernels) kernel_time(processor, kernel);  // throws
        else if (!work.card_times.count(p))
          throw SimulationError(fmt::format("{}: no measured time for sub-graph {}", processor.name, i));
    }
  }

  ServerSpec spec_;
  HostFabric fabric_;
  Dispatcher dispatcher_;
  std::vector<std::unique_ptr<Processor>> processors_;
};

}  // namespace

std::unique_ptr<ServerRunner> build_server(const ServerSpec& spec) {
  return std::make_unique<Server>(spec.name.c_str(), spec);
}

std::unique_ptr<ServerRunner> make_server_runner(const ServerSpec& spec) {
  auto server = build_server(spec);
  sc_core::sc_start(sc_core::SC_ZERO_TIME);  // elaborates
  return server;
}

}  // namespace dfsim
