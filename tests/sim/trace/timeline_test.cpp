#include "sim/trace/timeline.h"

#include <gtest/gtest.h>

#include <stdexcept>

#include "sim/trace/text_sink.h"
#include "tests/sim/pe/program_builder.h"

namespace dfsim {
namespace {

TEST(CycleWindow, MeetsWhatLiesPartlyInside) {
  const CycleWindow window{10, 20};
  EXPECT_TRUE(window.meets(5, 11));
  EXPECT_TRUE(window.meets(19, 30));
  EXPECT_TRUE(window.meets(10, 10));
  EXPECT_FALSE(window.meets(5, 10));
  EXPECT_FALSE(window.meets(20, 30));
}

TEST(LaneAllocator, TakesTheLowestFreeLane) {
  LaneAllocator lanes;
  EXPECT_EQ(lanes.place(0, 10), 0u);
  EXPECT_EQ(lanes.place(5, 8), 1u);
  EXPECT_EQ(lanes.place(8, 9), 1u);
  EXPECT_EQ(lanes.place(10, 10), 0u);
  EXPECT_EQ(lanes.place(10, 12), 1u) << "an interval of no length occupies its cycle";
  EXPECT_EQ(lanes.lanes(), 2u);
}

TEST(Timeline, DoesNotDependOnTheOrderOfTheCalls) {
  ProgramBuilder b;
  b.vector(0, 64);
  b.vector(1, 64);
  b.matmul(1, 8, 8, 8);
  TraceRecorder forward, backward;
  forward.micro_op(PeId(0), 0, 0, 0, 10);
  forward.micro_op(PeId(1), 0, 0, 0, 10);
  forward.micro_op(PeId(1), 1, 0, 2, 10);
  backward.micro_op(PeId(1), 1, 0, 2, 10);
  backward.micro_op(PeId(1), 0, 0, 0, 10);
  backward.micro_op(PeId(0), 0, 0, 0, 10);
  const Timeline x = make_timeline(b.program, forward.records(), {}, 100);
  const Timeline y = make_timeline(b.program, backward.records(), {}, 100);
  ASSERT_EQ(x.slices.size(), 3u);
  ASSERT_EQ(y.slices.size(), 3u);
  for (std::size_t i = 0; i < 3; ++i) EXPECT_EQ(x.slices[i].record, y.slices[i].record);
}

TEST(Timeline, AnArrowGoesWithTheFirstEndThatIsCut) {
  ProgramBuilder b;
  const auto [send, receive] = b.send(0, 1, 64);
  TraceRecorder recorder;
  recorder.micro_op(PeId(0), send, 0, 0, 4);
  recorder.micro_op(PeId(1), receive, 0, 6, 9);
  const Timeline whole = make_timeline(b.program, recorder.records(), {}, 4);
  EXPECT_EQ(whole.slices.size(), 2u);
  EXPECT_TRUE(whole.slices[0].paired && whole.slices[1].paired);
  EXPECT_EQ(whole.left_out, 0u);
  const Timeline cut = make_timeline(b.program, recorder.records(), {}, 3);
  ASSERT_EQ(cut.slices.size(), 1u);
  EXPECT_FALSE(cut.slices[0].paired);
  EXPECT_EQ(cut.left_out, 3u);
  EXPECT_EQ(cut.cut_at_cycle, 6u);
}

TEST(Timeline, RefusesARecordingOfAnotherProgram) {
  ProgramBuilder b;
  b.vector(0, 64);
  TraceRecorder recorder;
  recorder.micro_op(PeId(0), 7, 0, 0, 10);
  EXPECT_THROW(make_timeline(b.program, recorder.records(), {}, 100), std::invalid_argument);
}

TEST(Recorder, KeepsOnlyItsWindow) {
  TraceRecorder recorder(CycleWindow{100, 200});
  recorder.stall(PeId(0), StallCause::no_work, 0, 100);
  recorder.stall(PeId(0), StallCause::no_work, 150, 300);
  ASSERT_EQ(recorder.records().size(), 1u);
  EXPECT_EQ(recorder.records()[0].start, 150u);
  recorder.clear();
  EXPECT_TRUE(recorder.records().empty());
}

TEST(JsonString, EscapesEverythingThatNeedsIt) {
  EXPECT_EQ(json_string("a\"b\\c\n</script>"), R"("a\"b\\c\u000a\u003c/script>")");
  EXPECT_EQ(json_string("\xc3\xa9 \xe2\x82\xac"), "\"\xc3\xa9 \xe2\x82\xac\"") << "UTF-8 stays";
  EXPECT_EQ(json_string("\xff\xc3"), R"("\ufffd\ufffd")");
  EXPECT_EQ(json_string("\xed\xa0\x80"), R"("\ufffd\ufffd\ufffd")") << "surrogates are not UTF-8";
}

TEST(Microseconds, AreExact) {
  EXPECT_EQ(microseconds(0), "0.000000");
  EXPECT_EQ(microseconds(1'234'567'000'001), "1234567.000001");
}

}  // namespace
}  // namespace dfsim
