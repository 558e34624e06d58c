// planner/app/card_times.h: what sub-graphs take on dataflow cards, by planning and running each there.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "planner/placement/cut.h"
#include "planner/placement/load.h"
#include "planner/placement/placement_file.h"
#include "planner/placement/structure.h"
#include "sim/api/server.h"

namespace dfsim {

struct CardPlanning {
  std::uint32_t max_rounds = 2;        ///< of the planning loop, per sub-graph: the budget
  std::uint32_t stage_candidates = 2;  ///< combinations per stage
  std::uint64_t seed = 1;
  std::uint32_t workers = 1;
  std::optional<std::string> cache_file;
};

/// Times of every sub-graph and sample class on every card that may run it. Each different sub-graph
/// (operators and shapes, not names) is planned by the planning loop for the least latency of one sample on
/// the card's whole chip; the winner's whole-plan run gives latency and interval. A sub-graph for which no
/// plan fits is not supported there. Call before the server is elaborated: the workers are forked here.
/// Throws CommandFailure when interrupted.
class CardTimes {
 public:
  CardTimes(const Cut& cut, const std::vector<SampleClass>& samples, const ServerSpec& server,
            const std::map<std::uint32_t, HardwareSpec>& chips, const CardPlanning& planning)
      : cut_(cut), samples_(samples), server_(server), chips_(chips), planning_(planning) {}

  /// Takes these where they match, and plans the rest.
  void know(const std::vector<StoredCardTime>& stored) { stored_ = stored; }
  /// Only sub-graphs on their processor of `assignment`.
  void restrict_to(const Assignment& assignment) { assignment_ = assignment; }
  /// Fills `task`, and takes support out of `structure` (may be null) where no plan fits.
  void measure(ServerTask& task, HeterogeneousStructure* structure);
  /// Everything that was measured, for placement.yaml.
  std::vector<StoredCardTime> stored(const ServerTask& task) const;
  std::uint32_t planned() const { return planned_; }  ///< planning loops run

 private:
  struct Answer {
    CardTime time;
    std::string refusal;  ///< not empty: no plan fits
  };
  bool wanted(std::size_t subgraph, std::uint32_t processor) const;
  std::optional<CardTime> known(std::size_t subgraph, std::size_t sample, std::uint32_t processor) const;
  Answer time_of(std::size_t subgraph, std::size_t sample, std::uint32_t processor);
  Answer plan(const Graph& graph, const HardwareSpec& chip) const;

  const Cut& cut_;
  const std::vector<SampleClass>& samples_;
  const ServerSpec& server_;
  const std::map<std::uint32_t, HardwareSpec>& chips_;
  CardPlanning planning_;
  std::vector<StoredCardTime> stored_;
  std::optional<Assignment> assignment_;
  std::map<std::string, Answer> answers_;  ///< by chip and signature of the sub-graph
  std::uint32_t planned_ = 0;
};

}  // namespace dfsim
