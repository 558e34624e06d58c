// Fragments and overrides: from a file name to the merged tree.
#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <filesystem>
#include <map>
#include <utility>

#include "sim/base/files.h"
#include "sim/base/yaml.h"
#include "sim/base/yaml_parse.h"

namespace dfsim {
namespace {

namespace fs = std::filesystem;

constexpr std::size_t kMaxFragmentDepth = 20;  // fragments inside fragments
constexpr std::size_t kMaxFragments = 1000;    // in all; with the limit on values this bounds time and memory

std::string folder_of(const std::string& file) { return fs::path(file).parent_path().string(); }

/// `name` as written in a file of `folder`; absolute names stay.
std::string join(const std::string& folder, const std::string& name) {
  return (fs::path(folder) / name).lexically_normal().string();
}

bool is_file_name(const YamlNode& node) {
  if (node.kind != YamlNode::Kind::scalar) return false;
  const std::string extension = fs::path(node.scalar).extension().string();
  return extension == ".yaml" || extension == ".yml";
}

std::size_t count_nodes(const YamlNode& node) {
  std::size_t count = 1;
  for (const YamlNode& item : node.items) count += count_nodes(item);
  for (const YamlEntry& entry : node.entries) count += count_nodes(entry.value);
  return count;
}

void relocate(YamlNode& node, const SourceLocation& where) {
  node.where = where;
  for (YamlNode& item : node.items) relocate(item, where);
  for (YamlEntry& entry : node.entries) {
    entry.where = where;
    relocate(entry.value, where);
  }
}

/// Steps of "noc.dims[1]" or of a pattern with [*]; nullopt if it is not of that form. [*] is the step "*".
std::optional<YamlPath> parse_path(const std::string& text) {
  YamlPath path;
  std::size_t at = 0;
  while (at < text.size()) {
    if (text[at] == '[') {
      const std::size_t close = text.find(']', at);
      if (path.empty() || close == std::string::npos) return std::nullopt;
      const std::string inside = text.substr(at + 1, close - at - 1);
      std::size_t index = 0;
      const auto [end, error] = std::from_chars(inside.data(), inside.data() + inside.size(), index);
      if (inside == "*")
        path.emplace_back("*");
      else if (error == std::errc() && end == inside.data() + inside.size())
        path.emplace_back(index);
      else
        return std::nullopt;
      at = close + 1;
      if (at < text.size() && text[at] != '.' && text[at] != '[') return std::nullopt;
    } else {
      if (text[at] == '.' && !path.empty()) ++at;
      const std::size_t end = std::min(text.find_first_of(".[", at), text.size());
      if (end == at) return std::nullopt;
      path.emplace_back(text.substr(at, end - at));
      at = end;
    }
  }
  if (path.empty() || text.back() == '.') return std::nullopt;
  return path;
}

class Loader {
 public:
  Loader(const YamlOptions& options, Diagnostics& diagnostics)
      : options_(options), diagnostics_(diagnostics), mistakes_before_(diagnostics.list().size()) {}

  YamlNode load_main(const std::string& path) {
    main_folder_ = folder_of(path);
    return finish_tree(load_file(path, std::nullopt));
  }
  YamlNode load_main_text(const std::string& text, const std::string& file) {
    main_folder_ = folder_of(file);
    files_.push_back(file);
    return finish_tree(parse_and_expand(text, file));
  }
  std::vector<std::string> files() { return std::move(files_); }

 private:
  YamlNode finish_tree(YamlNode root) {
    if (diagnostics_.list().size() != mistakes_before_) return root;
    if (root.kind != YamlNode::Kind::mapping) {
      const std::string found =
          root.kind == YamlNode::Kind::null ? "the file is empty" : "expected a mapping";
      const SourceLocation start{files_.front(), 1, 1};
      diagnostics_.error(root.where.line > 0 ? root.where : start, found + " at the top level",
                         "write 'key: value' lines");
      root.kind = YamlNode::Kind::mapping;
      return root;
    }
    resolve_file_paths(root);
    for (const std::string& text : options_.overrides) {
      apply_override(root, text);
      resolve_file_paths(root);
    }
    return root;
  }

