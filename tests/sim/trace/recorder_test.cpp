#include "sim/trace/recorder.h"

#include <gtest/gtest.h>

#include "tests/sim/trace/example.h"

namespace dfsim {
namespace {

TEST(TraceRecorder, DefaultWindowIsOneIntervalAfterTheFill) {
  const Example example;
  const auto window = [&](std::uint32_t fill) {
    const TraceOptions options = one_period_after_fill(example.measurement, fill);
    return std::pair(options.from, options.until);
  };
  EXPECT_EQ(window(0), (std::pair<std::uint64_t, std::uint64_t>(0, 120)));
  EXPECT_EQ(window(1), (std::pair<std::uint64_t, std::uint64_t>(120, 220)));
  EXPECT_EQ(window(9), (std::pair<std::uint64_t, std::uint64_t>(220, 320)));
}

TEST(TraceRecorder, OrderDoesNotDependOnThatOfTheCalls) {
  TraceRecorder a{TraceOptions{}}, b{TraceOptions{}};
  a.micro_op(PeId(0), 1, 0, 5, 20);
  a.micro_op(PeId(1), 1, 0, 5, 20);
  a.stall(PeId(0), StallCause::no_work, 0, 5);
  b.stall(PeId(0), StallCause::no_work, 0, 5);
  b.micro_op(PeId(1), 1, 0, 5, 20);
  b.micro_op(PeId(0), 1, 0, 5, 20);
  ASSERT_EQ(a.records().size(), 3u);
  TraceRecorder::Records::Reader from_a(a.records()), from_b(b.records());
  EXPECT_EQ(from_a.get()->end(), 5u);
  for (std::size_t i = 0; i < 3; ++i, from_a.next(), from_b.next()) {
    EXPECT_EQ(from_a.get()->end(), from_b.get()->end());
    EXPECT_EQ(from_a.get()->pe, from_b.get()->pe);
  }
  EXPECT_EQ(from_a.get(), nullptr);
}

TEST(TraceRecorder, ATransferOutsideTheWindowIsLeftOutThoughItWasGrantedInside) {
  TraceOptions options;
  options.until = 100;
  TraceRecorder recorder(options);
  recorder.micro_op(PeId(0), 0, 0, 50, 200);
  recorder.transfer(TransferId(0), 0, 150, 200);
  EXPECT_TRUE(recorder.records().empty());
  recorder.micro_op(PeId(0), 0, 0, 50, 200);
  recorder.transfer(TransferId(0), 0, 90, 200);
  EXPECT_EQ(recorder.records().size(), 1u);
}

TEST(TraceRecorder, StallsAreSplitOverTheWindows) {
  TraceOptions options;
  options.detail = TraceDetail::stage;
  options.counter_cycles = 10;
  TraceRecorder recorder(options);
  recorder.stall(PeId(0), StallCause::no_work, 5, 32);
  recorder.stall(PeId(1), StallCause::no_work, 8, 10);
  EXPECT_EQ(recorder.stalled_cycles(), (std::vector<std::uint64_t>{7, 10, 10, 2}));
  EXPECT_TRUE(recorder.records().empty());
}

TEST(TraceRecorder, MillionsOfRecordsFit) { EXPECT_LE(sizeof(TraceRecorder::Record), 24u); }

}  // namespace
}  // namespace dfsim
