// Every option is documented once, and only options that exist are: docs/commands.md and docs/trace.md
// against the parser. The man page and the completions are made of the same tree.
#include <gtest/gtest.h>

#include <fstream>
#include <map>
#include <set>
#include <sstream>

#include "planner/app/command_line.h"
#include "planner/app/command_tree.h"

namespace dfsim {
namespace {

using Option = std::pair<std::string, std::string>;  ///< command ("" is dfsim itself), option

std::string content_of(const std::string& path) {
  std::ifstream file(path);
  std::stringstream text;
  text << file.rdbuf();
  return text.str();
}

/// The pieces of `text` between backticks.
std::vector<std::string> backticked(const std::string& text) {
  std::vector<std::string> pieces;
  for (std::size_t at = text.find('`'); at != std::string::npos;) {
    const std::size_t end = text.find('`', at + 1);
    if (end == std::string::npos) break;
    pieces.push_back(text.substr(at + 1, end - at - 1));
    at = text.find('`', end + 1);
  }
  return pieces;
}

/// Options in the first cells of the tables of a page, for each command that the heading above names.
std::multiset<Option> documented(const std::string& page) {
  std::multiset<Option> found;
  std::vector<std::string> commands;
  std::istringstream lines(content_of(DFSIM_SOURCE_DIR "/docs/" + page));
  for (std::string line; std::getline(lines, line);) {
    if (line.rfind("## ", 0) == 0) {
      commands.clear();
      for (const std::string& name : backticked(line))
        commands.push_back(name == "dfsim" ? "" : name.substr(6));
    }
    if (line.rfind("| `-", 0) != 0) continue;
    std::string cell = line.substr(2);
    for (std::size_t bar = cell.find('|'); bar != std::string::npos; bar = cell.find('|', bar + 1))
      if (cell[bar - 1] != '\\') cell.resize(bar);
    for (const std::string& piece : backticked(cell))
      for (const std::string& command : commands) found.emplace(command, piece.substr(0, piece.find(' ')));
  }
  return found;
}

std::set<Option> parsed(const CommandInfo& tree) {
  std::set<Option> all;
  const auto add = [&](const CommandInfo& command, const std::string& name) {
    for (const OptionInfo& option : command.options)
      for (const std::string& option_name : option.names)
        if (!option.positional && option_name != "--help" && option_name != "-h")
          all.emplace(name, option_name);
  };
  add(tree, "");
  for (const CommandInfo& command : tree.commands) add(command, command.name);
  return all;
}

const CommandInfo& tree() {
  static const CommandInfo info = command_tree(CommandLine().app());
  return info;
}

TEST(Docs, NameEveryOptionOnce) {
  std::multiset<Option> pages = documented("commands.md");
  pages.merge(documented("trace.md"));
  const std::set<Option> options = parsed(tree());
  for (const Option& option : options)
    EXPECT_EQ(pages.count(option), 1u) << "dfsim " << option.first << " " << option.second
                                       << " should be documented once, in docs/commands.md or docs/trace.md";
  for (const Option& option : pages)
    EXPECT_TRUE(options.count(option)) << "dfsim " << option.first << " has no " << option.second;
}

TEST(Docs, NameEveryCommand) {
  const std::string page = content_of(DFSIM_SOURCE_DIR "/docs/commands.md");
  for (const CommandInfo& command : tree().commands) {
    EXPECT_NE(page.find("`dfsim " + command.name), std::string::npos) << command.name;
    EXPECT_NE(command.group, "Subcommands") << command.name << " stands below no heading of --help";
  }
}

TEST(ManPage, HoldsEverythingThatHelpShows) {
  std::string page = man_page(tree(), "1.2.3");
  std::string plain;
  for (const char c : page)
    if (c != '\\') plain += c;
  for (const Option& option : parsed(tree()))
    EXPECT_NE(plain.find("fB" + option.second + "fR"), std::string::npos) << option.second;
  for (const CommandInfo& command : tree().commands)
    EXPECT_NE(page.find("\n.SS " + command.name + "\n"), std::string::npos) << command.name;
  // No text is taken for a request of roff.
  std::istringstream lines(page);
  const std::set<std::string> requests{".TH", ".SH", ".SS", ".TP", ".PP", ".B", ".br", ".nf", ".fi"};
  for (std::string line; std::getline(lines, line);) {
    const bool request = line[0] == '.';
    EXPECT_TRUE(!request || requests.count(line.substr(0, line.find(' ')))) << line;
  }
}

TEST(Completions, KnowEveryCommandAndOption) {
  for (const char* shell : {"bash", "zsh", "fish"}) {
    const std::string script = completion_script(tree(), shell);
    for (const CommandInfo& command : tree().commands)
      EXPECT_NE(script.find(command.name), std::string::npos) << shell << " " << command.name;
    for (const Option& option : parsed(tree())) {
      const bool fish = std::string(shell) == "fish";
      const std::string name = !fish                               ? option.second
                               : option.second.rfind("--", 0) == 0 ? "-l " + option.second.substr(2)
                                                                   : "-s " + option.second.substr(1);
      EXPECT_NE(script.find(name), std::string::npos) << shell << " " << option.second;
    }
  }
  EXPECT_THROW(completion_script(tree(), "tcsh"), std::invalid_argument);
}

// Asked as bash asks: the words so far, and which of them is being typed.
TEST(Completions, OfBashComplete) {
  const std::string script = testing::TempDir() + "dfsim_completion.bash";
  std::ofstream(script) << completion_script(tree(), "bash");
  const auto completed = [&](const std::string& words, int index) {
    const std::string out = testing::TempDir() + "dfsim_completed";
    const std::string command = "bash -c 'source " + script + "; COMP_WORDS=(" + words +
                                "); COMP_CWORD=" + std::to_string(index) +
                                "; _dfsim; printf \"%s\\n\" \"${COMPREPLY[@]}\"' >" + out;
    EXPECT_EQ(std::system(command.c_str()), 0);
    return content_of(out);
  };
  EXPECT_EQ(completed("dfsim swe", 1), "sweep\n");
  EXPECT_EQ(completed("dfsim sweep --var", 2), "--vary\n");
  EXPECT_EQ(completed("dfsim --obj", 1), "--objective\n");
  EXPECT_EQ(completed("dfsim --objective la", 2), "latency\n");
  EXPECT_EQ(completed("dfsim noc --preset sh", 3), "shallow\n");
  EXPECT_EQ(completed("dfsim completion z", 2), "zsh\n");
}

}  // namespace
}  // namespace dfsim
