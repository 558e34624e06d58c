// sim/base/yaml.h: YAML files in which every value knows where it came from. yaml-cpp reads the text; this
// adds locations, fragments, overrides, typed access that collects mistakes, and the resolved text.
//
//   Diagnostics diagnostics;
//   YamlDocument document = load_yaml("configs/mesh8x8.yaml", {.overrides = {"noc.dims=4x4"}}, diagnostics);
//   diagnostics.throw_if_any<ConfigError>();              // syntax, missing fragments, bad overrides
//   YamlValue noc = document.root().require("noc");       // reports "missing key 'noc'"
//   spec.virtual_channels = noc["virtual_channels"].integer(1, 64, 4);  // 4 if absent; wrong type: reported,
//   4 document.finish();                                    // every key nobody asked for is an error
//   diagnostics.throw_if_any<ConfigError>();
//
// Fragments. A mapping anywhere may say `extends: file.yaml` (or a list of files): it starts as the files'
// mappings, merged in order, and its own keys come on top. Mappings merge key by key; anything else (lists
// too) is replaced. `key: !include file.yaml` stands for the content of the file. Files are relative to the
// file that names them. Not supported: the merge key `<<` (use extends), several documents in one file.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <variant>
#include <vector>

#include "sim/base/errors.h"

namespace dfsim {

struct YamlEntry;

/// A piece of YAML as plain data. Aliases are expanded; keys are unique and keep the order of the file.
struct YamlNode {
  enum class Kind : std::uint8_t { null, scalar, list, mapping };
  Kind kind = Kind::null;
  SourceLocation where;
  std::string scalar;   ///< of a scalar: its text without quotes
  bool quoted = false;  ///< of a scalar: written in quotes, so it is a string whatever it looks like
  std::string include;  ///< of a scalar while loading: the tag !include; empty in a loaded tree
  std::vector<YamlNode> items;
  std::vector<YamlEntry> entries;

  const YamlNode* find(const std::string& key) const;  ///< nullptr if absent or not a mapping
  YamlNode* find(const std::string& key);
};

struct YamlEntry {
  std::string key;
  SourceLocation where;  ///< of the key
  YamlNode value;
};

/// One step from a node to its child: a key of a mapping or an index of a list.
using YamlStep = std::variant<std::string, std::size_t>;
using YamlPath = std::vector<YamlStep>;
std::string to_string(const YamlPath& path);  ///< "noc.dims[1]"

struct YamlOptions {
  /// `key.path=value` each, applied in order on the merged tree; `[i]` addresses a list item, the value is
  /// YAML (so `dims=[4,4]` and `dims=4x4` work). A mapping merges into a mapping. Keys that are not there are
  /// added; if nobody asks for them, finish() reports them with the nearest known key.
  std::vector<std::string> overrides;
  /// Text before the paths of `overrides` in messages, for example "model." when `--set model.x=1` arrives as
  /// "x=1" (see overrides_for).
  std::string override_prefix;
  /// Keys of the root mapping whose keys may be addressed without it: with {"dimensions"} the override
  /// `batch=4` means `dimensions.batch=4`, unless the root has a key `batch`.
  std::vector<std::string> override_scopes;
  /// Where a plain string names a file whose content it stands for, as if tagged !include; `[*]` is any list
  /// item: {"memory.device", "nocs[*].memory.device"}. In an override such a file is relative to the folder
  /// of the main file, or else to the current folder.
  std::vector<std::string> file_paths;
  std::size_t max_nodes = 500'000;  ///< aliases and fragments expanded; more is refused ("alias bomb")
};

class YamlValue;

/// A loaded file. Views (YamlValue) point into it and stay valid while it lives, also if it is moved.
class YamlDocument {
 public:
  YamlDocument(YamlNode root, YamlOptions options, std::vector<std::string> files, Diagnostics& diagnostics);
  ~YamlDocument();
  YamlDocument(YamlDocument&&) noexcept;
  YamlDocument& operator=(YamlDocument&&) noexcept;

  YamlValue root() const;
  /// Reports every key that nobody asked for, with the nearest of those that were asked for in the same
  /// mapping. Call it after everything was read; below an unknown key nothing further is reported.
  void finish() const;

  /// All files read: the main file first, then fragments in the order of first use.
  const std::vector<std::string>& files() const;
  /// The merged tree together with the defaults that were used for absent keys.
  YamlNode resolved() const;
  /// resolved() as YAML text; loading it again gives the same values (and needs no other file).
  std::string resolved_text() const;
  /// The same with `# file:line` (or `# --set path`, `# default`) behind each value, for --print-config.
  std::string annotated_text() const;

