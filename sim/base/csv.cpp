#include "sim/base/csv.h"

namespace dfsim {

std::string csv_field(const std::string& field) {
  if (field.find_first_of(",\"\n\r#") == std::string::npos) return field;
  std::string text = "\"";
  for (const char c : field) {
    if (c == '"') text += '"';
    text += c;
  }
  return text + '"';
}

std::vector<std::vector<std::string>> parse_csv(const std::string& text) {
  std::vector<std::vector<std::string>> records;
  for (std::size_t at = 0; at < text.size();) {
    if (text[at] == '#') {
      const std::size_t end = text.find('\n', at);
      at = end == std::string::npos ? text.size() : end + 1;
      continue;
    }
    std::vector<std::string> record(1);
    bool in_quotes = false;
    for (; at < text.size(); ++at) {
      const char c = text[at];
      if (in_quotes) {
        if (c != '"')
          record.back() += c;
        else if (at + 1 < text.size() && text[at + 1] == '"')
          record.back() += text[++at];
        else
          in_quotes = false;
      } else if (c == '"') {
        in_quotes = true;
      } else if (c == ',') {
        record.emplace_back();
      } else if (c == '\n') {
        ++at;
        break;
      } else {
        record.back() += c;
      }
    }
    records.push_back(std::move(record));
  }
  return records;
}

}  // namespace dfsim
