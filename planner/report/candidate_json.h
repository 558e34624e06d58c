// planner/report/candidate_json.h: a candidate exactly, as one line of JSON: what candidates.csv keeps so
// that the candidate can be run again.
//
//   {"level":"op","stages":[{"name":"s0","operators":[3],"group":[[0,0,0,0,4,4,1]],"sub_batches":1,"resident":false,
//    "candidates":[{"spatial":[4,4],"temporal":[1,2],"nesting":[0,1],"order":"row_major","outer":"features"}]}]}
//
// A submesh is [noc, x, y, z, width, height, depth]. A re-slicing has two stages: producer and consumer.
#pragma once

#include <string>
#include <vector>

#include "planner/intra_stage/optimizer.h"
#include "planner/plan/plan.h"

namespace dfsim {

struct ExactCandidate {
  CandidateLevel level = CandidateLevel::stage;
  std::vector<Stage> stages;  ///< one, or producer and consumer of a re-slicing
  bool operator==(const ExactCandidate&) const = default;
};

std::string to_json(const ExactCandidate& candidate);
/// Throws std::runtime_error, with what is wrong, for a text that to_json did not write.
ExactCandidate exact_candidate_from_json(const std::string& text);

}  // namespace dfsim
