#include "sim/trace/perfetto_trace.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <protozero/pbf_reader.hpp>
#include <set>
#include <tuple>

#include "tests/sim/trace/example.h"

namespace dfsim {
namespace {

using protozero::pbf_reader;

using Arguments = std::map<std::string, std::string>;

/// (group, track, start ns, end ns, name, category, arguments)
using SliceText =
    std::tuple<std::string, std::string, std::uint64_t, std::uint64_t, std::string, std::string, Arguments>;
using ArrowEnd = std::tuple<std::uint64_t, std::string, std::string>;  // number, group, track
using CounterText = std::tuple<std::string, std::string, std::uint64_t, double>;

/// What a trace says, whatever the format.
struct Events {
  std::multiset<SliceText> slices;
  std::multiset<ArrowEnd> tails, heads;
  std::multiset<CounterText> counters;
  Arguments head;
};

/// Reads the fields that PerfettoTrace writes, by their numbers in docs/schemas/trace.proto.
class PerfettoReader {
 public:
  explicit PerfettoReader(const std::string& bytes) {
    pbf_reader trace(bytes);
    while (trace.next(1)) packet(trace.get_message());
    for (const auto& [track, open] : open_) EXPECT_TRUE(open.empty()) << "a slice has no end";
  }
  Events events;

 private:
  struct Track {
    std::string name;
    std::uint64_t parent = 0;
  };
  struct Slice {
    SliceText text;
    std::uint64_t start;
  };
  using Texts = std::map<std::uint64_t, std::string>;

  void packet(pbf_reader message) {
    std::uint64_t timestamp = 0;
    while (message.next()) switch (message.tag()) {
        case 8:
          timestamp = message.get_uint64();
          break;
        case 12:
          interned(message.get_message());
          break;
        case 60:
          descriptor(message.get_message());
          break;
        case 11:
          event(message.get_message(), timestamp);
          break;
        default:
          message.skip();
      }
  }
  void interned(pbf_reader message) {
    while (message.next()) {
      Texts& table = tables_[message.tag()];
      pbf_reader entry = message.get_message();
      std::uint64_t number = 0;
      std::string text;
      while (entry.next())
        if (entry.tag() == 1)
          number = entry.get_uint64();
        else
          text = entry.get_string();
      EXPECT_TRUE(table.emplace(number, text).second);
    }
  }
  void descriptor(pbf_reader message) {
    std::uint64_t uuid = 0;
    Track track;
    while (message.next()) switch (message.tag()) {
        case 1:
          uuid = message.get_uint64();
          break;
        case 2:
          track.name = message.get_string();
          break;
        case 3:
        case 4: {
          const auto name_field = message.tag() == 3 ? 6u : 5u;
          pbf_reader part = message.get_message();
          while (part.next())
            if (part.tag() == name_field)
              track.name = part.get_string();
            else
              part.skip();
          break;
        }
        case 5:
          track.parent = message.get_uint64();
          break;
        default:
          message.skip();
      }
    EXPECT_TRUE(tracks_.emplace(uuid, track).second) << "described twice";
  }
  void event(pbf_reader message, std::uint64_t timestamp) {
    std::uint64_t track = 0, name = 0, category = 0, flow = 0, terminating = 0;
    bool has_flow = false, has_terminating = false;
    int type = 0;
    double value = 0;
    Arguments arguments;
    while (message.next()) switch (message.tag()) {
        case 3:
          category = message.get_uint64();
          break;
        case 4:
          annotation(message.get_message(), arguments);
          break;
        case 9:
          type = message.get_enum();
          break;
        case 10:
          name = message.get_uint64();
          break;
        case 11:
          track = message.get_uint64();
          break;
        case 44:
          value = message.get_double();
          break;
        case 47:
          flow = message.get_fixed64();
          has_flow = true;
          break;
        case 48:
          terminating = message.get_fixed64();
          has_terminating = true;
          break;
        default:
          ADD_FAILURE() << "unexpected field " << message.tag();
          message.skip();
      }
    ASSERT_TRUE(tracks_.contains(track));
    const std::string group = tracks_[tracks_[track].parent].name, own = tracks_[track].name;
    if (has_flow) events.tails.insert({flow, group, own});
    if (has_terminating) events.heads.insert({terminating, group, own});
    if (type == 1)
      open_[track].push_back(
          {group, own, timestamp, 0, tables_[2].at(name), tables_[1].at(category), arguments});
    if (type == 2) {
      ASSERT_EQ(open_[track].size(), 1u) << "slices of a track overlap";
      SliceText slice = open_[track].back();
      open_[track].pop_back();
      std::get<3>(slice) = timestamp;
      EXPECT_GE(timestamp, std::get<2>(slice));
      events.slices.insert(slice);
    }
    if (type == 3) events.head = arguments;
    if (type == 4) events.counters.insert({group, own, timestamp, value});
  }
  void annotation(pbf_reader message, Arguments& arguments) {
    std::string name, value;
    while (message.next()) switch (message.tag()) {
        case 1:
          name = tables_[3].at(message.get_uint64());
          break;
        case 3:
          value = std::to_string(message.get_uint64());
          break;
        case 17:
          value = tables_[29].at(message.get_uint64());
          break;
        default:
          ADD_FAILURE() << "unexpected field " << message.tag();
          message.skip();
      }
    arguments[name] = value;
  }

