#include "sim/base/yaml_parse.h"

#include <fmt/format.h>
#include <yaml-cpp/eventhandler.h>
#include <yaml-cpp/exceptions.h>
#include <yaml-cpp/parser.h>

#include <algorithm>
#include <map>
#include <sstream>
#include <utility>

namespace dfsim {
namespace {

constexpr std::size_t kMaxDepth = 100;  // no sensible input nests deeper; bounds the recursion over the tree

/// Ends the parsing; the mistake has been reported.
struct Stop {};

std::size_t count_nodes(const YamlNode& node) {
  std::size_t count = 1;
  for (const YamlNode& item : node.items) count += count_nodes(item);
  for (const YamlEntry& entry : node.entries) count += count_nodes(entry.value);
  return count;
}

std::size_t depth_of(const YamlNode& node) {
  std::size_t depth = 0;
  for (const YamlNode& item : node.items) depth = std::max(depth, depth_of(item));
  for (const YamlEntry& entry : node.entries) depth = std::max(depth, depth_of(entry.value));
  return depth + 1;
}

/// Builds the tree from the parser's events. A stack holds the containers that are still open.
class TreeBuilder : public YAML::EventHandler {
 public:
  TreeBuilder(const std::string& file, std::size_t max_nodes, Diagnostics& diagnostics)
      : file_(file), max_nodes_(max_nodes), diagnostics_(diagnostics) {}

  YamlNode take() { return std::move(root_); }

  void OnDocumentStart(const YAML::Mark&) override {}
  void OnDocumentEnd() override {}
  void OnNull(const YAML::Mark& mark, YAML::anchor_t anchor) override { add(make(mark), anchor); }
  void OnAlias(const YAML::Mark& mark, YAML::anchor_t anchor) override {
    const auto it = anchored_.find(anchor);
    if (it == anchored_.end()) {
      diagnostics_.error(at(mark), "this alias stands inside the value that it refers to");
      throw Stop{};
    }
    count(count_nodes(it->second), mark);
    if (open_.size() + depth_of(it->second) > kMaxDepth) too_deep(mark);
    place(it->second, at(mark));
  }
  void OnScalar(const YAML::Mark& mark, const std::string& tag, YAML::anchor_t anchor,
                const std::string& value) override {
    YamlNode node = make(mark);
    node.kind = YamlNode::Kind::scalar;
    node.scalar = value;
    node.quoted = tag == "!";
    if (tag == "!include")
      node.include = value;
    else
      check_tag(mark, tag);
    add(std::move(node), anchor);
  }
  void OnSequenceStart(const YAML::Mark& mark, const std::string& tag, YAML::anchor_t anchor,
                       YAML::EmitterStyle::value) override {
    check_tag(mark, tag);
    start(mark, YamlNode::Kind::list, anchor);
  }
  void OnSequenceEnd() override { end(); }
  void OnMapStart(const YAML::Mark& mark, const std::string& tag, YAML::anchor_t anchor,
                  YAML::EmitterStyle::value) override {
    check_tag(mark, tag);
    start(mark, YamlNode::Kind::mapping, anchor);
  }
  void OnMapEnd() override { end(); }

 private:
  struct Open {
    YamlNode node;
    YAML::anchor_t anchor = 0;
    bool has_key = false;  ///< of a mapping: `key` is read, its value comes next
    std::string key;
    SourceLocation key_where;
    std::map<std::string, std::size_t> index;  ///< of a mapping: key to index in node.entries
  };

