#include "planner/app/commands/report.h"

#include <fmt/format.h>

#include <filesystem>
#include <memory>
#include <nlohmann/json.hpp>
#include <string>

#include "planner/app/exit_codes.h"
#include "planner/app/plan_inputs.h"
#include "planner/report/report_html.h"
#include "sim/base/errors.h"
#include "sim/base/files.h"

namespace dfsim {

namespace {

struct ReportCommand {
  std::string folder, output;
  bool json = false;
};

/// The text of a file of the run; `hint` says how one gets it.
std::string text_of(const std::string& path, const std::string& hint) {
  try {
    return read_file(path);
  } catch (const FileError& error) {
    throw InputError({{{"--out", 0, 0}, error.what(), hint}});
  }
}

int report(const ReportCommand& options) {
  const auto file = [&](const char* name) { return options.folder + "/" + name; };
  const std::string measurement = file("measurement.json");
  const std::string text = text_of(measurement, "name the output folder of a finished run");
  const PlanInputs given = load_plan(file("plan.yaml"), {});
  // Runs of older versions have fewer files.
  const auto text_if_there = [](const std::string& path) {
    return std::filesystem::is_regular_file(path) ? text_of(path, {}) : "";
  };
  const std::string output = options.output.empty() ? file("report.html") : options.output;
  std::string page;
  try {
    page = report_html(given.inputs.config.spec, text, text_if_there(file("pe_traffic.csv")),
                       text_if_there(file("activity.json")));
  } catch (const std::exception& error) {
    throw InputError({{{measurement, 1, 1},
                       fmt::format("cannot be shown: {}", error.what()),
                       "the file should be as the run left it"}});
  }
  write_file_atomically(output, page);
  if (options.json)
    fmt::print("{}\n",
               nlohmann::ordered_json{{"version", 1}, {"report", output}, {"bytes", page.size()}}.dump(1));
  else
    fmt::print("written to   {} ({} bytes)\n", output, page.size());
  return kOk;
}

}  // namespace

void add_report_command(CLI::App& app, int& exit_code) {
  auto options = std::make_shared<ReportCommand>();
  CLI::App* command = app.add_subcommand("report", "make report.html anew from the files of a finished run");
  command->add_option("--out", options->folder, "output folder of the run")->required();
  command->add_option("-o,--output", options->output, "where to (default report.html in that folder)");
  command->add_flag("--json", options->json, "say what was written as JSON");
  command->callback([options, &exit_code] { exit_code = report(*options); });
}

}  // namespace dfsim
