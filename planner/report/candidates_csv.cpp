#include "planner/report/candidates_csv.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <stdexcept>

#include "planner/report/candidate_text.h"
#include "sim/base/csv.h"

namespace dfsim {

namespace {

const std::vector<std::string>& column_names() {
  static const std::vector<std::string> names = {
      "id",           "round",  "level",    "stage",  "operators",      "pe_group",      "split",
      "slicing",      "map",    "status",   "cycles", "latency_cycles", "period_cycles", "bound",
      "program_hash", "reason", "candidate"};
  return names;
}

std::string line_of(const std::vector<std::string>& fields) {
  std::string line;
  for (const std::string& field : fields) {
    if (!line.empty()) line += ',';
    line += csv_field(field);
  }
  return line + '\n';
}

/// "stage a > stage b" of a re-slicing, else the one text.
template <class Describe>
std::string of_stages(const CandidateRecord& record, Describe describe) {
  std::string text = describe(record.candidate);
  if (record.level == CandidateLevel::reslice) text += " > " + describe(record.consumer);
  return text;
}

std::vector<std::string> fields_of(const Graph& graph, const CandidatesHead& head,
                                   const LoggedCandidate& logged) {
  const CandidateRecord& record = logged.record;
  const bool executed = record.status == CandidateStatus::executed;
  const std::uint64_t cycles =
      head.objective == Objective::latency ? record.price.latency_cycles : record.price.period_cycles;
  ExactCandidate exact{record.level, {record.candidate}};
  if (record.level == CandidateLevel::reslice) exact.stages.push_back(record.consumer);
  return {record.id,
          std::to_string(logged.round),
          to_string(record.level),
          std::to_string(logged.stage),
          of_stages(record, [&](const Stage& stage) { return operators_text(graph, stage.operators); }),
          of_stages(record, [&](const Stage& stage) { return stage.group.to_string(); }),
          of_stages(record, [&](const Stage& stage) { return split_text(graph, stage); }),
          of_stages(record, [&](const Stage& stage) { return slicing_text(graph, stage, head.samples); }),
          of_stages(record, [&](const Stage& stage) { return map_text(graph, stage); }),
          to_string(record.status),
          executed ? std::to_string(cycles) : "",
          executed ? std::to_string(record.price.latency_cycles) : "",
          executed ? std::to_string(record.price.period_cycles) : "",
          record.status == CandidateStatus::discarded ? std::to_string(record.bound) : "",
          record.program_hash,
          record.reason,
          to_json(exact)};
}

std::uint64_t number(const std::string& text) {
  std::uint64_t value = 0;
  std::from_chars(text.data(), text.data() + text.size(), value);
  return value;
}

}  // namespace

std::string candidates_csv(const Graph& graph, const CandidatesHead& head,
                           const std::vector<LoggedCandidate>& candidates) {
  std::string text = fmt::format(
      "# candidates of every proposed stage; cycles: {}\n"
      "# search: {}; flat search space: {}; formed: {}\n",
      head.objective == Objective::latency ? "of the first period"
                                           : "of one period of " + std::to_string(head.samples) + " samples",
      head.two_level ? "two-level" : "flat", head.flat_size, head.formed_size);
  text += line_of(column_names());
  for (const LoggedCandidate& logged : candidates) text += line_of(fields_of(graph, head, logged));
  return text;
}

std::optional<StoredCandidate> find_candidate(const std::string& csv, const std::string& id) {
  const auto records = parse_csv(csv);
  if (records.empty() || records.front() != column_names())
    throw std::runtime_error("the first line does not hold the column names of a candidates.csv");
  const auto column = [&](const std::vector<std::string>& record, const std::string& name) {
    const auto& names = column_names();
    return record[static_cast<std::size_t>(std::find(names.begin(), names.end(), name) - names.begin())];
  };
  for (std::size_t i = 1; i < records.size(); ++i) {
    const auto& record = records[i];
    if (record.size() != column_names().size())
      throw std::runtime_error(
          fmt::format("record {} has {} fields instead of {}", i, record.size(), column_names().size()));
    if (column(record, "id") != id) continue;
    return StoredCandidate{id, column(record, "status"), number(column(record, "latency_cycles")),
                           number(column(record, "period_cycles")),
                           exact_candidate_from_json(column(record, "candidate"))};
  }
  return std::nullopt;
}

}  // namespace dfsim
