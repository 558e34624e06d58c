#include "planner/report/candidate_json.h"

#include <nlohmann/json.hpp>
#include <stdexcept>

namespace dfsim {

namespace {

using Json = nlohmann::ordered_json;

template <class Enum>
Enum enum_named(const std::string& name, std::initializer_list<Enum> values) {
  for (const Enum value : values)
    if (to_string(value) == name) return value;
  throw std::runtime_error("unknown name '" + name + "' in a candidate");
}

Json group_json(const PeGroup& group) {
  Json list = Json::array();
  for (const Submesh& box : group.submeshes)
    list.push_back({box.noc.value(), box.x, box.y, box.z, box.width, box.height, box.depth});
  return list;
}

PeGroup group_from(const Json& list) {
  PeGroup group;
  for (const Json& item : list) {
    const auto v = item.get<std::vector<std::uint32_t>>();
    if (v.size() != 7) throw std::runtime_error("a submesh needs 7 numbers");
    group.submeshes.push_back({NocId(v[0]), v[1], v[2], v[3], v[4], v[5], v[6]});
  }
  return group;
}

Json operator_json(const OperatorCandidate& candidate) {
  return {{"spatial", candidate.spatial},
          {"temporal", candidate.temporal},
          {"nesting", candidate.nesting},
          {"order", to_string(candidate.order)},
          {"outer", to_string(candidate.outer)}};
}

OperatorCandidate operator_from(const Json& json) {
  OperatorCandidate candidate;
  json.at("spatial").get_to(candidate.spatial);
  json.at("temporal").get_to(candidate.temporal);
  json.at("nesting").get_to(candidate.nesting);
  candidate.order = enum_named(json.at("order").get<std::string>(),
                               {PeOrder::row_major, PeOrder::column_major, PeOrder::snake});
  candidate.outer = enum_named(json.at("outer").get<std::string>(),
                               {OuterLoop::features, OuterLoop::reduction, OuterLoop::rows});
  return candidate;
}

Json stage_json(const Stage& stage) {
  Json operators = Json::array();
  for (const OpId op : stage.operators) operators.push_back(op.value());
  Json candidates = Json::array();
  for (const OperatorCandidate& candidate : stage.strategy.operators)
    candidates.push_back(operator_json(candidate));
  return {{"name", stage.name},
          {"operators", operators},
          {"group", group_json(stage.group)},
          {"sub_batches", stage.strategy.sub_batches},
          {"resident", stage.strategy.weights_resident},
          {"candidates", candidates}};
}

Stage stage_from(const Json& json) {
  Stage stage;
  json.at("name").get_to(stage.name);
  for (const std::uint32_t op : json.at("operators").get<std::vector<std::uint32_t>>())
    stage.operators.push_back(OpId(op));
  stage.group = group_from(json.at("group"));
  json.at("sub_batches").get_to(stage.strategy.sub_batches);
  json.at("resident").get_to(stage.strategy.weights_resident);
  for (const Json& candidate : json.at("candidates"))
    stage.strategy.operators.push_back(operator_from(candidate));
  return stage;
}

}  // namespace

std::string to_json(const ExactCandidate& candidate) {
  Json stages = Json::array();
  for (const Stage& stage : candidate.stages) stages.push_back(stage_json(stage));
  return Json{{"level", to_string(candidate.level)}, {"stages", stages}}.dump();
}

ExactCandidate exact_candidate_from_json(const std::string& text) {
  try {
    const Json json = Json::parse(text);
    ExactCandidate candidate;
    candidate.level = enum_named(json.at("level").get<std::string>(),
                                 {CandidateLevel::stage, CandidateLevel::op, CandidateLevel::reslice});
    for (const Json& stage : json.at("stages")) candidate.stages.push_back(stage_from(stage));
    if (candidate.stages.size() != (candidate.level == CandidateLevel::reslice ? 2u : 1u))
      throw std::runtime_error("wrong number of stages in a candidate");
    return candidate;
  } catch (const nlohmann::json::exception& error) {
    throw std::runtime_error(std::string("not a candidate: ") + error.what());
  }
}

}  // namespace dfsim
