#include "sim/trace/vcd_trace.h"

#include <gtest/gtest.h>

#include <set>
#include <sstream>

#include "tests/sim/trace/example.h"

namespace dfsim {
namespace {

/// A dump, read back: for each signal its changes.
struct Dump {
  std::map<std::string, std::vector<std::pair<std::uint64_t, double>>> signals;
  std::uint64_t last = 0;

  explicit Dump(const std::string& text) { read(text); }
  void read(const std::string& text) {
    std::istringstream in(text);
    std::vector<std::string> scopes;
    std::map<std::string, std::string> names;
    for (std::string line; std::getline(in, line);) {
      std::istringstream words(line);
      std::string word, kind, bits, code, name;
      words >> word;
      if (word == "$scope") {
        words >> kind >> name;
        scopes.push_back(name);
      } else if (word == "$upscope") {
        ASSERT_FALSE(scopes.empty());
        scopes.pop_back();
      } else if (word == "$var") {
        words >> kind >> bits >> code >> name;
        EXPECT_TRUE(names.emplace(code, scopes.back() + "." + name).second) << "a code is used twice";
      } else if (word == "$enddefinitions") {
        EXPECT_TRUE(scopes.empty());
      } else if (word[0] == '#') {
        const std::uint64_t at = std::stoull(word.substr(1));
        EXPECT_TRUE(at > last || at == 0) << "time goes back";
        last = at;
      } else if ((word[0] == 'b' || word[0] == 'r') && words >> code) {
        ASSERT_TRUE(names.contains(code)) << line;
        const double value = word[0] == 'b' ? static_cast<double>(std::stoull(word.substr(1), nullptr, 2))
                                            : std::stod(word.substr(1));
        signals[names[code]].emplace_back(last, value);
      }
    }
  }
  double integral(const std::string& name) const {
    const auto& changes = signals.at(name);
    double sum = 0;
    for (std::size_t i = 0; i + 1 < changes.size(); ++i)
      sum += changes[i].second * static_cast<double>(changes[i + 1].first - changes[i].first);
    return sum;
  }
};

std::string text_of(Example& example) {
  StringSink out;
  VcdTrace sink(out, example.hardware.clock_period_ps);
  write_timeline({example.recorder,
                  example.b.program,
                  example.hardware,
                  example.measurement,
                  {trace_text("command_line", "dfsim $end $var")}},
                 sink);
  return out.text;
}

TEST(VcdTrace, CountsWhatIsUnderWay) {
  Example example;
  const Dump dump(text_of(example));
  EXPECT_DOUBLE_EQ(dump.integral("chip0_pe_0_0_stage0.matrix"), 3 * (20 + 20) * 1000);
  EXPECT_DOUBLE_EQ(dump.integral("chip0_pe_0_0_stage0.tx"), 3 * (9 + 16) * 1000);
  EXPECT_DOUBLE_EQ(dump.integral("chip0_pe_1_0_stage0.stall_dependence"), 3 * 66 * 1000);
  EXPECT_DOUBLE_EQ(dump.integral("stages.stage0"), 3 * 120 * 1000);
  double most = 0;
  for (const auto& [at, value] : dump.signals.at("chip0_pe_0_0_stage0.matrix")) most = std::max(most, value);
  EXPECT_EQ(most, 2) << "two micro-ops share the pipeline";
  EXPECT_EQ(dump.last, 320'000u);
  for (const auto& [name, changes] : dump.signals)
    EXPECT_TRUE(name.find("link") != std::string::npos || changes.back().second == 0) << name;
}

TEST(VcdTrace, CountersAreReals) {
  TraceOptions options;
  options.counter_cycles = 50;
  Example example(3, options);
  const Dump dump(text_of(example));
  EXPECT_EQ(dump.signals.at("chip0_noc_links.link_0_0_1_0").back().second, 20);
  EXPECT_EQ(dump.signals.at("memory.chip0_memory_0_read").back().second, 8);
}

TEST(VcdTrace, EqualRunsGiveEqualBytes) {
  Example a, b;
  EXPECT_EQ(text_of(a), text_of(b));
}

}  // namespace
}  // namespace dfsim
