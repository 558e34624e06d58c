// dfsim: finds the best dataflow strategy for a model on a chip, and measures it. The one place that prints
// errors and gives exit codes.
#include <cstdio>
#include <string>

#include "planner/app/command_line.h"
#include "planner/app/guarded.h"
#include "planner/app/progress.h"

// libsystemc has a main of its own and asks for this; dfsim drives the kernel itself.
extern "C" int sc_main(int, char**) { return 1; }

namespace {

/// "error:" in red where the terminal shows it.
std::string coloured(std::string message) {
  const std::string word = "error:";
  for (std::size_t at = message.find(word); at != std::string::npos; at = message.find(word, at)) {
    const std::string red = "\x1b[1;31m" + word + "\x1b[0m";
    message.replace(at, word.size(), red);
    at += red.size();
  }
  return message;
}

}  // namespace

int main(int argc, char** argv) {
  std::string message;
  const int code = dfsim::exit_code_of([&] { return dfsim::CommandLine().run(argc, argv); }, message);
  if (!message.empty())
    std::fprintf(stderr, "%s\n", (dfsim::colours_on_stderr() ? coloured(message) : message).c_str());
  return code;
}