 private:
  friend class YamlValue;
  struct State;
  std::unique_ptr<State> state_;
};

struct YamlNamedValue;

/// A view of one value, present or absent. Reading an absent value gives the fallback, silently, and notes it
/// as the default in the resolved text; reading a value of the wrong type or out of range reports the mistake
/// and gives the fallback as well, so reading goes on and all mistakes are found at once.
class YamlValue {
 public:
  bool present() const { return node_ != nullptr; }
  explicit operator bool() const { return present(); }
  bool is_scalar() const { return node_ && node_->kind == YamlNode::Kind::scalar; }
  bool is_list() const { return node_ && node_->kind == YamlNode::Kind::list; }
  bool is_mapping() const { return node_ && node_->kind == YamlNode::Kind::mapping; }
  bool is_null() const { return node_ && node_->kind == YamlNode::Kind::null; }

  /// Of the value; of an absent one, that of the nearest mapping or list around it.
  const SourceLocation& where() const { return where_; }
  std::string path() const { return to_string(path_); }
  const YamlNode* node() const { return node_; }

  /// The value of `key`, absent if there is none. Makes the key known. Reports if this is no mapping.
  YamlValue operator[](const std::string& key) const;
  /// Like operator[], but reports "missing key" if it is absent and this mapping is present.
  YamlValue require(const std::string& key) const;
  /// All keys in order, all of them known by this. Empty if absent; reports if this is no mapping.
  std::vector<YamlNamedValue> entries() const;
  /// Items of a list. Empty if absent; reports if this is no list.
  std::vector<YamlValue> items() const;
  /// Items of a list, or the one scalar or mapping itself: `a: x` means `a: [x]`.
  std::vector<YamlValue> items_or_one() const;

  std::int64_t integer(std::int64_t min, std::int64_t max, std::int64_t fallback = 0) const;
  double number(double min, double max, double fallback = 0) const;
  bool boolean(bool fallback = false) const;
  /// Any scalar as text. An empty one is reported.
  std::string string(const std::string& fallback = {}) const;
  /// One of `names`; reports others with the known names and the nearest.
  std::string one_of(const std::vector<std::string>& names, const std::string& fallback) const;
  /// The same for an enumeration.
  template <class Enum>
  Enum choice(const std::vector<std::pair<std::string, Enum>>& names, Enum fallback) const {
    std::vector<std::string> known;
    std::string fallback_name;
    for (const auto& [name, value] : names) {
      known.push_back(name);
      if (value == fallback) fallback_name = name;
    }
    const std::string chosen = one_of(known, fallback_name);
    for (const auto& [name, value] : names)
      if (name == chosen) return value;
    return fallback;
  }

  /// Reports a mistake at this value.
  void error(const std::string& what, const std::string& hint = {}) const;
  /// The same view, whose absent values do not show up as defaults in the resolved text. Inherited by
  /// children.
  YamlValue quiet() const;
  /// Says that everything below this value is known, for parts that are kept as they are.
  void accept_all() const;

 private:
  friend class YamlDocument;
  YamlValue(YamlDocument::State* state, const YamlNode* node, SourceLocation where, YamlPath path)
      : state_(state), node_(node), where_(std::move(where)), path_(std::move(path)) {}
  YamlValue child(const YamlNode* node, YamlStep step) const;
  const YamlNode* scalar_node(const std::string& expected) const;
  void wrong(const std::string& expected) const;
  void note_default(const std::string& text) const;

  YamlDocument::State* state_;
  const YamlNode* node_;
  SourceLocation where_;
  YamlPath path_;
  bool quiet_ = false;
};

struct YamlNamedValue {
  std::string key;
  SourceLocation where;  ///< of the key
  YamlValue value;
};

/// Loads `path` with its fragments and applies the overrides. Reports a missing file, a syntax error,
/// duplicate keys, cycles of fragments, too many nodes and bad overrides; the document is then empty or
/// partial, so call throw_if_any before reading it.
YamlDocument load_yaml(const std::string& path, const YamlOptions& options, Diagnostics& diagnostics);
/// The same for a text; `file` is its name in locations, and fragments are relative to its folder.
YamlDocument load_yaml_text(const std::string& text, const std::string& file, const YamlOptions& options,
                            Diagnostics& diagnostics);

/// Those of `overrides` that are for `scope`, without "scope." at their start: overrides_for("model", ...)
/// gives the part for the model file.
std::vector<std::string> overrides_for(const std::string& scope, const std::vector<std::string>& overrides);
/// Those of `overrides` that are for none of `scopes`.
std::vector<std::string> overrides_except(const std::vector<std::string>& scopes,
                                          const std::vector<std::string>& overrides);

/// `node` as YAML text that loads to the same tree. With `origins`, `# file:line` behind each scalar.
std::string emit_yaml(const YamlNode& node, bool origins = false);
/// Mappings merge key by key; anything else in `over` replaces `base`.
void merge_yaml(YamlNode& base, const YamlNode& over);

}  // namespace dfsim
