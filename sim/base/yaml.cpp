#include "sim/base/yaml.h"

#include <fmt/format.h>

#include <charconv>
#include <cmath>
#include <limits>
#include <set>
#include <unordered_map>
#include <unordered_set>

namespace dfsim {
namespace {

const char* const kDefaultOrigin = "default";

template <class Number>
std::optional<Number> parse_number(const YamlNode& node) {
  Number value{};
  const char* const end = node.scalar.data() + node.scalar.size();
  const auto [stop, error] = std::from_chars(node.scalar.data(), end, value);
  if (node.quoted || error != std::errc() || stop != end) return std::nullopt;
  return value;
}

/// What stands there, for messages.
std::string describe(const YamlNode& node) {
  switch (node.kind) {
    case YamlNode::Kind::null:
      return "nothing";
    case YamlNode::Kind::scalar:
      return node.quoted ? fmt::format("the string \"{}\"", node.scalar) : fmt::format("'{}'", node.scalar);
    case YamlNode::Kind::list:
      return "a list";
    case YamlNode::Kind::mapping:
      return "a mapping";
  }
  return {};
}

template <class Number>
std::string describe_range(Number min, Number max) {
  const bool open_below = min == std::numeric_limits<Number>::lowest();
  const bool open_above = max == std::numeric_limits<Number>::max();
  if (open_below && open_above) return {};
  if (open_above) return fmt::format(" of at least {}", min);
  if (open_below) return fmt::format(" of at most {}", max);
  return fmt::format(" from {} to {}", min, max);
}

/// Puts a default into the tree unless something stands there. Missing mappings on the way are made.
void insert_default(YamlNode& root, const YamlPath& path, const YamlNode& value) {
  YamlNode* node = &root;
  for (const YamlStep& step : path) {
    if (const std::size_t* index = std::get_if<std::size_t>(&step)) {
      if (node->kind != YamlNode::Kind::list || *index >= node->items.size()) return;
      node = &node->items[*index];
      continue;
    }
    const std::string& key = std::get<std::string>(step);
    if (node->kind == YamlNode::Kind::null && node->where.file == kDefaultOrigin)
      node->kind = YamlNode::Kind::mapping;
    if (node->kind != YamlNode::Kind::mapping) return;
    if (!node->find(key)) {
      YamlNode fresh;
      fresh.where.file = kDefaultOrigin;
      node->entries.push_back({key, fresh.where, fresh});
    }
    node = node->find(key);
  }
  if (node->kind == YamlNode::Kind::null && node->where.file == kDefaultOrigin) *node = value;
}

}  // namespace

const YamlNode* YamlNode::find(const std::string& key) const {
  for (const YamlEntry& entry : entries)
    if (entry.key == key) return &entry.value;
  return nullptr;
}

YamlNode* YamlNode::find(const std::string& key) {
  return const_cast<YamlNode*>(static_cast<const YamlNode*>(this)->find(key));
}

std::string to_string(const YamlPath& path) {
  std::string text;
  for (const YamlStep& step : path) {
    if (const std::size_t* index = std::get_if<std::size_t>(&step))
      text += fmt::format("[{}]", *index);
    else
      text += (text.empty() ? "" : ".") + std::get<std::string>(step);
  }
  return text;
}

// ---------------------------------------------------------------- document

struct YamlDocument::State {
  YamlNode root;
  YamlOptions options;
  std::vector<std::string> files;
  Diagnostics& diagnostics;
  std::unordered_map<const YamlNode*, std::set<std::string>>
      asked;  ///< keys known by mapping; never iterated
  std::unordered_set<const YamlNode*> accepted;
  std::vector<std::pair<YamlPath, YamlNode>> defaults;

