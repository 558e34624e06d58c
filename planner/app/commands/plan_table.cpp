// planner/app/commands/plan_table.cpp: `dfsim plan --price-table`.
#include <fmt/format.h>

#include <cmath>
#include <cstdio>
#include <nlohmann/json.hpp>

#include "planner/app/commands/plan.h"
#include "planner/app/exit_codes.h"
#include "planner/inter_stage/optimizer.h"
#include "planner/price_table/price_table.h"
#include "sim/base/errors.h"
#include "sim/base/files.h"

namespace dfsim {

namespace {

using Json = nlohmann::ordered_json;

std::string goal_text(const PlanAim& aim) {
  switch (aim.kind) {
    case Aim::interval:
      return "interval";
    case Aim::latency:
      return "latency";
    case Aim::makespan:
      return fmt::format("makespan of {} micro-batches", aim.micro_batches);
    case Aim::pes:
      break;
  }
  return fmt::format("fewest PEs, every stage within {}", aim.time_limit);
}

/// Whole numbers as such.
Json number(double value) {
  if (std::floor(value) == value && std::fabs(value) < 1e15) return static_cast<std::int64_t>(value);
  return value;
}

double time_of(const PriceTable& table, const PlacedGroup& group) {
  return table.price(group.from, group.to, {group.box.width, group.box.height, 1}).period_cycles;
}

Json json_of(const PriceTable& table, const FoundPlan& found, bool optimal, const PlanOptions& options) {
  Json stages = Json::array(), steps = Json::array();
  for (const PlacedGroup& group : found.groups) {
    Json stage = {{"layers", {group.from, group.to - 1}}, {"pes", group.box.size()}};
    if (table.mesh) stage["rect"] = {group.box.x, group.box.y, group.box.width, group.box.height};
    stage["time"] = number(time_of(table, group));
    stages.push_back(stage);
  }
  for (const SearchStep& step : found.log)
    steps.push_back({{"priced", step.priced}, {"value", number(step.value)}});
  Json json = {{"version", 1}, {"prices", "table"}, {"optimizer", options.optimizer}, {"seed", options.seed}};
  json["goal"] = table.aim.kind == Aim::interval  ? Json("interval")
                 : table.aim.kind == Aim::latency ? Json("latency")
                 : table.aim.kind == Aim::pes     ? Json("pes")
                                                  : Json{{"makespan", table.aim.micro_batches}};
  json["value"] = number(found.score.value(table.aim));
  json["stages"] = stages;
  json["optimal"] = optimal;
  json["bound"] = number(found.bound);
  json["priced_plans"] = found.priced;
  json["convergence"] = steps;
  return json;
}

std::string text_of(const PriceTable& table, const FoundPlan& found, bool optimal) {
  std::string text = fmt::format("prices       table\ngoal         {}\nvalue        {}\noptimal      {}\n",
                                 goal_text(table.aim), found.score.value(table.aim),
                                 optimal ? "yes" : fmt::format("not proved: the bound is {}", found.bound));
  for (std::size_t i = 0; i < found.groups.size(); ++i) {
    const PlacedGroup& group = found.groups[i];
    const std::string place =
        table.mesh ? fmt::format("{} x {} PEs at ({}, {})", group.box.width, group.box.height, group.box.x,
                                 group.box.y)
                   : fmt::format("{} PE{}", group.box.size(), group.box.size() == 1 ? "" : "s");
    text += fmt::format("{} layers {} to {} on {}, time {}\n", i == 0 ? "stages      " : "            ",
                        group.from, group.to - 1, place, time_of(table, group));
  }
  if (found.priced > 0) text += fmt::format("plans priced {}\n", found.priced);
  return text;
}

void refuse_what_takes_no_part(const PlanOptions& options) {
  if (!options.config.empty() || !options.model.empty())
    throw InputError({{{"--price-table", 0, 0},
                       "a table of prices takes the place of a hardware description and a model",
                       "leave out --config and --model, or --price-table"}});
}

}  // namespace

int plan_from_table(const PlanOptions& options) {
  refuse_what_takes_no_part(options);
  check_optimizer(options.optimizer);
  const SearchSettings settings = search_settings(options);
  const PriceTable table = read_price_table(options.price_table);
  const PlanSpace space = table.space();
  Rng rng(options.seed);
  const auto found = InterStageRegistry::instance().make(options.optimizer)->search(space, settings, rng);
  if (!found) throw CommandFailure(kNothingFits, "no plan fits: " + found.reason().to_string());
  const bool optimal = found->exact || found->score.value(table.aim) <= found->bound;
  save_policy(options, found->policy);
  std::fputs((options.json ? json_of(table, *found, optimal, options).dump(1) + "\n"
                           : text_of(table, *found, optimal))
                 .c_str(),
             stdout);
  return kOk;
}

}  // namespace dfsim
