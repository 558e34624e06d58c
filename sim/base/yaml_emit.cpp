// A tree back to YAML text.
#include <fmt/format.h>

#include <algorithm>
#include <cctype>

#include "sim/base/yaml.h"

namespace dfsim {
namespace {

/// Whether `text` means the same scalar without quotes. Stricter than YAML needs.
bool is_plain(const std::string& text) {
  const auto letter = [](char c) {
    return std::isalnum(static_cast<unsigned char>(c)) || c == '_' || c == '/';
  };
  if (text.empty() || text.back() == ' ') return false;
  const bool number =
      text.size() > 1 && (text[0] == '-' || text[0] == '.' || text[0] == '+') && letter(text[1]);
  if (!letter(text.front()) && !number) return false;
  std::string lower = text;
  std::transform(lower.begin(), lower.end(), lower.begin(), [](unsigned char c) { return std::tolower(c); });
  if (lower == "null") return false;
  return std::all_of(text.begin(), text.end(), [&](char c) {
    return letter(c) || c == '.' || c == '-' || c == '+' || c == ' ' || c == '(' || c == ')' || c == '*' ||
           c == '=';
  });
}

std::string quote(const std::string& text) {
  std::string result = "\"";
  for (const char c : text) {
    if (c == '"' || c == '\\')
      result += fmt::format("\\{}", c);
    else if (c == '\n')
      result += "\\n";
    else if (c == '\t')
      result += "\\t";
    else if (static_cast<unsigned char>(c) < 0x20 || c == 0x7f)
      result += fmt::format("\\x{:02x}", static_cast<unsigned char>(c));
    else
      result += c;
  }
  return result + "\"";
}

std::string scalar_text(const YamlNode& node) {
  if (node.kind == YamlNode::Kind::null) return "~";
  return node.quoted || !is_plain(node.scalar) ? quote(node.scalar) : node.scalar;
}

std::string key_text(const std::string& key) { return is_plain(key) ? key : quote(key); }

/// Whether a list goes on one line: scalars, and lists of such.
bool is_flow(const YamlNode& node) {
  return node.kind != YamlNode::Kind::mapping && std::all_of(node.items.begin(), node.items.end(), is_flow);
}

std::string flow_text(const YamlNode& node) {
  if (node.kind == YamlNode::Kind::mapping) return "{}";
  if (node.kind != YamlNode::Kind::list) return scalar_text(node);
  std::string text = "[";
  for (std::size_t i = 0; i < node.items.size(); ++i) text += (i ? ", " : "") + flow_text(node.items[i]);
  return text + "]";
}

void collect_origins(const YamlNode& node, std::vector<std::string>& origins) {
  if (node.items.empty()) {
    const std::string origin =
        node.where.line > 0 ? fmt::format("{}:{}", node.where.file, node.where.line) : node.where.file;
    if (std::find(origins.begin(), origins.end(), origin) == origins.end()) origins.push_back(origin);
  }
  for (const YamlNode& item : node.items) collect_origins(item, origins);
}

class Emitter {
 public:
  explicit Emitter(bool origins) : origins_(origins) {}
  std::string take() { return std::move(text_); }

  void block(const YamlNode& node, std::size_t indent) {
    if (is_flow(node) || (node.items.empty() && node.entries.empty())) {
      line(node);
      return;
    }
    bool first = true;
    const auto begin_line = [&] {
      if (!first || !at_item_start_) text_.append(indent, ' ');
      first = at_item_start_ = false;
    };
    for (const YamlNode& item : node.items) {
      begin_line();
      text_ += "- ";
      at_item_start_ = true;
      block(item, indent + 2);
      at_item_start_ = false;
    }
    for (const YamlEntry& entry : node.entries) {
      begin_line();
      text_ += key_text(entry.key) + ":";
      if (is_flow(entry.value) || (entry.value.items.empty() && entry.value.entries.empty())) {
        text_ += " ";
        line(entry.value);
      } else {
        text_ += "\n";
        block(entry.value, indent + 2);
      }
    }
  }

 private:
  void line(const YamlNode& node) {
    text_ += flow_text(node);
    if (origins_) {
      std::vector<std::string> origins;
      collect_origins(node, origins);
      text_ += fmt::format("  # {}", fmt::join(origins, ", "));
    }
    text_ += "\n";
  }

  bool origins_;
  bool at_item_start_ = false;  ///< just behind "- ": the first key goes on the same line
  std::string text_;
};

}  // namespace

std::string emit_yaml(const YamlNode& node, bool origins) {
  Emitter emitter(origins);
  emitter.block(node, 0);
  return emitter.take();
}

}  // namespace dfsim
