#include <fmt/format.h>

#include "planner/report/html/sections.h"
#include "planner/report/html/text.h"

namespace dfsim::html {

std::string section(const std::string& id, const std::string& heading, const std::string& body) {
  return fmt::format(
      "<section id=\"{0}\" aria-labelledby=\"{0}-h\">\n<h2 id=\"{0}-h\">{1}</h2>\n{2}</section>\n", id,
      escaped(heading), body);
}

std::string table(const std::string& caption, const std::vector<std::string>& columns,
                  const std::vector<std::vector<std::string>>& rows) {
  // Focusable, so that a wide table can be scrolled with the keyboard.
  std::string out = fmt::format(
      "<div class=\"wide\" tabindex=\"0\" role=\"region\" aria-label=\"{0}\">\n<table><caption>{0}</caption>"
      "<thead><tr>",
      escaped(caption));
  for (const std::string& column : columns) out += "<th scope=\"col\">" + escaped(column) + "</th>";
  out += "</tr></thead>\n<tbody>\n";
  for (const std::vector<std::string>& row : rows) {
    out += "<tr>";
    for (std::size_t i = 0; i < row.size(); ++i)
      out += i == 0 ? "<th scope=\"row\">" + escaped(row[i]) + "</th>" : "<td>" + escaped(row[i]) + "</td>";
    out += "</tr>\n";
  }
  return out + "</tbody></table></div>\n";
}

}  // namespace dfsim::html
