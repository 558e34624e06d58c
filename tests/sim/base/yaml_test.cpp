#include "sim/base/yaml.h"

#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>

#include "sim/base/files.h"

namespace dfsim {
namespace {

namespace fs = std::filesystem;

/// A folder of its own for each test; the current folder while the test runs, so names stay short.
class Yaml : public testing::Test {
 protected:
  void SetUp() override {
    const auto* info = testing::UnitTest::GetInstance()->current_test_info();
    folder_ =
        fs::temp_directory_path() / ("dfsim_yaml_" + std::string(info->name()) + std::to_string(::getpid()));
    fs::create_directories(folder_);
    before_ = fs::current_path();
    fs::current_path(folder_);
  }
  void TearDown() override {
    fs::current_path(before_);
    fs::remove_all(folder_);
  }
  static void write(const std::string& name, const std::string& text) { write_file_atomically(name, text); }

  YamlDocument load(const std::string& path, YamlOptions options = {}) {
    return load_yaml(path, options, diagnostics_);
  }
  YamlDocument text(const std::string& text, YamlOptions options = {}) {
    return load_yaml_text(text, "t.yaml", options, diagnostics_);
  }
  /// All messages, sorted, one after the other.
  std::string messages() const {
    try {
      diagnostics_.throw_if_any<ConfigError>();
    } catch (const ConfigError& e) {
      return e.what();
    }
    return {};
  }
  void expect_message(const std::string& part) const {
    EXPECT_NE(messages().find(part), std::string::npos) << "in:\n" << messages();
  }

  Diagnostics diagnostics_;

