// sim/base/csv.h: comma-separated values as in RFC 4180, with lines of comment.
#pragma once

#include <string>
#include <vector>

namespace dfsim {

/// One field of a line, in quotes if it holds a comma, a quote, a line break or a '#'.
std::string csv_field(const std::string& text);

/// Records of a CSV text. Lines that start with '#' are left out; the first record usually holds the column
/// names.
std::vector<std::vector<std::string>> parse_csv(const std::string& text);

}  // namespace dfsim
