#include "planner/report/report_html.h"

#include <gtest/gtest.h>

#include <nlohmann/json.hpp>
#include <regex>
#include <set>
#include <string>

#include "planner/report/html/axis.h"
#include "planner/report/html/report_data.h"
#include "planner/report/html/svg.h"
#include "planner/report/html/text.h"
#include "sim/base/files.h"
#include "sim/hw/hardware_config.h"

namespace dfsim {
namespace {

using Json = nlohmann::ordered_json;

const char* const kEvil = "</script><script>alert(1)</script> \"'&<b>";
const char* const kTraffic =
    "source,destination,bytes,messages,packets,mean_wait_cycles\n"
    "\"chip0 pe 0,0\",\"chip0 pe 1,0\",4096,3,5,6.50\n"
    "\"chip0 memory 0\",\"chip0 pe 1,0\",100,1,1,0.00\n";

HardwareSpec chip(const std::string& name) {
  return load_hardware(DFSIM_SOURCE_DIR "/configs/" + name + ".yaml");
}

/// The recorded run in traces/, with a search as the planner would have logged it.
Json recorded() {
  Json json = Json::parse(read_file(DFSIM_SOURCE_DIR "/traces/mlp_mesh4x4/measurement.json"));
  const Json stages = Json::array({{{"operators", {"a"}}, {"pe_groups", {"chip0[0:4,0:4]"}}}});
  json["planner"] = {
      {"optimizer", "dp"},
      {"objective", "interval"},
      {"optimal", false},
      {"gap", 0.25},
      {"stopped", "max_rounds"},
      {"rounds",
       {{{"round", 1},
         {"cost_in", 9},
         {"stages", stages},
         {"candidates", {{"executed", 4}}},
         {"cost_out", 300},
         {"bound", 100}},
        {{"round", 2},
         {"cost_in", 200},
         {"stages", stages},
         {"candidates", {{"stopped", 1}}},
         {"cost_out", 250},
         {"bound", 120}}}},
      {"whole_plan_runs",
       {{{"stages", stages}, {"estimate_cycles", 250}, {"latency_cycles", 900}, {"period_cycles", 260.5}},
        {{"stages", stages},
         {"estimate_cycles", 250},
         {"latency_cycles", nullptr},
         {"period_cycles", nullptr}}}}};
  return json;
}

/// Two windows; PE i computed i cycles in each.
Json activity_data() {
  Json json = {{"version", 1}, {"window_cycles", 100'000}, {"cycles", 180'573}};
  for (int i = 0; i < 16; ++i) json["pes"].push_back({i, i});
  for (int i = 0; i < 48; ++i) json["links"].push_back({i, 0});
  for (int i = 0; i < 8; ++i) json["ports"].push_back({0, i});
  json["packet_latency"] = {{"from_cycles", {0, 1, 2, 3, 4, 5}},
                            {"packets", {0, 0, 1, 0, 97, 2}},
                            {"in_network", {0, 0, 50, 50, 0, 0}}};
  return json;
}
std::string activity() { return activity_data().dump(); }

std::size_t count(const std::string& text, const std::string& what) {
  std::size_t found = 0;
  for (std::size_t at = text.find(what); at != std::string::npos; at = text.find(what, at + 1)) ++found;
  return found;
}

std::string page_of(const Json& json) {
  return report_html(chip("mesh4x4"), json.dump(), kTraffic, activity());
}

/// The content of the data block with this id.
Json block(const std::string& page, const std::string& id) {
  const std::string start = "<script type=\"application/json\" id=\"" + id + "\">";
  const std::size_t at = page.find(start);
  EXPECT_NE(at, std::string::npos);
  const std::size_t begin = at + start.size();
  return Json::parse(page.substr(begin, page.find("</script>", begin) - begin));
}

TEST(ReportHtml, ShowsEveryPeLinkAndPort) {
  const std::string page = page_of(recorded());
  EXPECT_EQ(count(page, "<title>PE "), 3u * 16) << "in three views";
  EXPECT_EQ(count(page, "<title>link "), 3u * 48);
  EXPECT_EQ(count(page, "<title>memory port "), 3u * 8);
  for (const char* id : {"verdict", "map", "gantt", "stalls", "roofline", "prices", "convergence", "traffic",
                         "latency", "energy", "tables"}) {
    EXPECT_EQ(count(page, "<section id=\"" + std::string(id) + "\""), 1u) << id;
    EXPECT_EQ(count(page, "href=\"#" + std::string(id) + "\""), id == std::string("verdict") ? 2u : 1u) << id;
  }
}

TEST(ReportHtml, StartsWithTheVerdict) {
  const std::string page = page_of(recorded());
  EXPECT_LT(page.find("The busiest unit of the run was chip0.memory_0"), page.find("id=\"map\""));
  EXPECT_NE(page.find("dma_dram"), std::string::npos);
  EXPECT_NE(page.find("Gap between the best measured plan and the bound: 25.00 %"), std::string::npos);
}

TEST(ReportHtml, TheBottleneckIsThatOfTheSteadyState) {
  Json json = recorded();
  Json pes = Json::array();
  for (int i = 0; i < 16; ++i)
    pes.push_back({{"id", i}, {"busy_cycles", 300}, {"stall_cycles", {{"noc_no_credit", 700}}}});
  json["steady_state"] = {{"from_cycle", 1000}, {"until_cycle", 2000}, {"pes", pes}};
  const std::string page = page_of(json);
  EXPECT_NE(page.find("PEs spent 70 % on noc_no_credit, 30 % on computing of their cycles"),
            std::string::npos);
  json["steady_state"] = nullptr;
  EXPECT_NE(page_of(json).find("Bottleneck of the run"), std::string::npos);
}

TEST(ReportHtml, AsksForNothingAndRunsOneScript) {
  const std::string page = page_of(recorded());
  EXPECT_NE(page.find("default-src 'none'"), std::string::npos);
  EXPECT_EQ(page.find("unsafe"), std::string::npos);
  for (const char* word : {"http:", "https:", "src=", "url(", "@import", " style=\"", "onclick", "onload",
                           "<link", "<img", "<iframe", "javascript:"})
    EXPECT_EQ(page.find(word), std::string::npos) << word;
  EXPECT_EQ(count(page, "<script"), count(page, "<script type=\"application/json\"") + 1);
  const std::regex nonces("style-src 'nonce-([0-9a-f]+)'; script-src 'nonce-([0-9a-f]+)'");
  std::smatch found;
  ASSERT_TRUE(std::regex_search(page, found, nonces));
  EXPECT_EQ(count(page, "<style nonce=\"" + found[1].str() + "\">"), 1u);
  EXPECT_EQ(count(page, "<script nonce=\"" + found[2].str() + "\">"), 1u);
  const std::string without = report_html(chip("mesh4x4"), recorded().dump(), kTraffic, "");
  EXPECT_EQ(without.find("script-src"), std::string::npos);
  EXPECT_EQ(count(without, "<script"), count(without, "<script type=\"application/json\""));
}

TEST(ReportHtml, NamesAreData) {
  Json json = recorded();
  json["model"] = kEvil;
  json["hardware"] = kEvil;
  json["busiest_unit"] = kEvil;
  json["stages"][0]["name"] = kEvil;
  json["stages"][0]["operators"][0] = kEvil;
  json["planner"]["stopped"] = kEvil;
  const std::string page = page_of(json);
  EXPECT_EQ(page.find("<script>"), std::string::npos);
  EXPECT_EQ(page.find("<b>"), std::string::npos);
  EXPECT_EQ(count(page, "</script>"), 4u) << "the ends of the three data blocks and of the script";
  EXPECT_EQ(block(page, "data-measurement"), json) << "the data holds the name as it is";
}

TEST(ReportHtml, HoldsAllData) {
  const Json json = recorded();
  const std::string page = page_of(json);
  EXPECT_EQ(block(page, "data-measurement"), json);
  const Json moving = block(page, "data-activity");
  EXPECT_EQ(moving["pes"], activity_data()["pes"]);
  EXPECT_EQ(count(page, "data-pe=\"15\""), 1u);
  EXPECT_EQ(count(page, "data-link=\"47\""), 1u);
  EXPECT_EQ(count(page, "data-port=\"7\""), 1u);
  const Json traffic = block(page, "data-traffic");
  EXPECT_EQ(traffic["rows"].size(), 2u);
  EXPECT_EQ(traffic["rows"][0], Json::parse(R"(["chip0 pe 0,0", "chip0 pe 1,0", 4096, 3, 6.5])"));
}

TEST(ReportHtml, LatencyHasPercentilesAndATable) {
  const std::string page = page_of(recorded());
  EXPECT_NE(page.find("Half of the 100 data packets of the run took at least 4 cycles"), std::string::npos);
  EXPECT_NE(
      page.find("one in a hundred at least 5; in the network, without the wait in the source queue, 2 and 3"),
      std::string::npos);
  EXPECT_NE(page.find("4 to 4 cycles since creation: 97 packets"), std::string::npos);
  Json without = activity_data();
  without.erase("packet_latency");  // of an older run
  const std::string older = report_html(chip("mesh4x4"), recorded().dump(), kTraffic, without.dump());
  EXPECT_NE(older.find("No packets with data were recorded"), std::string::npos);
}

TEST(ReportHtml, IdsAreUniqueAndTagsAreClosed) {
  const std::string page = page_of(recorded());
  std::set<std::string> ids;
  const std::regex id(" id=\"([^\"]+)\"");
  for (auto it = std::sregex_iterator(page.begin(), page.end(), id); it != std::sregex_iterator(); ++it)
    EXPECT_TRUE(ids.insert((*it)[1]).second) << (*it)[1];
  for (const char* tag :
       {"section", "svg", "table", "details", "div", "g", "title", "text", "ul", "p", "tr", "td"})
    EXPECT_EQ(count(page, "<" + std::string(tag) + ">") + count(page, "<" + std::string(tag) + " "),
              count(page, "</" + std::string(tag) + ">"))
        << tag;
  EXPECT_EQ(count(page, "role=\"img\""), count(page, "<svg"));
  EXPECT_EQ(count(page, "<caption>"), count(page, "<table>"));
}

TEST(ReportHtml, IsSmallForABusyMesh8x8) {
  const HardwareSpec hardware = chip("mesh8x8");
  Json json = recorded();
  const Json pe = json["pes"][0], port = json["ports"][0];
  json["pes"] = Json::array();
  for (std::uint32_t i = 0; i < hardware.pes.size(); ++i) {
    json["pes"].push_back(pe);
    json["pes"].back()["id"] = i;
    json["pes"].back()["x"] = hardware.pes[i].x;
    json["pes"].back()["y"] = hardware.pes[i].y;
  }
  json["steady_state"] = nullptr;
  json["links"] = Json::array();
  for (const Link& link : hardware.nocs[0].graph.links)
    json["links"].push_back(
        {{"noc", 0}, {"from", link.from.value()}, {"to", link.to.value()}, {"flits", 123456789}});
  json["ports"] = Json::array();
  for (std::uint32_t i = 0; i < hardware.memory.size(); ++i) {
    json["ports"].push_back(port);
    json["ports"].back()["port"] = i;
  }
  std::string traffic = "source,destination,bytes,messages,packets,mean_wait_cycles\n";
  for (int a = 0; a < 64; ++a)
    for (int b = 0; b < 64; ++b)
      traffic += "\"chip0 pe " + std::to_string(a % 8) + "," + std::to_string(a / 8) + "\",\"chip0 pe " +
                 std::to_string(b % 8) + "," + std::to_string(b / 8) + "\",1234567" + std::to_string(a * b) +
                 ",1234,5678,123.45\n";
  const std::string page = report_html(hardware, json.dump(1), traffic, "");
  EXPECT_LT(page.size(), 1'000'000u);
  EXPECT_EQ(count(page, "<title>link "), 3u * 224);
}

TEST(ReportHtml, AGivenPlanHasNoSearch) {
  Json json = recorded();
  json["planner"] = nullptr;
  const std::string page = report_html(chip("mesh4x4"), json.dump(), "", "");
  EXPECT_NE(page.find("The plan was given"), std::string::npos);
  EXPECT_NE(page.find("There is no pe_traffic.csv"), std::string::npos);
}

TEST(ReportHtml, RefusesWhatIsNoMeasurementOfTheHardware) {
  const HardwareSpec hardware = chip("mesh4x4");
  EXPECT_THROW(report_html(hardware, "{", "", ""), std::exception);
  EXPECT_THROW(report_html(hardware, "{}", "", ""), std::exception);
  EXPECT_THROW(report_html(chip("mesh2x2"), recorded().dump(), "", ""), std::runtime_error);
  for (const char* part : {"pes", "links", "ports"}) {
    Json wrong = activity_data();
    wrong[part].erase(0);
    EXPECT_THROW(report_html(hardware, recorded().dump(), "", wrong.dump()), std::runtime_error) << part;
    wrong = activity_data();
    wrong[part][3].erase(0);
    EXPECT_THROW(report_html(hardware, recorded().dump(), "", wrong.dump()), std::runtime_error) << part;
  }
  EXPECT_THROW(report_html(hardware, recorded().dump(), "source\nx,y\n", ""), std::runtime_error);
}

TEST(ReportText, NumbersReadAsPeopleWriteThem) {
  EXPECT_EQ(html::grouped(1234567), "1,234,567");
  EXPECT_EQ(html::grouped(12), "12");
  EXPECT_EQ(html::time_text(1500, 1000), "1.5 us");
  EXPECT_EQ(html::time_text(3, 500), "1.5 ns");
  EXPECT_EQ(html::bytes_text(1536), "1.5 KiB");
  EXPECT_EQ(html::energy_text(1.23e12), "1.23 J");
  EXPECT_EQ(html::percent_text(1, 3), "33 %");
  EXPECT_EQ(html::percent_text(1, 300), "0.3 %");
  EXPECT_EQ(html::percent_text(1, 0), "-");
  EXPECT_EQ(html::short_number(25000), "25k");
  EXPECT_EQ(html::escaped("a<b>&\"'\x01\xFF"), "a&lt;b&gt;&amp;&quot;&#39;\xEF\xBF\xBD\xEF\xBF\xBD");
  EXPECT_EQ(Json::parse(html::script_safe("\"</script>&\"")), "</script>&");
}

TEST(ReportAxis, TicksAreRound) {
  EXPECT_EQ(html::Axis(0, 930, 0, 100).ticks(5), (std::vector<double>{0, 200, 400, 600, 800}));
  EXPECT_EQ(html::Axis(0.1, 100, 0, 3, true).ticks(0).size(), 4u);
  EXPECT_NEAR(html::Axis(0.1, 100, 0, 3, true).at(1), 1, 1e-9);
  EXPECT_NEAR(html::Axis(0, 10, 100, 0).at(2.5), 75, 1e-9);
}

TEST(ReportPalette, ShadesGetLighter) {
  const auto lightness = [](const std::string& colour) {
    return 0.2126 * std::stoi(colour.substr(1, 2), nullptr, 16) +
           0.7152 * std::stoi(colour.substr(3, 2), nullptr, 16) +
           0.0722 * std::stoi(colour.substr(5, 2), nullptr, 16);
  };
  for (int i = 1; i <= 20; ++i)
    EXPECT_GT(lightness(html::shade(i / 20.0)), lightness(html::shade((i - 1) / 20.0)));
  EXPECT_EQ(html::shade(-1), html::shade(0));
  EXPECT_EQ(html::shade(2), html::shade(1));
}

}  // namespace
}  // namespace dfsim