 private:
  fs::path folder_, before_;
};

TEST_F(Yaml, ReadsTypedValuesWithFallbacks) {
  const YamlDocument document = text("a: 3\nb: 2.5\nc: yes\nd: word\ne: [1, 2]\nf: {g: x}\n");
  const YamlValue root = document.root();
  EXPECT_EQ(root["a"].integer(1, 5, 0), 3);
  EXPECT_EQ(root["b"].number(0, 10), 2.5);
  EXPECT_TRUE(root["c"].boolean());
  EXPECT_EQ(root["d"].string(), "word");
  EXPECT_EQ(root["e"].items()[1].integer(0, 9), 2);
  EXPECT_EQ(root["f"]["g"].one_of({"x", "y"}, "y"), "x");
  EXPECT_EQ(root["absent"].integer(1, 5, 4), 4);
  EXPECT_EQ(root["absent2"]["below"].string("z"), "z");
  document.finish();
  EXPECT_EQ(messages(), "");
}

TEST_F(Yaml, ReportsWrongTypesWithLocationAndGoesOn) {
  const YamlDocument document = text("a: x\nb: 7\nc: maybe\nd: [1]\ne: \"5\"\nf: {k: v}\n");
  const YamlValue root = document.root();
  EXPECT_EQ(root["a"].integer(1, 5, 2), 2);
  EXPECT_EQ(root["b"].integer(1, 5, 2), 2);
  root["c"].boolean();
  root["d"].string();
  root["e"].integer(1, 9);
  root["f"].number(0, 1);
  document.finish();
  EXPECT_EQ(messages(),
            "t.yaml:1:4: error: a: expected an integer from 1 to 5, found 'x'\n"
            "t.yaml:2:4: error: b: expected an integer from 1 to 5, found '7'\n"
            "t.yaml:3:4: error: c: expected true or false, found 'maybe'\n"
            "t.yaml:4:4: error: d: expected a string, found a list\n"
            "t.yaml:5:4: error: e: expected an integer from 1 to 9, found the string \"5\"\n"
            "  leave out the quotes\n"
            "t.yaml:6:4: error: f: expected a number from 0 to 1, found a mapping");
}

TEST_F(Yaml, ReportsUnreadKeysWithTheNearestKnownKey) {
  const YamlDocument document = text("noc:\n  link_latency: 2\n  zzz: 1\n");
  document.root()["noc"]["link_latency_cycles"].integer(1, 9, 1);
  document.finish();
  expect_message("t.yaml:2:3: error: unknown key 'link_latency' in 'noc'\n  known here: link_latency_cycles");
  expect_message("t.yaml:3:3: error: unknown key 'zzz' in 'noc'");
}

TEST_F(Yaml, SuggestsTheNearestKey) {
  const YamlDocument document = text("virtual_chanels: 2\n");
  document.root()["virtual_channels"].integer(1, 9, 1);
  document.finish();
  EXPECT_EQ(messages(),
            "t.yaml:1:1: error: unknown key 'virtual_chanels'\n  did you mean 'virtual_channels'?");
}

TEST_F(Yaml, ReportsMissingKeys) {
  const YamlDocument document = text("noc: {}\n");
  document.root().require("noc").require("dims");
  EXPECT_EQ(messages(), "t.yaml:1:6: error: missing key 'dims' in 'noc'");
}

TEST_F(Yaml, ReportsUnknownNamesWithTheKnownOnes) {
  const YamlDocument document = text("r: yx\n");
  document.root()["r"].one_of({"xy", "odd_even"}, "xy");
  EXPECT_EQ(messages(), "t.yaml:1:4: error: r: unknown value 'yx'\n  did you mean 'xy'? known: xy, odd_even");
}

TEST_F(Yaml, RefusesDuplicateKeysAllOfThem) {
  text("a: 1\nb: 2\na: 3\nb: 4\n");
  EXPECT_EQ(messages(),
            "t.yaml:3:1: error: duplicate key 'a'\n  first given at t.yaml:1:1\n"
            "t.yaml:4:1: error: duplicate key 'b'\n  first given at t.yaml:2:1");
}

TEST_F(Yaml, ReportsSyntaxErrors) {
  for (const char* bad : {"a: [1, 2\nb: 3\n", "a: {x: 1\n", "a: 'open\n", "a: *none\n", "a: b: c\n",
                          "\ta: 1\n", "a: 1\n b: 2\n", "%YAML 9\n", "!!!", "- a\nb: 1\n"}) {
    Diagnostics diagnostics;
    const YamlDocument document = load_yaml_text(bad, "t.yaml", {}, diagnostics);
    ASSERT_FALSE(diagnostics.empty()) << bad;
    EXPECT_GT(diagnostics.list()[0].where.line, 0) << bad;
  }
}

TEST_F(Yaml, RefusesEmptyFilesListsAndSeveralDocuments) {
  text("");
  text("# only a comment\n");
  text("- a\n- b\n");
  text("a: 1\n---\nb: 2\n");
  text(std::string("a: 1\n\0", 6));
  EXPECT_EQ(diagnostics_.list().size(), 5u) << messages();
  expect_message("the file is empty at the top level");
  expect_message("expected a mapping at the top level");
  expect_message("more than one YAML document");
  expect_message("zero byte");
}

TEST_F(Yaml, ExpandsAliases) {
  const YamlDocument document = text("a: &x {k: 1}\nb: *x\n");
  EXPECT_EQ(document.root()["b"]["k"].integer(0, 9), 1);
  EXPECT_EQ(messages(), "");
}

TEST_F(Yaml, RefusesAliasBombs) {
  std::string bomb = "a0: &a0 [x, x, x, x, x, x, x, x, x]\n";
  for (int i = 1; i < 12; ++i) {
    bomb += "a" + std::to_string(i) + ": &a" + std::to_string(i) + " [";
    for (int k = 0; k < 9; ++k) bomb += (k ? ", *a" : "*a") + std::to_string(i - 1);
    bomb += "]\n";
  }
  text(bomb);
  expect_message("more than 500000 values once aliases are expanded");
}

TEST_F(Yaml, RefusesAliasesOfThemselvesAndDeepNests) {
  text("a: &x [*x]\n");
  expect_message("this alias stands inside the value that it refers to");
  text("a: " + std::string(200, '[') + std::string(200, ']') + "\n");
  expect_message("nested more than 100 levels deep");
  text("a: " + std::string(100000, '['));
  text("a: " + std::string(100000, '{'));
  EXPECT_EQ(diagnostics_.list().size(), 4u);
}

TEST_F(Yaml, MergesFragmentsAndRemembersFiles) {
  write("f/base.yaml", "noc:\n  dims: [2, 2]\n  vcs: 4\nname: base\n");
  write("f/more.yaml", "extends: base.yaml\nnoc:\n  vcs: 6\n");
  write("main.yaml", "extends: [f/base.yaml, f/more.yaml]\nnoc:\n  dims: [8]\n");
  const YamlDocument document = load("main.yaml");
  const YamlValue noc = document.root()["noc"];
  EXPECT_EQ(noc["vcs"].integer(0, 9), 6);
  EXPECT_EQ(noc["vcs"].where(), (SourceLocation{"f/more.yaml", 3, 8}));
  EXPECT_EQ(noc["dims"].items().size(), 1u);  // lists are replaced
  EXPECT_EQ(noc["dims"].where(), (SourceLocation{"main.yaml", 3, 9}));
  EXPECT_EQ(document.root()["name"].string(), "base");
  EXPECT_EQ(document.files(), (std::vector<std::string>{"main.yaml", "f/base.yaml", "f/more.yaml"}));
  EXPECT_EQ(messages(), "");
}

TEST_F(Yaml, IncludesFilesByTagAndByPath) {
  write("dev.yaml", "rate: 7\n");
  write("main.yaml", "a: !include dev.yaml\nmemory: {device: dev.yaml}\nlist: [{d: dev.yaml}, {d: plain}]\n");
  YamlOptions options;
  options.file_paths = {"memory.device", "list[*].d"};
  const YamlDocument document = load("main.yaml", options);
  EXPECT_EQ(document.root()["a"]["rate"].integer(0, 9), 7);
  EXPECT_EQ(document.root()["memory"]["device"]["rate"].integer(0, 9), 7);
  EXPECT_EQ(document.root()["list"].items()[0]["d"]["rate"].integer(0, 9), 7);
  EXPECT_EQ(document.root()["list"].items()[1]["d"].string(), "plain");
  EXPECT_EQ(messages(), "");
}

TEST_F(Yaml, ReportsMissingFilesAndCyclesWhereTheyAreNamed) {
  load("none.yaml");
  expect_message("none.yaml:1:1: error: cannot read none.yaml: No such file or directory");
  write("a.yaml", "x: 1\nextends: gone.yaml\n");
  load("a.yaml");
  expect_message("a.yaml:2:10: error: cannot read gone.yaml");
  write("b.yaml", "extends: c.yaml\n");
  write("c.yaml", "k:\n  extends: b.yaml\n");
  load("b.yaml");
  expect_message("c.yaml:2:12: error: 'b.yaml' is named again by a file that it needs itself: a cycle");
  write("l.yaml", "- 1\n");
  write("e.yaml", "extends: l.yaml\n");
  load("e.yaml");
  expect_message("e.yaml:1:10: error: 'l.yaml' holds no mapping to extend");
  load(".");
  expect_message("cannot read .: is a folder");
}

TEST_F(Yaml, RefusesFragmentBombs) {
  write("f0.yaml", "a: 1\n");
  for (int i = 1; i < 15; ++i) {
    const std::string below = "f" + std::to_string(i - 1) + ".yaml";
    write("f" + std::to_string(i) + ".yaml", "extends: [" + below + ", " + below + ", " + below + "]\n");
  }
  load("f14.yaml");
  expect_message("too many fragments");
}

TEST_F(Yaml, AppliesOverridesWithTheirOwnLocation) {
  YamlOptions options;
  options.overrides = {"noc.dims=[4, 4]", "list[1].k=5", "noc={vcs: 8}", "fresh.key=1", "list[0]=plain"};
  const YamlDocument document = text("noc: {dims: [2], vcs: 4, w: 1}\nlist: [{k: 1}, {k: 2}]\n", options);
  const YamlValue noc = document.root()["noc"];
  EXPECT_EQ(noc["dims"].items().size(), 2u);
  EXPECT_EQ(noc["vcs"].integer(0, 9), 8);
  EXPECT_EQ(noc["w"].integer(0, 9), 1);
  EXPECT_EQ(noc["vcs"].where(), (SourceLocation{"--set noc", 0, 0}));
  EXPECT_EQ(document.root()["list"].items()[1]["k"].integer(0, 9), 5);
  EXPECT_EQ(document.root()["fresh"]["key"].integer(0, 9), 1);
  EXPECT_EQ(messages(), "");
}

TEST_F(Yaml, ReportsBadOverrides) {
  YamlOptions options;
  options.overrides = {"noc.vc=3", "noc.vcs.x=3", "list[7]=1",  "noc[0]=1",
                       "nothing",  "a..b=1",      "noc.dims=[1"};
  const YamlDocument document = text("noc: {vcs: 4}\nlist: [1]\n", options);
  document.root()["list"].items();
  document.root()["noc"]["vcs"].integer(0, 9);
  document.finish();
  expect_message("--set noc.vc: error: unknown key 'vc' in 'noc'\n  did you mean 'vcs'?");
  expect_message("--set noc.vcs.x: error: 'noc.vcs' is a single value; it has no key 'x'");
  expect_message("--set list[7]: error: 'list' has 1 items, counted from 0");
  expect_message("--set noc[0]: error: 'noc' is not a list");
  expect_message("--set nothing: error: expected key.path=value");
  expect_message("--set a..b: error: expected key.path=value");
  expect_message("--set noc.dims:1:");
}

TEST_F(Yaml, OverridesReachIntoScopes) {
  const std::vector<std::string> all = {"model.sequence=3", "noc.x=1", "model.batc=2"};
  YamlOptions options;
  options.overrides = overrides_for("model", all);
  options.override_prefix = "model.";
  options.override_scopes = {"dimensions"};
  EXPECT_EQ(overrides_except({"model"}, all), std::vector<std::string>{"noc.x=1"});
  const YamlDocument document = text("dimensions: {sequence: 128, batch: 1}\n", options);
  const YamlValue dimensions = document.root()["dimensions"];
  EXPECT_EQ(dimensions["sequence"].integer(1, 999), 3);
  EXPECT_EQ(dimensions["sequence"].where().file, "--set model.sequence");
  dimensions["batch"].integer(1, 9);
  document.finish();
  EXPECT_EQ(messages(), "--set model.batc: error: unknown key 'batc'\n  did you mean 'batch'?");
}

TEST_F(Yaml, ResolvedTextLoadsAgainWithDefaults) {
  const std::string source =
      "name: \"8\"\nlist:\n  - {a: 1, b: [x, 'y z', \"q\\\"\\n\"]}\n  - 5\nnested:\n  deep: {k: 'null'}\n  "
      "empty: {}\n"
      "  none: []\n'odd key: #': -1.5e3\n";
  const YamlDocument document = text(source);
  const YamlValue root = document.root();
  root["nested"]["deep"]["extra"].integer(0, 9, 7);
  root["absent"]["inner"].string("yes: no");
  root["quiet"].quiet()["x"].integer(0, 9, 1);
  const std::string resolved = document.resolved_text();
  const YamlDocument again = load_yaml_text(resolved, "r.yaml", {}, diagnostics_);
  ASSERT_EQ(messages(), "") << resolved;
  EXPECT_EQ(again.resolved_text(), resolved);
  const YamlValue other = again.root();
  EXPECT_EQ(other["name"].node()->quoted, true);
  EXPECT_EQ(other["list"].items()[0]["b"].items()[2].string(), "q\"\n");
  EXPECT_EQ(other["nested"]["deep"]["k"].string(), "null");
  EXPECT_EQ(other["nested"]["deep"]["extra"].integer(0, 9), 7);
  EXPECT_EQ(other["absent"]["inner"].string(), "yes: no");
  EXPECT_FALSE(other["quiet"].present());
  EXPECT_EQ(other["odd key: #"].number(-1e9, 1e9), -1500.0);
}

TEST_F(Yaml, AnnotatedTextSaysWhereValuesComeFrom) {
  write("f/base.yaml", "noc:\n  vcs: 4\n");
  write("main.yaml", "extends: f/base.yaml\nnoc:\n  dims: [2, 2]\n");
  YamlOptions options;
  options.overrides = {"noc.x=1"};
  const YamlDocument document = load("main.yaml", options);
  document.root()["noc"]["y"].integer(0, 9, 3);
  EXPECT_EQ(document.annotated_text(),
            "noc:\n  vcs: 4  # f/base.yaml:2\n  dims: [2, 2]  # main.yaml:3\n  x: 1  # --set noc.x\n"
            "  y: 3  # default\n");
}

TEST_F(Yaml, FindsInputFilesInOrder) {
  write("configs/a.yaml", "x: 1\n");
  write("path/b.yaml", "x: 1\n");
  write("path/configs/c.yaml", "x: 1\n");
  write("prefix/bin/dfsim", "");
  write("prefix/share/dfsim/configs/d.yaml", "x: 1\n");
  ::setenv("DFSIM_PATH", "nowhere:path", 1);
  EXPECT_EQ(find_input_file("a.yaml", "configs"), "configs/a.yaml");
  EXPECT_EQ(find_input_file("a", "configs"), "configs/a.yaml");
  EXPECT_EQ(find_input_file("b.yaml", "configs"), "path/b.yaml");
  EXPECT_EQ(find_input_file("c.yaml", "configs"), "path/configs/c.yaml");
  const std::optional<std::string> installed = find_input_file("d.yaml", "configs", "prefix/bin/dfsim");
  ASSERT_TRUE(installed);
  EXPECT_TRUE(fs::equivalent(*installed, "prefix/share/dfsim/configs/d.yaml"));
  EXPECT_FALSE(find_input_file("d.yaml", "configs"));
  EXPECT_FALSE(find_input_file("x/a.yaml", "configs"));
  write("a.yaml", "x: 2\n");
  EXPECT_EQ(find_input_file("a.yaml", "configs"), "a.yaml");
  ::unsetenv("DFSIM_PATH");
}

TEST_F(Yaml, WritesFilesWholeOrNotAtAll) {
  write_file_atomically("out/a/b.txt", "one");
  write_file_atomically("out/a/b.txt", "two");
  EXPECT_EQ(read_file("out/a/b.txt"), "two");
  EXPECT_EQ(std::distance(fs::directory_iterator("out/a"), fs::directory_iterator()), 1);
  fs::create_directories("out/folder/x");
  EXPECT_THROW(write_file_atomically("out/folder", "x"), FileError);
  EXPECT_THROW(write_file_atomically("/proc/none/x", "x"), FileError);
  EXPECT_THROW(read_file("out/none"), FileError);
}

}  // namespace
}  // namespace dfsim
