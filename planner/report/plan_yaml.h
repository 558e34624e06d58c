// planner/report/plan_yaml.h: a plan as a file that people read, and may write by hand (docs/outputs.md).
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "planner/graph/graph.h"
#include "planner/plan/execution_cost.h"
#include "planner/plan/plan.h"
#include "sim/api/hardware.h"
#include "sim/api/program.h"
#include "sim/base/errors.h"
#include "sim/base/yaml.h"

namespace dfsim {

/// A file that a plan was made for. `hash` is content_hash() of its bytes; empty: not checked.
struct FileReference {
  std::string file;  ///< relative to the folder of the plan
  std::string hash;
  SourceLocation where;
};

struct PlanFile {
  FileReference config, model;
  std::uint64_t seed = 1;  ///< draws the rows that embedding operators gather
  Objective objective = Objective::interval;
  bool partial = false;  ///< the search that made it was interrupted
  Plan plan;
};

/// The text of plan.yaml. `program` (may be null) is the lowered plan: the communication primitives are taken
/// from it. Everything that follows from the decisions (micro-tensors, micro-operators, primitives) is
/// written for the reader.
std::string plan_yaml(const PlanFile& file, const Graph& graph, const HardwareSpec& hardware,
                      const Program* program);

/// A plan being read. First the references, from which the caller loads graph and hardware, then the rest.
class PlanDocument {
 public:
  /// Reports a missing file and YAML mistakes.
  PlanDocument(const std::string& path, Diagnostics& diagnostics);

  /// `config` and `model` of the plan. Reports missing ones. The files themselves are not opened.
  PlanFile head();

  /// The whole. Reports, all at once, unknown keys, operators, axes and groups, groups outside the hardware
  /// or partly overlapping, operators in no stage or in two, stages in an order that the graph does not
  /// allow, parts out of range, and micro-operators that are not where the split and the order of PEs put
  /// them. None if anything was reported by now.
  std::optional<PlanFile> read(const Graph& graph, const HardwareSpec& hardware);

 private:
  std::string path_;
  Diagnostics& diagnostics_;
  YamlDocument document_;
  PlanFile file_;
};

/// "0-7 9": PEs in their order, ascending and descending runs as ranges.
std::vector<std::string> pe_ranges(const std::vector<PeId>& pes);
/// The reverse; none if a text is no range.
std::optional<std::vector<PeId>> pes_of_ranges(const std::vector<std::string>& ranges);

/// Reads "chip0[0:4,0:8]" or "chip0[0:4,0:8,0:1]"; none if the text is not of this form.
std::optional<Submesh> submesh_from(const std::string& text);

}  // namespace dfsim