  /// The expanded tree of a file; `named_at` is where another file names it.
  YamlNode load_file(const std::string& path, const std::optional<SourceLocation>& named_at) {
    const SourceLocation where = named_at.value_or(SourceLocation{path, 1, 1});
    std::error_code error;
    const std::string identity = fs::weakly_canonical(path, error).string();
    if (std::find(open_files_.begin(), open_files_.end(), identity) != open_files_.end()) {
      diagnostics_.error(where,
                         fmt::format("'{}' is named again by a file that it needs itself: a cycle", path),
                         "open: " + fmt::format("{}", fmt::join(open_files_, " -> ")));
      return {};
    }
    if (open_files_.size() >= kMaxFragmentDepth || ++loads_ > kMaxFragments) {
      diagnostics_.error(where,
                         fmt::format("too many fragments ({} deep, {} in all)", open_files_.size(), loads_));
      return {};
    }
    std::string text;
    try {
      text = read_file(path);
    } catch (const FileError& e) {
      diagnostics_.error(where, e.what());
      return {};
    }
    if (std::find(files_.begin(), files_.end(), path) == files_.end()) files_.push_back(path);
    open_files_.push_back(identity);
    YamlNode node = parse_and_expand(text, path);
    open_files_.pop_back();
    return node;
  }

  YamlNode parse_and_expand(const std::string& text, const std::string& file) {
    YamlNode node =
        parse_yaml(text, file, options_.max_nodes - std::min(nodes_, options_.max_nodes), diagnostics_);
    nodes_ += count_nodes(node);
    expand(node, folder_of(file));
    return node;
  }

  /// Replaces !include and extends below `node`, which a file of `folder` holds.
  void expand(YamlNode& node, const std::string& folder) {
    if (!node.include.empty()) {
      node = load_file(join(folder, node.include), node.where);
      return;
    }
    for (YamlNode& item : node.items) expand(item, folder);
    for (YamlEntry& entry : node.entries)
      if (entry.key != "extends") expand(entry.value, folder);
    const auto extends = std::find_if(node.entries.begin(), node.entries.end(),
                                      [](const YamlEntry& entry) { return entry.key == "extends"; });
    if (extends == node.entries.end()) return;
    YamlNode base;
    base.kind = YamlNode::Kind::mapping;
    base.where = node.where;
    const YamlNode names = std::move(extends->value);
    node.entries.erase(extends);
    if (names.kind == YamlNode::Kind::list)
      for (const YamlNode& name : names.items) extend(base, name, folder);
    else
      extend(base, names, folder);
    merge_yaml(base, node);
    node = std::move(base);
  }

  void extend(YamlNode& base, const YamlNode& name, const std::string& folder) {
    if (name.kind != YamlNode::Kind::scalar) {
      diagnostics_.error(name.where, "extends: expected the name of a file, or a list of names");
      return;
    }
    const std::size_t before = diagnostics_.list().size();
    const YamlNode fragment = load_file(join(folder, name.scalar), name.where);
    if (fragment.kind == YamlNode::Kind::mapping)
      merge_yaml(base, fragment);
    else if (diagnostics_.list().size() == before)
      diagnostics_.error(name.where, fmt::format("'{}' holds no mapping to extend", name.scalar));
  }

  void resolve_file_paths(YamlNode& root) {
    for (const std::string& pattern : options_.file_paths)
      if (const std::optional<YamlPath> path = parse_path(pattern)) resolve_file_path(root, *path, 0);
  }
  void resolve_file_path(YamlNode& node, const YamlPath& path, std::size_t step) {
    if (step == path.size()) {
      if (!is_file_name(node)) return;
      const bool override_ = node.where.line == 0;
      std::string file = join(override_ ? main_folder_ : folder_of(node.where.file), node.scalar);
      std::error_code error;
      if (override_ && !fs::exists(file, error)) file = node.scalar;
      node = load_file(file, node.where);
    } else if (node.kind == YamlNode::Kind::list && std::get<std::string>(path[step]) == "*") {
      for (YamlNode& item : node.items) resolve_file_path(item, path, step + 1);
    } else if (YamlNode* next = node.find(std::get<std::string>(path[step]))) {
      resolve_file_path(*next, path, step + 1);
    }
  }

  void apply_override(YamlNode& root, const std::string& text) {
    const std::size_t equals = text.find('=');
    const std::string name = text.substr(0, equals);
    const SourceLocation where{"--set " + options_.override_prefix + name, 0, 0};
    std::optional<YamlPath> path = parse_path(name);
    if (equals == std::string::npos || !path || name.find('*') != std::string::npos) {
      diagnostics_.error(where, "expected key.path=value", "for example noc.dims=4x4 or nocs[1].routing=xy");
      return;
    }
    const std::size_t before = diagnostics_.list().size();
    YamlNode value = parse_yaml(text.substr(equals + 1), where.file, options_.max_nodes, diagnostics_);
    if (diagnostics_.list().size() != before) return;
    relocate(value, where);
    expand(value, main_folder_);
    add_scope(root, *path);
    if (YamlNode* target = descend(root, *path, where)) merge_yaml(*target, value);
  }

