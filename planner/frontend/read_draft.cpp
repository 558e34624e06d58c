// planner/frontend/read_draft.cpp: the keys of a model file; repeats are expanded here.
#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <memory>
#include <optional>

#include "planner/frontend/draft.h"
#include "planner/frontend/expression.h"

namespace dfsim {

namespace {

bool is_identifier(const std::string& text) {
  return !text.empty() && !std::isdigit(static_cast<unsigned char>(text[0])) &&
         std::all_of(text.begin(), text.end(), [](unsigned char c) { return std::isalnum(c) || c == '_'; });
}

bool is_name(const std::string& text) {
  return !text.empty() && std::all_of(text.begin(), text.end(), [](unsigned char c) {
    return std::isalnum(c) || c == '_' || c == '.' || c == '-' || c == '/';
  });
}

class DraftReader {
 public:
  DraftReader(const YamlValue& root, Mistakes& mistakes) : root_(root), mistakes_(mistakes) {}

  Draft read(const std::string& default_name) {
    draft_.name = root_["name"].string(default_name);
    draft_.type = root_["data_type"].choice(data_types(), DataType::fp16);
    read_dimensions();
    for (const YamlValue& input : root_.require("inputs").items()) read_input(input);
    for (const YamlValue& output : root_.require("outputs").items_or_one())
      if (auto name = read_name(output.quiet(), "")) draft_.outputs.push_back(*name);
    draft_.scopes.emplace_back();
    read_operators(root_.require("operators"), 0);
    root_["subgraph"].accept_all();  // what a placement notes in the files of its sub-graphs
    return std::move(draft_);
  }

 private:
  /// Reports what is wrong with a value that is not one by its type alone.
  void complain(const YamlValue& value, const std::string& what, const std::string& hint = {}) {
    mistakes_.report(value.where(), what, fmt::format("{}: {}", value.path(), what), hint);
  }

  std::optional<std::int64_t> read_integer(const YamlValue& value, std::int64_t min, std::int64_t max) {
    if (!value.is_scalar()) {
      value.integer(min, max);  // says what was expected
      return std::nullopt;
    }
    const auto result = evaluate(value.node()->scalar, names_);
    if (!result) {
      complain(value, result.reason().what);
      return std::nullopt;
    }
    if (*result >= min && *result <= max) return *result;
    complain(value, fmt::format("{} is out of range, {} to {}", *result, min, max));
    return std::nullopt;
  }

  std::optional<DraftName> read_name(const YamlValue& value, const std::string& prefix) {
    const std::string written = value.string();
    if (written.empty()) return std::nullopt;  // reported
    const auto text = interpolate(written, names_);
    if (!text) {
      complain(value, text.reason().what);
      return std::nullopt;
    }
    if (!is_name(*text)) {
      complain(value, fmt::format("'{}' is no name", *text), "letters, digits and _ . - / make a name");
      return std::nullopt;
    }
    return DraftName{prefix + *text, value.where()};
  }

  std::vector<DraftName> read_names(const YamlValue& list, const std::string& prefix, bool& sound) {
    std::vector<DraftName> result;
    if (!list) return result;
    if (!list.is_list() && !list.is_scalar()) sound = false;
    for (const YamlValue& item : list.items_or_one()) {
      if (auto name = read_name(item, prefix))
        result.push_back(*name);
      else
        sound = false;
    }
    return result;
  }

  void read_dimensions() {
    const YamlValue dimensions = root_["dimensions"].quiet();
    std::map<std::string, SourceLocation> where;
    for (const YamlNamedValue& entry : dimensions.entries()) {
      if (!is_identifier(entry.key))
        mistakes_.report(entry.where, "dimension", fmt::format("'{}' is no name of a dimension", entry.key),
                         "letters, digits and _ make a name; it does not begin with a digit");
      // A wrong one still gets a value, so that what uses it is not reported too.
      const auto value = read_integer(entry.value, 1, kMaxExtent);
      draft_.sizes_known &= value.has_value();
      names_[entry.key] = value.value_or(1);
      where[entry.key] = entry.value.where();
    }
    for (const YamlNamedValue& limit : root_["limits"].quiet().entries()) {
      const auto most = read_integer(limit.value, 1, kMaxExtent);
      const auto it = names_.find(limit.key);
      if (it == names_.end())
        mistakes_.report(limit.where, "limit", fmt::format("limits: unknown dimension '{}'", limit.key));
      else if (most && it->second > *most)
        mistakes_.report(where[limit.key], "limit",
                         fmt::format("dimension '{}' is {}, at most {} makes sense for this model", limit.key,
                                     it->second, *most));
    }
  }