  std::map<std::uint32_t, Texts> tables_;
  std::map<std::uint64_t, Track> tracks_;
  std::map<std::uint64_t, std::vector<SliceText>> open_;
};

Arguments arguments_of(const nlohmann::json& object) {
  Arguments arguments;
  for (const auto& [key, value] : object.items())
    arguments[key] = value.is_string() ? value.get<std::string>() : value.dump();
  return arguments;
}

Events chrome_events(const nlohmann::json& trace) {
  Events events;
  std::map<int, std::string> groups, tracks;
  const auto nanoseconds = [](std::int64_t ps) { return static_cast<std::uint64_t>(ps / 1000); };
  for (const auto& e : trace["traceEvents"]) {
    const std::string phase = e["ph"];
    const std::string group = groups[e["pid"]], track = tracks[e["tid"]];
    if (phase == "M" && e["name"] == "process_name") groups[e["pid"]] = e["args"]["name"];
    if (phase == "M" && e["name"] == "thread_name") tracks[e["tid"]] = e["args"]["name"];
    const std::int64_t start = phase == "M" ? 0 : picoseconds(e["ts"]);
    if (phase == "X")
      events.slices.insert({group, track, nanoseconds(start), nanoseconds(start + picoseconds(e["dur"])),
                            e["name"], e["cat"], arguments_of(e["args"])});
    if (phase == "s") events.tails.insert({e["id"], group, track});
    if (phase == "f") events.heads.insert({e["id"], group, track});
    if (phase == "C")
      events.counters.insert({group, e["name"], nanoseconds(start), e["args"].begin()->get<double>()});
  }
  events.head = arguments_of(trace["otherData"]);
  return events;
}

TEST(PerfettoTrace, EqualsTheJsonEventForEvent) {
  TraceOptions options;
  options.counter_cycles = 50;
  Example example(3, options);
  example.hardware.clock_period_ps = 769;
  example.origin = {{"command_line", true, 0, "dfsim"}};
  StringSink out;
  PerfettoTrace sink(out, example.hardware.clock_period_ps);
  write_timeline({example.recorder, example.b.program, example.hardware, example.measurement, example.origin},
                 sink);
  const Events perfetto = PerfettoReader(out.text).events, chrome = chrome_events(example.json());
  EXPECT_EQ(perfetto.slices.size(), 3u + 30u);
  EXPECT_EQ(perfetto.tails.size(), 6u);
  EXPECT_EQ(perfetto.counters.size(), 21u);
  EXPECT_EQ(perfetto.slices, chrome.slices);
  EXPECT_EQ(perfetto.tails, chrome.tails);
  EXPECT_EQ(perfetto.heads, chrome.heads);
  EXPECT_EQ(perfetto.counters, chrome.counters);
  EXPECT_EQ(perfetto.head, chrome.head);
}

TEST(PerfettoTrace, TextsAreWrittenOnce) {
  Example example(200);
  StringSink out;
  PerfettoTrace sink(out, 1000);
  write_timeline({example.recorder, example.b.program, example.hardware, example.measurement, {}}, sink);
  std::size_t found = 0;
  for (std::size_t at = out.text.find("</script>"); at != std::string::npos;
       at = out.text.find("</script>", at + 1))
    ++found;
  EXPECT_EQ(found, 1u);
  EXPECT_LT(out.text.size() * 2, example.text().size());
}

}  // namespace
}  // namespace dfsim
