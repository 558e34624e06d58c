#include "planner/placement/cut_rules.h"

#include <fmt/format.h>

#include <algorithm>

namespace dfsim {

namespace {

std::string place(const SourceLocation& where) {
  return fmt::format("{}:{}:{}", where.file, where.line, where.column);
}

/// Goes over rules and operators and says what cannot be.
class RuleCheck {
 public:
  RuleCheck(const Graph& graph, const CutConstraints& constraints, const std::vector<std::string>& processors,
            const OperatorSupport& support)
      : graph_(graph), constraints_(constraints), processors_(processors), support_(support) {}

  std::vector<std::vector<std::string>> run() {
    check_names();
    std::vector<std::vector<std::string>> reasons;
    for (std::uint32_t i = 0; i < graph_.operators().size(); ++i) reasons.push_back(reasons_of(OpId(i)));
    found_.throw_if_any<ModelError>();
    return reasons;
  }

 private:
  void check_names() {
    const auto matches_some = [&](const std::string& pattern) {
      return std::any_of(graph_.operators().begin(), graph_.operators().end(),
                         [&](const Operator& op) { return matches(pattern, op.name); });
    };
    std::vector<std::string> known;
    for (const Operator& op : graph_.operators()) known.push_back(op.name);
    const auto check = [&](const std::string& pattern, const SourceLocation& where) {
      if (matches_some(pattern)) return;
      const std::string nearest = nearest_name(pattern, known);
      found_.error(where, fmt::format("no operator of '{}' is called '{}'", graph_.name, pattern),
                   nearest.empty() ? "" : fmt::format("did you mean '{}'?", nearest));
    };
    for (const ProcessorRule& rule : constraints_.rules) check(rule.operators, rule.where);
    for (const TogetherRule& rule : constraints_.together)
      for (const std::string& pattern : rule.operators) check(pattern, rule.where);
  }

  std::vector<std::string> reasons_of(OpId id) {
    const Operator& op = graph_.op(id);
    std::vector<std::string> reasons(processors_.size());
    for (std::size_t p = 0; p < processors_.size(); ++p) reasons[p] = support_(p, id);
    if (none_left(reasons)) {
      if (!said_unsupported_)
        found_.error(op.where,
                     fmt::format("no processor can run {} '{}': {}", op.kind, op.name, join(reasons)),
                     "add a processor that supports it");
      said_unsupported_ = true;
      return reasons;
    }
    const ProcessorRule* last = nullptr;
    for (const ProcessorRule& rule : constraints_.rules) {
      if (!matches(rule.operators, op.name)) continue;
      for (std::size_t p = 0; p < processors_.size(); ++p)
        if (reasons[p].empty() && std::find(rule.processors.begin(), rule.processors.end(), processors_[p]) ==
                                      rule.processors.end())
          reasons[p] = fmt::format("'{}' is {} elsewhere at {}", op.name, rule.pinned ? "pinned" : "allowed",
                                   place(rule.where));
      if (none_left(reasons)) {
        report(rule, last, op, reasons);
        return reasons;
      }
      last = &rule;
    }
    return reasons;
  }

  void report(const ProcessorRule& rule, const ProcessorRule* before, const Operator& op,
              const std::vector<std::string>& reasons) {
    if (std::find(said_.begin(), said_.end(), &rule) != said_.end()) return;
    said_.push_back(&rule);
    found_.error(rule.where,
                 fmt::format("this leaves no processor for {} '{}': {}", op.kind, op.name, join(reasons)),
                 before ? fmt::format("it contradicts the rule at {}", place(before->where))
                        : "let it run on a processor that supports it");
  }

  static bool none_left(const std::vector<std::string>& reasons) {
    return std::none_of(reasons.begin(), reasons.end(), [](const std::string& r) { return r.empty(); });
  }
  std::string join(const std::vector<std::string>& reasons) const {
    std::string text;
    for (std::size_t p = 0; p < reasons.size(); ++p)
      text += fmt::format("{}{}: {}", p ? "; " : "", processors_[p], reasons[p]);
    return text;
  }

  const Graph& graph_;
  const CutConstraints& constraints_;
  const std::vector<std::string>& processors_;
  const OperatorSupport& support_;
  Diagnostics found_;
  bool said_unsupported_ = false;
  std::vector<const ProcessorRule*> said_;
};

}  // namespace

AllowedProcessors AllowedProcessors::of(const Graph& graph, const CutConstraints& constraints,
                                        const std::vector<std::string>& processors,
                                        const OperatorSupport& support) {
  AllowedProcessors result;
  result.reasons_ = RuleCheck(graph, constraints, processors, support).run();
  result.forbidden_.assign(processors.size(), std::vector<std::uint32_t>(result.reasons_.size() + 1, 0));
  for (std::size_t p = 0; p < processors.size(); ++p)
    for (std::size_t i = 0; i < result.reasons_.size(); ++i)
      result.forbidden_[p][i + 1] = result.forbidden_[p][i] + !result.reasons_[i][p].empty();
  return result;
}

AllowedProcessors AllowedProcessors::everywhere(const Graph& graph) {
  AllowedProcessors result;
  result.reasons_.assign(graph.operators().size(), {""});
  result.forbidden_.assign(1, std::vector<std::uint32_t>(graph.operators().size() + 1, 0));
  return result;
}

bool AllowedProcessors::share_one(std::size_t begin, std::size_t end) const {
  return std::any_of(forbidden_.begin(), forbidden_.end(),
                     [&](const auto& before) { return before[begin] == before[end]; });
}

std::vector<std::string> AllowedProcessors::refusals(std::size_t begin, std::size_t end) const {
  std::vector<std::string> result(forbidden_.size());
  for (std::size_t p = 0; p < result.size(); ++p)
    for (std::size_t i = begin; i < end && result[p].empty(); ++i) result[p] = reasons_[i][p];
  return result;
}

}  // namespace dfsim