  void read_input(const YamlValue& input) {
    DraftInput result;
    const auto name = read_name(input.require("name"), "");
    result.type = input.quiet()["type"].choice(data_types(), draft_.type);
    const YamlValue shape = input.require("shape");
    result.sound = shape.present() && !shape.items_or_one().empty();
    for (const YamlValue& extent : shape.items_or_one()) {
      const auto value = read_integer(extent, 1, kMaxExtent);
      result.sound &= value.has_value();
      result.shape.push_back(static_cast<std::uint32_t>(value.value_or(1)));
    }
    if (!name) return;
    if (shape.is_list() && result.shape.empty()) complain(shape, "an empty list is no shape");
    result.name = *name;
    draft_.inputs.push_back(std::move(result));
  }

  void read_operators(const YamlValue& list, std::size_t scope) {
    if (list.is_list() && list.node()->items.empty())
      mistakes_.report(list.where(), "empty", fmt::format("{}: no operators", list.path()));
    for (const YamlValue& item : list.items()) {
      if (full_) return;
      if (item.is_mapping() && item.node()->find("repeat"))
        read_repeat(item["repeat"].quiet(), scope);
      else
        read_operator(item.quiet(), scope);
    }
  }

  bool over_budget(std::size_t count, const SourceLocation& where) {
    if (count <= kMaxOperators) return false;
    if (!full_)
      mistakes_.report(where, "budget",
                       fmt::format("more than {} operators after expanding repeats", kMaxOperators));
    draft_.complete = false;
    return full_ = true;
  }

  void read_operator(const YamlValue& item, std::size_t scope) {
    if (over_budget(++operators_, item.where())) return;
    DraftOperator op;
    op.where = item.where();
    op.scope = scope;
    const std::string prefix = draft_.scopes[scope].prefix;
    const auto name = read_name(item.require("name"), prefix);
    op.kind = item.require("kind").string();
    op.inputs = read_names(item.require("inputs"), "", op.sound);
    op.outputs = read_names(item["outputs"], prefix, op.sound);
    op.after = read_names(item["after"], "", op.sound);
    op.name = name ? name->text : "?";
    const auto* entry = OperatorRegistry::instance().find(op.kind);
    if (!item.is_mapping() || op.kind.empty() || !entry) {
      if (!op.kind.empty()) report_unknown_kind(item["kind"], op.kind);
      item.accept_all();  // nobody knows its attributes
      op.sound = false;
    } else {
      const std::unique_ptr<OperatorKind> kind = entry->make();
      read_attributes(item, *kind, op);
      check_input_count(*kind, op);
    }
    if (name) draft_.operators.push_back(std::move(op));
  }

  void report_unknown_kind(const YamlValue& kind, const std::string& name) {
    const std::vector<std::string> known = OperatorRegistry::instance().names();
    const std::string nearest = nearest_name(name, known);
    mistakes_.report(kind.where(), "kind", fmt::format("unknown kind of operator '{}'", name),
                     nearest.empty() ? fmt::format("known: {}", fmt::join(known, ", "))
                                     : fmt::format("did you mean '{}'?", nearest));
  }

  void check_input_count(const OperatorKind& kind, DraftOperator& op) {
    const auto [least, most] = kind.input_count();
    if (!op.sound || (op.inputs.size() >= least && op.inputs.size() <= most)) return;
    op.sound = false;
    const std::string wanted =
        least == most ? fmt::format("{}", least) : fmt::format("{} to {}", least, most);
    mistakes_.report(op.where, "input count",
                     fmt::format("{} '{}' takes {} input{}, not {}", op.kind, op.name, wanted,
                                 most == 1 ? "" : "s", op.inputs.size()));
  }

  void read_attributes(const YamlValue& item, const OperatorKind& kind, DraftOperator& op) {
    for (const AttributeSpec& spec : kind.attributes()) {
      const YamlValue value = spec.required ? item.require(spec.name) : item[spec.name];
      if (!value) {
        op.sound &= !spec.required;
        continue;
      }
      if (auto attribute = read_attribute(value, spec))
        op.attributes.emplace(spec.name, std::move(*attribute));
      else
        op.sound = false;
    }
  }

