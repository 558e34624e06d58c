#include "planner/app/commands/schema.h"

#include <fmt/format.h>

#include <memory>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "generated/schemas.h"
#include "planner/app/exit_codes.h"
#include "sim/base/errors.h"

namespace dfsim {

namespace {

std::string title_of(const EmbeddedSchema& schema) {
  return nlohmann::json::parse(schema.text).value("title", "");
}

void print_schema(const std::string& name) {
  std::vector<std::string> known;
  for (const EmbeddedSchema& schema : kSchemas) {
    if (name == schema.name) {
      fmt::print("{}", schema.text);
      return;
    }
    known.emplace_back(schema.name);
  }
  const std::string nearest = nearest_name(name, known);
  throw InputError({{{"schema", 0, 0},
                     "there is no schema '" + name + "'",
                     nearest.empty() ? "dfsim schema lists them" : "did you mean " + nearest + "?"}});
}

void list_schemas(bool json) {
  nlohmann::ordered_json all = nlohmann::ordered_json::object();
  for (const EmbeddedSchema& schema : kSchemas) {
    if (json)
      all[schema.name] = title_of(schema);
    else
      fmt::print("{:<20} {}\n", schema.name, title_of(schema));
  }
  if (json) fmt::print("{}\n", nlohmann::ordered_json{{"version", 1}, {"schemas", all}}.dump(1));
}

}  // namespace

void add_schema_command(CLI::App& app, int& exit_code) {
  struct Options {
    std::string name;
    bool json = false;
  };
  auto options = std::make_shared<Options>();
  CLI::App* command = app.add_subcommand("schema", "print the JSON Schema of a file or answer, or list them");
  command->add_option("name", options->name, "for example measurement");
  command->add_flag("--json", options->json, "list them as JSON");
  command->callback([options, &exit_code] {
    if (options->name.empty())
      list_schemas(options->json);
    else
      print_schema(options->name);
    exit_code = kOk;
  });
}

}  // namespace dfsim
