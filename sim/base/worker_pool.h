// sim/base/worker_pool.h: long-lived worker processes that each answer requests one at a time.
//
// The SystemC kernel elaborates once per process and is not thread-safe, so parallel runs need processes.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "sim/base/job_tokens.h"

namespace dfsim {

class WorkerPool {
 public:
  /// Turns a request into an answer, inside a worker process. Made there, once, by the factory.
  using Handler = std::function<std::string(const std::string& request)>;
  using HandlerFactory = std::function<Handler()>;

  /// Forks `workers` processes (at least 1). Call before creating threads, and before elaborating SystemC
  /// here. With `tokens` (outlives this; may be null) a worker answers only while it holds one.
  WorkerPool(std::uint32_t workers, HandlerFactory factory, JobTokens* tokens = nullptr);
  ~WorkerPool();  ///< ends the workers
  WorkerPool(const WorkerPool&) = delete;
  WorkerPool& operator=(const WorkerPool&) = delete;

  /// Answers in the order of the requests, whatever worker did them. `done(index, answer)` (may be empty) is
  /// called in this process in order of completion. A worker that dies is replaced and its request run again,
  /// twice at most; then throws SimulationError naming the request. `interrupted` (may be empty) is polled;
  /// when true, no further request is started and the answers not yet there stay empty strings.
  std::vector<std::string> run(const std::vector<std::string>& requests,
                               const std::function<void(std::size_t, const std::string&)>& done = {},
                               const std::function<bool()>& interrupted = {});

 private:
  struct Worker;
  HandlerFactory factory_;
  JobTokens* tokens_;
  std::vector<std::unique_ptr<Worker>> workers_;
};

}  // namespace dfsim