  std::optional<Attribute> read_attribute(const YamlValue& value, const AttributeSpec& spec) {
    constexpr auto kMost = static_cast<std::int64_t>(kMaxExtent);
    switch (spec.type) {
      case AttributeType::boolean:
        return Attribute{value.boolean()};
      case AttributeType::number:
        return Attribute{value.number(-1e30, 1e30, 1)};
      case AttributeType::text:
        return Attribute{spec.choices.empty() ? value.string() : value.one_of(spec.choices, spec.choices[0])};
      case AttributeType::integer:
        if (const auto integer = read_integer(value, -kMost, kMost)) return Attribute{*integer};
        return std::nullopt;
      case AttributeType::integers:
        break;
    }
    std::vector<std::int64_t> list;
    for (const YamlValue& item : value.items_or_one()) {
      const auto integer = read_integer(item, -kMost, kMost);
      if (!integer) return std::nullopt;
      list.push_back(*integer);
    }
    if (list.empty()) {
      if (value.is_list()) complain(value, "an empty list means nothing here");
      return std::nullopt;
    }
    return Attribute{std::move(list)};
  }

  struct Carry {
    std::string name, first, next;
  };

  std::vector<Carry> read_carries(const YamlValue& repeat, const std::string& name) {
    std::vector<Carry> result;
    const YamlValue list = repeat["carry"];
    for (const YamlNamedValue& entry : list.entries()) {
      const auto first = read_name(entry.value.require("first"), "");
      const auto next = read_name(entry.value.require("next"), "");
      if (first && next) result.push_back({entry.key, first->text, next->text});
    }
    if (list && name.empty())
      mistakes_.report(list.where(), "carry", "carry needs a repeat with a name",
                       "what is carried out of a repeat 'layer' is called layer.<tensor>");
    return result;
  }

  /// Each iteration is a scope of its own. With a name, what is made in it is called name_0.op, name_1.op ...
  void read_repeat(const YamlValue& repeat, std::size_t parent) {
    const auto times = read_integer(repeat.require("times"), 1, kMaxOperators);
    const YamlValue index_value = repeat["index"];
    const std::string index = index_value.string("i");
    const YamlValue name_value = repeat["name"];
    std::string name;
    if (name_value)
      if (const auto read = read_name(name_value, "")) name = read->text;
    const std::vector<Carry> carries = read_carries(repeat, name);
    const YamlValue body = repeat.require("operators");
    if (!is_identifier(index) || names_.count(index)) {
      mistakes_.report(index_value.where(), "index",
                       names_.count(index)
                           ? fmt::format("the index '{}' is already the name of a dimension", index)
                           : fmt::format("'{}' is no name of an index", index));
      body.accept_all();
      return;
    }
    std::size_t last = parent;
    for (std::int64_t i = 0; i < times.value_or(1) && !full_; ++i) {
      if (over_budget(++iterations_, repeat.where())) break;
      Scope scope{parent, draft_.scopes[parent].prefix, {}};
      if (!name.empty()) scope.prefix += fmt::format("{}_{}.", name, i);
      for (const Carry& carry : carries)
        scope.carried[carry.name] = i == 0 ? Alias{carry.first, parent} : Alias{carry.next, last};
      last = draft_.scopes.size();
      draft_.scopes.push_back(std::move(scope));
      names_[index] = i;
      read_operators(body, last);
    }
    names_.erase(index);
    for (const Carry& carry : carries)
      if (!draft_.aliases
               .emplace(fmt::format("{}{}.{}", draft_.scopes[parent].prefix, name, carry.name),
                        Alias{carry.next, last})
               .second)
        mistakes_.report(repeat.where(), "carry", fmt::format("two repeats are called '{}'", name));
  }

  const YamlValue& root_;
  Mistakes& mistakes_;
  DimensionNames names_;  ///< dimensions, and the indices of the repeats around
  Draft draft_;
  std::size_t operators_ = 0;   ///< read, also those that are wrong
  std::size_t iterations_ = 0;  ///< of all repeats
  bool full_ = false;           ///< too many operators: reported, nothing more is expanded
};

}  // namespace

Draft read_draft(const YamlValue& root, const std::string& default_name, Mistakes& mistakes) {
  return DraftReader(root, mistakes).read(default_name);
}

}  // namespace dfsim