  /// An override may leave out a scope: `batch=4` for `dimensions.batch=4`.
  void add_scope(const YamlNode& root, YamlPath& path) const {
    const std::string first = std::get<std::string>(path.front());
    if (root.find(first)) return;
    for (const std::string& scope : options_.override_scopes) {
      const YamlNode* mapping = root.find(scope);
      if (mapping && mapping->find(first)) {
        path.insert(path.begin(), scope);
        return;
      }
    }
  }

  /// The node at `path`; keys that are not there are made. Reports and gives nullptr if the path cannot be.
  YamlNode* descend(YamlNode& root, const YamlPath& path, const SourceLocation& where) {
    YamlNode* node = &root;
    for (std::size_t step = 0; step < path.size(); ++step) {
      const std::string here = to_string(YamlPath(path.begin(), path.begin() + static_cast<long>(step)));
      if (const std::size_t* index = std::get_if<std::size_t>(&path[step])) {
        if (node->kind != YamlNode::Kind::list || *index >= node->items.size()) {
          diagnostics_.error(where,
                             node->kind == YamlNode::Kind::list
                                 ? fmt::format("'{}' has {} items, counted from 0", here, node->items.size())
                                 : fmt::format("'{}' is not a list", here));
          return nullptr;
        }
        node = &node->items[*index];
        continue;
      }
      const std::string& key = std::get<std::string>(path[step]);
      if (node->kind == YamlNode::Kind::null) node->kind = YamlNode::Kind::mapping;
      if (node->kind != YamlNode::Kind::mapping) {
        diagnostics_.error(
            where, fmt::format("'{}' is {}; it has no key '{}'", here,
                               node->kind == YamlNode::Kind::list ? "a list" : "a single value", key));
        return nullptr;
      }
      if (!node->find(key)) {
        YamlNode fresh;
        fresh.where = where;
        node->entries.push_back({key, where, fresh});
      }
      node = node->find(key);
    }
    return node;
  }

  const YamlOptions& options_;
  Diagnostics& diagnostics_;
  std::size_t mistakes_before_;
  std::string main_folder_;
  std::vector<std::string> files_;
  std::vector<std::string> open_files_;
  std::size_t nodes_ = 0;
  std::size_t loads_ = 0;
};

bool is_for(const std::string& scope, const std::string& text) { return text.rfind(scope + ".", 0) == 0; }

}  // namespace

void merge_yaml(YamlNode& base, const YamlNode& over) {
  if (base.kind != YamlNode::Kind::mapping || over.kind != YamlNode::Kind::mapping) {
    base = over;
    return;
  }
  std::map<std::string, std::size_t> index;
  for (std::size_t i = 0; i < base.entries.size(); ++i) index.emplace(base.entries[i].key, i);
  for (const YamlEntry& entry : over.entries) {
    const auto it = index.find(entry.key);
    if (it == index.end()) {
      base.entries.push_back(entry);
    } else {
      base.entries[it->second].where = entry.where;
      merge_yaml(base.entries[it->second].value, entry.value);
    }
  }
}

YamlDocument load_yaml(const std::string& path, const YamlOptions& options, Diagnostics& diagnostics) {
  Loader loader(options, diagnostics);
  YamlNode root = loader.load_main(path);
  return YamlDocument(std::move(root), options, loader.files(), diagnostics);
}

YamlDocument load_yaml_text(const std::string& text, const std::string& file, const YamlOptions& options,
                            Diagnostics& diagnostics) {
  Loader loader(options, diagnostics);
  YamlNode root = loader.load_main_text(text, file);
  return YamlDocument(std::move(root), options, loader.files(), diagnostics);
}

std::vector<std::string> overrides_for(const std::string& scope, const std::vector<std::string>& overrides) {
  std::vector<std::string> result;
  for (const std::string& text : overrides)
    if (is_for(scope, text)) result.push_back(text.substr(scope.size() + 1));
  return result;
}

std::vector<std::string> overrides_except(const std::vector<std::string>& scopes,
                                          const std::vector<std::string>& overrides) {
  std::vector<std::string> result;
  for (const std::string& text : overrides)
    if (std::none_of(scopes.begin(), scopes.end(),
                     [&](const std::string& scope) { return is_for(scope, text); }))
      result.push_back(text);
  return result;
}

}  // namespace dfsim
