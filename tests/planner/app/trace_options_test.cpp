#include "planner/app/trace_options.h"

#include <gtest/gtest.h>

#include "planner/app/command_text.h"
#include "planner/app/options.h"
#include "sim/base/errors.h"
#include "sim/hw/hardware_config.h"

namespace dfsim {
namespace {

const HardwareSpec& chip() {
  static const HardwareSpec spec = load_hardware(DFSIM_SOURCE_DIR "/configs/mesh4x4.yaml");
  return spec;
}

Measurement seen() {
  Measurement measurement;
  measurement.period_done_cycles = {1000, 1500, 2000};
  return measurement;
}

TraceOptions meant(const TraceArguments& arguments) {
  check_trace_arguments(arguments, chip());
  return trace_options(arguments, chip(), seen(), 1);
}

TEST(TraceOptionsTyped, DefaultIsOnePeriodAfterTheFill) {
  const TraceOptions options = meant({});
  EXPECT_EQ(options.detail, TraceDetail::op);
  EXPECT_EQ(options.from, 1000u);
  EXPECT_EQ(options.until, 1500u);
  EXPECT_EQ(options.counter_cycles, 5u);
  EXPECT_EQ(options.max_events, 500'000u);
  EXPECT_TRUE(options.shows(15));
}

TEST(TraceOptionsTyped, WindowsTakeCyclesAndTimesAndOpenSides) {
  TraceArguments arguments;
  arguments.window = "100:300";
  EXPECT_EQ(meant(arguments).from, 100u);
  EXPECT_EQ(meant(arguments).until, 300u);
  EXPECT_EQ(meant(arguments).counter_cycles, 2u);
  arguments.window = "0.5us:";
  EXPECT_EQ(meant(arguments).from, 500u);
  EXPECT_EQ(meant(arguments).until, UINT64_MAX);
  EXPECT_EQ(meant(arguments).counter_cycles, 15u) << "a hundred values until the end of the run";
  arguments.window = ":";
  EXPECT_EQ(meant(arguments).from, 0u);
}

TEST(TraceOptionsTyped, StagesAreShownOverTheWholeRun) {
  TraceArguments arguments;
  arguments.detail = "stage";
  EXPECT_EQ(meant(arguments).from, 0u);
  EXPECT_EQ(meant(arguments).counter_cycles, 20u);
}

TEST(TraceOptionsTyped, PesByBoxOrNumber) {
  TraceArguments arguments;
  arguments.pes = {"chip0[0:2,1:2]", "15"};
  const TraceOptions options = meant(arguments);
  for (std::uint32_t pe = 0; pe < 16; ++pe)
    EXPECT_EQ(options.shows(pe), pe == 4 || pe == 5 || pe == 15) << pe;
}

TEST(TraceOptionsTyped, NamesEveryMistake) {
  TraceArguments arguments;
  arguments.file = "trace.txt";
  arguments.detail = "bits";
  arguments.time = "hours";
  arguments.pes = {"16", "chip0[3:5,0:1]", "pe 3"};
  for (const char* window : {"5", "5:5", "a:b", "1:2:3", "-1:5"}) {
    arguments.window = window;
    try {
      check_trace_arguments(arguments, chip());
      ADD_FAILURE() << window;
    } catch (const InputError& error) {
      const std::string text = error.what();
      for (const char* part :
           {"trace.txt", "bits", "hours", "'16'", "chip0[3:5,0:1]", "'pe 3'", "--trace-window"})
        EXPECT_NE(text.find(part), std::string::npos) << part << " is missing in\n" << text;
    }
  }
}

TEST(CommandText, HoldsWhatCanMoveAResult) {
  CLI::App app("test", "dfsim");
  RunOptions options;
  CLI::App* command = app.add_subcommand("run", "");
  std::string plan;
  command->add_option("--plan", plan, "");
  add_run_options(*command, options);
  app.parse(
      "run --plan 'a b.yaml' --out somewhere --workers 2 --cache none --json --set noc.dims=2x2 --set "
      "pe.x=1");
  EXPECT_EQ(command_text(*options.command), "dfsim run --plan 'a b.yaml' --set noc.dims=2x2 --set pe.x=1");
}

}  // namespace
}  // namespace dfsim
