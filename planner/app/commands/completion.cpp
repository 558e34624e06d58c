#include "planner/app/commands/completion.h"

#include <cstdio>
#include <memory>
#include <string>

#include "planner/app/command_tree.h"
#include "planner/app/exit_codes.h"
#include "planner/app/version.h"

namespace dfsim {

void add_completion_command(CLI::App& app, int& exit_code) {
  auto what = std::make_shared<std::string>();
  CLI::App* command =
      app.add_subcommand("completion", "print a completion script for bash, zsh or fish, or the man page");
  command->add_option("what", *what, "shell, or man")
      ->required()
      ->check(CLI::IsMember({"bash", "zsh", "fish", "man"}));
  command->callback([what, &app, &exit_code] {
    const CommandInfo tree = command_tree(app);
    std::fputs((*what == "man" ? man_page(tree, version()) : completion_script(tree, *what)).c_str(), stdout);
    exit_code = kOk;
  });
}

}  // namespace dfsim
