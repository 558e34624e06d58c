// planner/report/candidates_csv.h: a line for every candidate of every proposed stage, each of which can be
// run again.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "planner/graph/graph.h"
#include "planner/loop/loop.h"
#include "planner/report/candidate_json.h"

namespace dfsim {

struct CandidatesHead {
  std::uint32_t samples = 8;  ///< of one period
  Objective objective = Objective::interval;
  bool two_level = false;
  std::uint64_t flat_size = 0;  ///< combinations of all operator candidates, summed over the proposed stages
  std::uint64_t formed_size = 0;  ///< candidates formed by the search that was used
};

/// The file: comment lines that start with '#', a line of column names, then a line per candidate in the
/// order of the rounds. Fields are quoted as in RFC 4180. `cycles` is the part of the price that the
/// objective asks for; `candidate` the exact form.
std::string candidates_csv(const Graph& graph, const CandidatesHead& head,
                           const std::vector<LoggedCandidate>& candidates);

/// A line of the file, as far as a second run needs it.
struct StoredCandidate {
  std::string id;
  std::string status;
  std::uint64_t latency_cycles = 0;  ///< 0 unless executed
  std::uint64_t period_cycles = 0;
  ExactCandidate candidate;
};

/// The first line with this id. None if there is none; throws std::runtime_error if the text is no such file.
std::optional<StoredCandidate> find_candidate(const std::string& csv, const std::string& id);

}  // namespace dfsim