  void report_unknown(const YamlNode& mapping, const YamlEntry& entry, const YamlPath& path) const;
  void check(const YamlNode& node, const YamlPath& path) const;
};

YamlDocument::YamlDocument(YamlNode root, YamlOptions options, std::vector<std::string> files,
                           Diagnostics& diagnostics)
    : state_(new State{std::move(root), std::move(options), std::move(files), diagnostics, {}, {}, {}}) {}
YamlDocument::~YamlDocument() = default;
YamlDocument::YamlDocument(YamlDocument&&) noexcept = default;
YamlDocument& YamlDocument::operator=(YamlDocument&&) noexcept = default;

YamlValue YamlDocument::root() const { return {state_.get(), &state_->root, state_->root.where, {}}; }
void YamlDocument::finish() const { state_->check(state_->root, {}); }
const std::vector<std::string>& YamlDocument::files() const { return state_->files; }
std::string YamlDocument::resolved_text() const { return emit_yaml(resolved()); }
std::string YamlDocument::annotated_text() const { return emit_yaml(resolved(), true); }

YamlNode YamlDocument::resolved() const {
  YamlNode root = state_->root;
  for (const auto& [path, value] : state_->defaults) insert_default(root, path, value);
  return root;
}

void YamlDocument::State::check(const YamlNode& node, const YamlPath& path) const {
  if (accepted.count(&node)) return;
  YamlPath inner = path;
  inner.emplace_back();
  for (std::size_t i = 0; i < node.items.size(); ++i) {
    inner.back() = i;
    check(node.items[i], inner);
  }
  const auto known = asked.find(&node);
  for (const YamlEntry& entry : node.entries) {
    if (known == asked.end() || !known->second.count(entry.key)) {
      report_unknown(node, entry, path);
    } else {
      inner.back() = entry.key;
      check(entry.value, inner);
    }
  }
}

void YamlDocument::State::report_unknown(const YamlNode& mapping, const YamlEntry& entry,
                                         const YamlPath& path) const {
  std::vector<std::string> names;
  if (const auto known = asked.find(&mapping); known != asked.end())
    names.assign(known->second.begin(), known->second.end());
  std::vector<std::string> candidates = names;
  if (path.empty())  // an override may have meant a key of a scope
    for (const std::string& scope : options.override_scopes)
      if (const YamlNode* node = root.find(scope))
        for (const YamlEntry& inside : node->entries) candidates.push_back(inside.key);
  const std::string nearest = nearest_name(entry.key, candidates);
  std::string hint;
  if (!nearest.empty())
    hint = fmt::format("did you mean '{}'?", nearest);
  else if (!names.empty())
    hint = fmt::format("known here: {}", fmt::join(names, ", "));
  diagnostics.error(entry.where,
                    path.empty() ? fmt::format("unknown key '{}'", entry.key)
                                 : fmt::format("unknown key '{}' in '{}'", entry.key, to_string(path)),
                    hint);
}

// ---------------------------------------------------------------- values

YamlValue YamlValue::child(const YamlNode* node, YamlStep step) const {
  YamlValue result(state_, node, node ? node->where : where_, path_);
  result.path_.push_back(std::move(step));
  result.quiet_ = quiet_;
  return result;
}

YamlValue YamlValue::operator[](const std::string& key) const {
  if (node_ && node_->kind != YamlNode::Kind::mapping && !state_->accepted.count(node_))
    wrong("a mapping");
  else if (node_)
    state_->asked[node_].insert(key);
  return child(node_ ? node_->find(key) : nullptr, key);
}

YamlValue YamlValue::require(const std::string& key) const {
  YamlValue value = (*this)[key];
  if (is_mapping() && !value)
    error(path_.empty() ? fmt::format("missing key '{}'", key)
                        : fmt::format("missing key '{}' in '{}'", key, path()));
  return value;
}

std::vector<YamlNamedValue> YamlValue::entries() const {
  std::vector<YamlNamedValue> result;
  if (node_ && node_->kind != YamlNode::Kind::mapping) wrong("a mapping");
  if (!is_mapping()) return result;
  std::set<std::string>& asked = state_->asked[node_];
  for (const YamlEntry& entry : node_->entries) {
    asked.insert(entry.key);
    result.push_back({entry.key, entry.where, child(&entry.value, entry.key)});
  }
  return result;
}

std::vector<YamlValue> YamlValue::items() const {
  std::vector<YamlValue> result;
  if (node_ && node_->kind != YamlNode::Kind::list) wrong("a list");
  if (is_list())
    for (std::size_t i = 0; i < node_->items.size(); ++i) result.push_back(child(&node_->items[i], i));
  return result;
}

std::vector<YamlValue> YamlValue::items_or_one() const {
  if (is_scalar() || is_mapping()) return {*this};
  return items();
}

const YamlNode* YamlValue::scalar_node(const std::string& expected) const {
  if (!node_) return nullptr;
  if (node_->kind == YamlNode::Kind::scalar) return node_;
  wrong(expected);
  return nullptr;
}

std::int64_t YamlValue::integer(std::int64_t min, std::int64_t max, std::int64_t fallback) const {
  if (!node_) note_default(fmt::format("{}", fallback));
  const std::string expected = "an integer" + describe_range(min, max);
  const YamlNode* node = scalar_node(expected);
  if (!node) return fallback;
  const std::optional<std::int64_t> value = parse_number<std::int64_t>(*node);
  if (value && *value >= min && *value <= max) return *value;
  wrong(expected);
  return fallback;
}

double YamlValue::number(double min, double max, double fallback) const {
  if (!node_) note_default(fmt::format("{}", fallback));
  const std::string expected = "a number" + describe_range(min, max);
  const YamlNode* node = scalar_node(expected);
  if (!node) return fallback;
  const std::optional<double> value = parse_number<double>(*node);
  if (value && std::isfinite(*value) && *value >= min && *value <= max) return *value;
  wrong(expected);
  return fallback;
}

bool YamlValue::boolean(bool fallback) const {
  if (!node_) note_default(fallback ? "true" : "false");
  const YamlNode* node = scalar_node("true or false");
  if (!node) return fallback;
  if (!node->quoted && (node->scalar == "true" || node->scalar == "yes" || node->scalar == "on")) return true;
  if (!node->quoted && (node->scalar == "false" || node->scalar == "no" || node->scalar == "off"))
    return false;
  wrong("true or false");
  return fallback;
}

std::string YamlValue::string(const std::string& fallback) const {
  if (!node_ && !fallback.empty()) note_default(fallback);
  const YamlNode* node = scalar_node("a string");
  if (!node) return fallback;
  if (!node->scalar.empty()) return node->scalar;
  error(fmt::format("{}: expected a string, found an empty one", path()));
  return fallback;
}

std::string YamlValue::one_of(const std::vector<std::string>& names, const std::string& fallback) const {
  if (!node_ && !fallback.empty()) note_default(fallback);
  const std::string known = fmt::format("{}", fmt::join(names, ", "));
  const YamlNode* node = scalar_node("one of " + known);
  if (!node) return fallback;
  for (const std::string& name : names)
    if (node->scalar == name) return name;
  const std::string nearest = nearest_name(node->scalar, names);
  error(fmt::format("{}: unknown value '{}'", path(), node->scalar),
        nearest.empty() ? "known: " + known : fmt::format("did you mean '{}'? known: {}", nearest, known));
  return fallback;
}

void YamlValue::error(const std::string& what, const std::string& hint) const {
  state_->diagnostics.error(where_, what, hint);
}

void YamlValue::wrong(const std::string& expected) const {
  accept_all();  // one mistake, reported once
  error(fmt::format("{}: expected {}, found {}", path_.empty() ? "the file" : path(), expected,
                    describe(*node_)),
        node_->quoted && expected.find("string") == std::string::npos ? "leave out the quotes" : "");
}

YamlValue YamlValue::quiet() const {
  YamlValue copy = *this;
  copy.quiet_ = true;
  return copy;
}

void YamlValue::accept_all() const {
  if (node_) state_->accepted.insert(node_);
}

void YamlValue::note_default(const std::string& text) const {
  if (quiet_ || path_.empty()) return;
  YamlNode value;
  value.kind = YamlNode::Kind::scalar;
  value.scalar = text;
  value.where.file = kDefaultOrigin;
  state_->defaults.emplace_back(path_, std::move(value));
}

}  // namespace dfsim
