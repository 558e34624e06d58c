// sim/host/dispatcher.h: the program on the host that sends requests through a placement.
#pragma once

#include <cstdint>
#include <systemc>
#include <vector>

#include "sim/api/server.h"
#include "sim/host/ports.h"

namespace dfsim {

/// A request's inputs are copied to where they are needed; a sub-graph is given to its processor when its
/// inputs are there; when it has ended, its outputs are copied to the processors of its readers (a copy per
/// edge) and to host memory. Not modelled: the time that the host itself takes for this.
class Dispatcher : public sc_core::sc_module, public JobListener, public CopyListener {
 public:
  sc_core::sc_vector<sc_core::sc_port<JobSink>> processors;
  sc_core::sc_port<CopySink> fabric;

  Dispatcher(sc_core::sc_module_name name, std::size_t processor_count);

  /// Begins at the kernel's present time. Both outlive the run.
  void begin(const ServerTask& task, const ServerRun& run);
  bool finished() const { return run_ == nullptr || ended_ == run_->requests.size(); }
  /// Jobs, copies and ends of the run.
  ServerMeasurement& measurement() { return measurement_; }

  void job_started(std::uint32_t processor, const Job& job) override;
  void job_ended(std::uint32_t processor, const Job& job) override;
  void copy_ended(std::uint32_t id) override;

 private:
  SC_HAS_PROCESS(Dispatcher);
  struct Progress {
    std::vector<std::uint32_t> missing;  ///< by sub-graph: inputs not there yet
    std::vector<std::uint64_t> ready_ps, start_ps;
    std::uint32_t left = 0;  ///< sub-graphs and copies to host memory
  };
  void arrive();
  void start(std::uint32_t request);
  void input_there(std::uint32_t request, std::uint32_t subgraph);
  void begin_copy(CopyRecord record);
  void part_done(std::uint32_t request);
  const SubgraphWork& work(std::uint32_t request, std::uint32_t subgraph) const;
  std::uint64_t now_ps() const { return (sc_core::sc_time_stamp() - begun_).value(); }

  const ServerTask* task_ = nullptr;
  const ServerRun* run_ = nullptr;
  std::vector<std::vector<std::uint32_t>> out_edges_;  ///< by sub-graph
  std::vector<Progress> progress_;
  std::vector<CopyRecord> copies_;  ///< by id
  ServerMeasurement measurement_;
  std::uint32_t arrived_ = 0;
  std::size_t ended_ = 0;
  sc_core::sc_event arrival_;
  sc_core::sc_time begun_;
};

}  // namespace dfsim
