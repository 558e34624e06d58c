// sim/api/server.h: a server of processors and host links, the work it is given, and what it measured. Plain
// data, and the one door to the simulated server. Compiles without SystemC.
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "sim/api/hardware.h"

namespace dfsim {

// ---------------------------------------------------------------- the server

enum class ProcessorKind : std::uint8_t { cpu, gpu, card };
std::string to_string(ProcessorKind kind);

/// Shares of the peaks that a kind of operator reaches, 0 to 1.
struct OperatorEfficiency {
  double compute = 1;
  double memory = 1;
  std::string source;  ///< where the numbers are from
  bool operator==(const OperatorEfficiency&) const = default;
};

/// A full-duplex link from a processor to the root complex.
struct HostLinkSpec {
  std::uint32_t generation = 3;  ///< of PCI Express
  std::uint32_t lanes = 16;
  double payload_share = 1;  ///< of the rate behind the line code, left by packet headers
  std::uint64_t latency_ns = 0;
  std::uint64_t dma_setup_ns = 0;  ///< per copy, before its first byte
  bool operator==(const HostLinkSpec&) const = default;

  /// Payload bytes per nanosecond, each way. PCI Express base specification: 2.5, 5 (8b/10b), 8, 16, 32 GT/s
  /// (128b/130b) per lane; generations 1 to 5.
  double bytes_per_ns() const;
};

struct RootComplexSpec {
  double bytes_per_ns = 100;  ///< of all copies together, both ways
  std::uint64_t latency_ns = 0;
  bool operator==(const RootComplexSpec&) const = default;
};

/// CPU and GPU follow a roofline (docs/placement.md); a card is a chip of its own, whose times are measured
/// by the NoC and PE simulator.
struct ProcessorSpec {
  std::string name;
  ProcessorKind kind = ProcessorKind::cpu;
  std::string architecture;           ///< identity: what its code is compiled for
  std::vector<std::string> supports;  ///< kinds of operators; empty: all
  std::uint64_t memory_bytes = 0;
  std::optional<HostLinkSpec> link;  ///< none: it works in host memory itself

  // CPU and GPU.
  std::uint32_t units = 1;  ///< cores, streaming multiprocessors
  double clock_mhz = 1000;
  std::map<DataType, double> matrix_operations;  ///< per unit and cycle; a multiply-add is two
  std::map<DataType, double> vector_operations;
  double memory_bytes_per_ns = 1;
  std::uint64_t launch_ns = 0;      ///< from one operator to the next
  std::uint32_t streams = 1;        ///< sub-graphs that may run at the same time
  std::uint32_t tile_elements = 0;  ///< of an output, worked on by one unit; 0: any cut fills all units
  std::map<std::string, OperatorEfficiency> efficiency;  ///< by kind of operator; "default" for the others

  // Card.
  std::string chip;  ///< hardware file

  bool can_run(const std::string& operator_kind) const;
  bool operator==(const ProcessorSpec&) const = default;
};

struct ServerSpec {
  std::string name;
  std::vector<ProcessorSpec> processors;
  RootComplexSpec root;
  bool operator==(const ServerSpec&) const = default;
};

// ---------------------------------------------------------------- work

/// One operator on one sample.
struct KernelWork {
  std::string kind;
  DataType type = DataType::fp16;
  bool matrix = false;           ///< runs at the matrix rate, else at the vector rate
  std::uint64_t operations = 0;  ///< a multiply-add is two
  std::uint64_t bytes = 0;       ///< read and written, parameters included
  std::uint64_t output_elements = 0;
  bool operator==(const KernelWork&) const = default;
};

/// Of one sub-graph on a card: a sample's latency, and the time between samples that follow one another.
struct CardTime {
  std::uint64_t latency_ps = 0;
  std::uint64_t interval_ps = 0;
  bool operator==(const CardTime&) const = default;
};

/// One sub-graph on one sample of one class (same shapes).
struct SubgraphWork {
  std::vector<KernelWork> kernels;
  std::uint64_t input_bytes = 0;                 ///< of the network, from host memory
  std::uint64_t output_bytes = 0;                ///< of the network, to host memory
  std::map<std::uint32_t, CardTime> card_times;  ///< by processor
};

struct TaskEdge {
  std::uint32_t from = 0, to = 0;    ///< sub-graphs, from < to
  std::vector<std::uint64_t> bytes;  ///< by class
};

struct ServerTask {
  std::vector<std::vector<SubgraphWork>>
      subgraphs;  ///< [sub-graph][class], in an order in which they can run
  std::vector<TaskEdge> edges;
};

struct ServerRequest {
  std::uint32_t sample_class = 0;
  std::uint64_t arrival_ps = 0;
};

struct ServerRun {
  std::vector<std::uint32_t> assignment;  ///< processor by sub-graph
  std::vector<ServerRequest> requests;    ///< by arrival
  bool one_at_a_time = false;             ///< a request starts when the one before it is done
};

// ---------------------------------------------------------------- measurement

struct JobRecord {
  std::uint32_t request = 0, subgraph = 0, processor = 0;
  std::uint64_t ready_ps = 0, start_ps = 0, end_ps = 0;  ///< inputs there; begun; ended
};

struct CopyRecord {
  std::uint32_t request = 0;
  std::optional<std::uint32_t> from_subgraph, to_subgraph;    ///< none: the network's input, output
  std::optional<std::uint32_t> from_processor, to_processor;  ///< none: host memory
  std::uint64_t bytes = 0, start_ps = 0, end_ps = 0;
};

struct LinkUse {
  std::uint64_t bytes = 0, busy_ps = 0;
};

struct ServerMeasurement {
  std::vector<JobRecord> jobs;              ///< in the order of their ends
  std::vector<CopyRecord> copies;           ///< in the order of their ends
  std::vector<std::uint64_t> done_ps;       ///< by request
  std::uint64_t total_ps = 0;               ///< until the last is done
  std::vector<std::uint64_t> busy_ps;       ///< by processor: at least one sub-graph runs
  std::vector<LinkUse> to_host, from_host;  ///< by processor, of its link
};

class ServerRunner {
 public:
  virtual ~ServerRunner() = default;
  /// Runs all requests on an idle server. Equal runs give equal measurements, in any order. Throws
  /// SimulationError if a sub-graph is on a card for which its work holds no time, or on a processor without
  /// a rate for its type.
  virtual ServerMeasurement run(const ServerTask& task, const ServerRun& run) = 0;
  virtual const ServerSpec& server() const = 0;
};

}  // namespace dfsim
