#include "planner/placement/constraints.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>

#include "planner/ops/operator.h"

namespace dfsim {

namespace {

constexpr std::int64_t kMost = 1'000'000;

void report_unknown(const YamlValue& value, const std::string& what, const std::string& name,
                    const std::vector<std::string>& known) {
  const std::string nearest = nearest_name(name, known);
  value.error(fmt::format("unknown {} '{}'", what, name),
              nearest.empty() ? fmt::format("known: {}", fmt::join(known, ", "))
                              : fmt::format("did you mean '{}'?", nearest));
}

class ConstraintReader {
 public:
  ConstraintReader(const YamlValue& cut, const std::vector<std::string>& processors)
      : cut_(cut.quiet()), processors_(processors) {}

  CutConstraints read() {
    result_.where = cut_.where();
    result_.max_crossing_tensors = integer("max_crossing_tensors", 0, result_.max_crossing_tensors);
    result_.min_operators = integer("min_operators", 1, result_.min_operators);
    result_.max_operators = integer("max_operators", 1, result_.max_operators);
    result_.max_subgraphs = integer("max_subgraphs", 2, result_.max_subgraphs);
    if (result_.min_operators > result_.max_operators)
      cut_["min_operators"].error(fmt::format("min_operators is {}, but max_operators is {}",
                                              result_.min_operators, result_.max_operators),
                                  "no sub-graph can have both sizes");
    for (const YamlValue& pattern : cut_["never_inside"].items()) read_pattern(pattern);
    for (const YamlValue& rule : cut_["pinned"].items()) read_rule(rule, true);
    for (const YamlValue& rule : cut_["allowed"].items()) read_rule(rule, false);
    for (const YamlValue& group : cut_["together"].items()) {
      TogetherRule rule{{}, group.where()};
      for (const YamlValue& name : group.items()) rule.operators.push_back(name.string());
      if (rule.operators.size() < 2) group.error("a group of less than two operators says nothing");
      result_.together.push_back(std::move(rule));
    }
    return std::move(result_);
  }

 private:
  std::uint32_t integer(const std::string& key, std::int64_t least, std::uint32_t fallback) {
    const YamlValue value = cut_[key];
    return value ? static_cast<std::uint32_t>(value.integer(least, kMost, least)) : fallback;
  }

  void read_pattern(const YamlValue& list) {
    CutPattern pattern{{}, list.where()};
    const std::vector<std::string> known = OperatorRegistry::instance().names();
    for (const YamlValue& item : list.items()) {
      const std::string kind = item.string();
      const std::string name = kind.substr(0, kind.find(':'));
      if (!name.empty() && !OperatorRegistry::instance().find(name))
        report_unknown(item, "kind of operator", name, known);
      pattern.kinds.push_back(kind);
    }
    if (list.is_list() && pattern.kinds.size() < 2)
      list.error("a pattern of less than two operators cannot be cut anyway",
                 "for example [matmul, softmax]");
    result_.never_inside.push_back(std::move(pattern));
  }

  void read_rule(const YamlValue& item, bool pinned) {
    ProcessorRule rule;
    rule.where = item.where();
    rule.pinned = pinned;
    rule.operators = item.require("operators").string();
    const YamlValue names = item.require(pinned ? "processor" : "processors");
    const std::vector<YamlValue> list = pinned ? std::vector<YamlValue>{names} : names.items_or_one();
    for (const YamlValue& name : list) {
      const std::string text = name.string();
      if (!text.empty() && std::find(processors_.begin(), processors_.end(), text) == processors_.end())
        report_unknown(name, "processor", text, processors_);
      rule.processors.push_back(text);
    }
    if (names.is_list() && rule.processors.empty()) names.error("an empty list allows nothing");
    result_.rules.push_back(std::move(rule));
  }

  YamlValue cut_;
  const std::vector<std::string>& processors_;
  CutConstraints result_;
};

}  // namespace

CutConstraints read_cut_constraints(const YamlValue& cut, const std::vector<std::string>& processors) {
  return ConstraintReader(cut, processors).read();
}

bool matches(const std::string& pattern, const std::string& name) {
  // Position after the last star and where it began to match, to come back to (greedy matching is enough).
  std::size_t p = 0, n = 0, star = std::string::npos, mark = 0;
  while (n < name.size()) {
    if (p < pattern.size() && pattern[p] == '*') {
      star = p++;
      mark = n;
    } else if (p < pattern.size() && pattern[p] == name[n]) {
      ++p, ++n;
    } else if (star != std::string::npos) {
      p = star + 1;
      n = ++mark;
    } else {
      return false;
    }
  }
  while (p < pattern.size() && pattern[p] == '*') ++p;
  return p == pattern.size();
}

}  // namespace dfsim