  SourceLocation at(const YAML::Mark& mark) const { return {file_, mark.line + 1, mark.column + 1}; }
  YamlNode make(const YAML::Mark& mark) const {
    YamlNode node;
    node.where = at(mark);
    return node;
  }
  void check_tag(const YAML::Mark& mark, const std::string& tag) {
    if (!tag.empty() && tag != "?" && tag != "!" && tag.rfind("tag:yaml.org,2002:", 0) != 0)
      diagnostics_.error(at(mark), fmt::format("unknown tag '{}'", tag), "known: !include file.yaml");
  }
  void count(std::size_t nodes, const YAML::Mark& mark) {
    nodes_ += nodes;
    if (nodes_ <= max_nodes_) return;
    diagnostics_.error(
        at(mark), fmt::format("more than {} values once aliases are expanded", max_nodes_),
        "an alias of an alias of an alias grows without need; write the values out or fewer of them");
    throw Stop{};
  }
  void too_deep(const YAML::Mark& mark) {
    diagnostics_.error(at(mark), fmt::format("nested more than {} levels deep", kMaxDepth));
    throw Stop{};
  }
  void start(const YAML::Mark& mark, YamlNode::Kind kind, YAML::anchor_t anchor) {
    if (open_.size() + 1 > kMaxDepth) too_deep(mark);
    count(1, mark);
    Open open;
    open.node = make(mark);
    open.node.kind = kind;
    open.anchor = anchor;
    open_.push_back(std::move(open));
  }
  void end() {
    Open open = std::move(open_.back());
    open_.pop_back();
    if (open.anchor) anchored_[open.anchor] = open.node;
    const SourceLocation where = open.node.where;
    place(std::move(open.node), where);
  }
  void add(YamlNode node, YAML::anchor_t anchor) {
    ++nodes_;
    if (anchor) anchored_[anchor] = node;
    const SourceLocation where = node.where;
    place(std::move(node), where);
  }
  /// Puts a finished node, which stands at `where`, into the innermost open container.
  void place(YamlNode node, const SourceLocation& where) {
    if (open_.empty()) {
      root_ = std::move(node);
      return;
    }
    Open& parent = open_.back();
    if (parent.node.kind == YamlNode::Kind::list) {
      parent.node.items.push_back(std::move(node));
    } else if (!parent.has_key) {
      take_key(parent, node, where);
    } else {
      parent.has_key = false;
      const auto [it, fresh] = parent.index.emplace(parent.key, parent.node.entries.size());
      if (fresh) {
        parent.node.entries.push_back({parent.key, parent.key_where, std::move(node)});
      } else {
        const SourceLocation& first = parent.node.entries[it->second].where;
        diagnostics_.error(parent.key_where, fmt::format("duplicate key '{}'", parent.key),
                           fmt::format("first given at {}:{}:{}", first.file, first.line, first.column));
      }
    }
  }
  void take_key(Open& parent, const YamlNode& node, const SourceLocation& where) {
    if (node.kind != YamlNode::Kind::scalar) {
      diagnostics_.error(where, "a key must be a plain name");
      throw Stop{};
    }
    if (node.scalar == "<<" && !node.quoted)
      diagnostics_.error(where, "the merge key '<<' is not supported", "use 'extends: file.yaml'");
    parent.has_key = true;
    parent.key = node.scalar;
    parent.key_where = where;
  }

  std::string file_;
  std::size_t max_nodes_;
  Diagnostics& diagnostics_;
  std::size_t nodes_ = 0;
  std::vector<Open> open_;
  std::map<YAML::anchor_t, YamlNode> anchored_;
  YamlNode root_;
};

}  // namespace

YamlNode parse_yaml(const std::string& text, const std::string& file, std::size_t max_nodes,
                    Diagnostics& diagnostics) {
  TreeBuilder builder(file, max_nodes, diagnostics);
  if (const std::size_t nul = text.find('\0'); nul != std::string::npos) {
    diagnostics.error({file, 1, 1}, fmt::format("not a text file: zero byte at offset {}", nul));
    return builder.take();
  }
  // yaml-cpp lets a quote that is never closed end with the last line feed; without it, it reports the quote.
  std::istringstream in(text.substr(0, text.find_last_not_of(" \r\n") + 1));
  try {
    YAML::Parser parser(in);
    if (parser.HandleNextDocument(builder)) {
      YamlNode root = builder.take();
      TreeBuilder second(file, max_nodes, diagnostics);
      if (parser.HandleNextDocument(second))
        diagnostics.error(second.take().where, "more than one YAML document in the file");
      return root;
    }
  } catch (const Stop&) {
  } catch (const YAML::Exception& e) {
    diagnostics.error({file, std::max(e.mark.line, 0) + 1, std::max(e.mark.column, 0) + 1},
                      "YAML syntax: " + e.msg);
  }
  return builder.take();
}

}  // namespace dfsim
