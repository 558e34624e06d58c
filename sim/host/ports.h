// sim/host/ports.h: what passes between the modules of a server.
#pragma once

#include <cstdint>
#include <optional>
#include <systemc>

#include "sim/api/server.h"

namespace dfsim {

/// One sub-graph of one request.
struct Job {
  std::uint32_t request = 0, subgraph = 0, sample_class = 0;
  const SubgraphWork* work = nullptr;  ///< outlives the job
};

struct Copy {
  std::uint32_t id = 0;                   ///< given back when it has ended
  std::optional<std::uint32_t> from, to;  ///< processors; none: host memory
  std::uint64_t bytes = 0;
};

class JobListener : public sc_core::sc_interface {
 public:
  virtual void job_started(std::uint32_t processor, const Job& job) = 0;
  virtual void job_ended(std::uint32_t processor, const Job& job) = 0;
};

/// A processor takes any number of jobs and runs the oldest requests first.
class JobSink : public sc_core::sc_interface {
 public:
  virtual void submit(const Job& job) = 0;
};

class CopyListener : public sc_core::sc_interface {
 public:
  virtual void copy_ended(std::uint32_t id) = 0;
};

class CopySink : public sc_core::sc_interface {
 public:
  virtual void copy(const Copy& copy) = 0;
};

}  // namespace dfsim
