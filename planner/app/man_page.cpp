#include <fmt/format.h>

#include <algorithm>

#include "planner/app/command_tree.h"

namespace dfsim {

namespace {

/// Text of roff: hyphens that can be copied, no escapes, no control lines.
std::string roff(const std::string& text) {
  std::string out;
  bool line_start = true;
  for (const char c : text) {
    if (line_start && (c == '.' || c == '\'')) out += "\\&";
    if (c == '-')
      out += "\\-";
    else if (c == '\\')
      out += "\\e";
    else
      out += c;
    line_start = c == '\n';
  }
  return out;
}

std::string option_entry(const OptionInfo& option) {
  std::string head;
  for (const std::string& name : option.names)
    head += (head.empty() ? "" : ", ") + ("\\fB" + roff(name) + "\\fR");
  if (option.takes_value && !option.positional) {
    std::string values;
    for (const std::string& choice : option.choices) values += (values.empty() ? "" : "|") + choice;
    head += " \\fI" + roff(values.empty() ? "VALUE" : values) + "\\fR";
  }
  std::string text = roff(option.description);
  if (!option.fallback.empty()) text += " (default " + roff(option.fallback) + ")";
  return ".TP\n" + head + "\n" + text + "\n";
}

/// Options under their headings, in the order of --help.
std::string options_text(const CommandInfo& command) {
  std::string out;
  std::vector<std::string> groups;
  for (const OptionInfo& option : command.options)
    if (std::find(groups.begin(), groups.end(), option.group) == groups.end()) groups.push_back(option.group);
  for (const std::string& group : groups) {
    if (groups.size() > 1) out += ".PP\n\\fI" + roff(group) + "\\fR\n";
    for (const OptionInfo& option : command.options)
      if (option.group == group) out += option_entry(option);
  }
  return out;
}

constexpr const char* kStatus =
    ".SH EXIT STATUS\n.TP\n\\fB0\\fR\nok\n.TP\n\\fB1\\fR\ndfsim failed\n.TP\n\\fB2\\fR\nwrong input or "
    "usage\n"
    ".TP\n\\fB3\\fR\nno plan fits\n.TP\n\\fB4\\fR\ndeadlock or simulation "
    "limit\n.TP\n\\fB130\\fR\ninterrupted\n";

constexpr const char* kEnvironment =
    ".SH ENVIRONMENT\n.TP\n\\fBDFSIM_PATH\\fR\nfolders, separated by colons, where configs and models are "
    "looked for\n"
    ".TP\n\\fBXDG_CACHE_HOME\\fR\nfolder of the file of measured prices\n"
    ".TP\n\\fBNO_COLOR\\fR\nif set, no colours on the terminal\n";

}  // namespace

std::string man_page(const CommandInfo& tree, const std::string& version) {
  std::string out = fmt::format(".TH DFSIM 1 \"\" \"dfsim {}\" \"User Commands\"\n", roff(version));
  out += ".SH NAME\ndfsim \\- " + roff(tree.description) + "\n";
  out +=
      ".SH SYNOPSIS\n.B dfsim\n\\-\\-config FILE \\-\\-model FILE [OPTIONS]\n.br\n.B dfsim\nCOMMAND "
      "[OPTIONS]\n";
  out +=
      ".SH DESCRIPTION\nReads a hardware description and a compute graph, searches for a dataflow strategy, "
      "measures the "
      "candidates in a cycle\\-level simulator and writes plan, measurement, trace and report. It reads only "
      "the files "
      "that it is given and sends nothing anywhere.\n";
  out += ".SH OPTIONS\n" + options_text(tree);
  out += ".SH COMMANDS\n";
  for (const CommandInfo& command : tree.commands)
    out += ".SS " + roff(command.name) + "\n" + roff(command.description) + "\n" + options_text(command);
  out += kStatus;
  out += kEnvironment;
  if (!tree.footer.empty()) out += ".SH EXAMPLES\n.nf\n" + roff(tree.footer) + "\n.fi\n";
  return out + ".SH SEE ALSO\nThe pages in the folder doc/dfsim of the installation.\n";
}

}  // namespace dfsim
