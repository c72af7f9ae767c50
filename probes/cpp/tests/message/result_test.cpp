#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "failure.hpp"
#include "message/signal_result.hpp"
#include "support/schema.hpp"

namespace threadping::message {
namespace {

SignalResult example() {
  SignalResult result;
  result.mechanism = "cas-one-line";
  result.threads = {
      {.role = "ping",
       .cpus_start = {0},
       .cpus_end = {0, 1},
       .counters = {.cpu_ns = 1,
                    .voluntary_switches = 2,
                    .involuntary_switches = 3,
                    .migrations = 4,
                    .minor_faults = 5,
                    .major_faults = 6}},
  };
  result.clock = {.cost_ns = 19.456, .resolution_ns = 10};
  result.warmup_ops = 7;
  result.warmup_ns = 8;
  result.warmup_complete = false;
  result.measured_ops = 9;
  result.measured_ns = 10;
  result.cut = true;
  result.block_round_trips = 11;
  result.lines = {{120.126, 119.0}, {}};
  result.partial = PartialBlock{.line = 1, .round_trips = 12, .ns = 13};
  result.singles = {{118, 500}, {9000, 1}};
  result.machine = {.steal_ns = 14, .interrupts = 15};
  return result;
}

TEST(ResultMessage, HasEveryFigureInItsPlace) {
  constexpr const char* kExpected =
      R"({"schema":1,"experiment":"signal","mechanism":"cas-one-line",)"
      R"("threads":[{"role":"ping","cpus_start":[0],"cpus_end":[0,1],"cpu_ns":1,"voluntary_switches":2,)"
      R"("involuntary_switches":3,"migrations":4,"minor_faults":5,"major_faults":6}],)"
      R"json("clock":{"name":"clock_gettime(CLOCK_MONOTONIC)","cost_ns":19.46,"resolution_ns":10},)json"
      R"("warmup":{"ops":7,"ns":8,"complete":false},"measured":{"ops":9,"ns":10,"cut":true},)"
      R"("machine":{"steal_ns":14,"interrupts":15},"managed":null,)"
      R"("blocks":{"round_trips":11,"lines":[[120.13,119.0],[]],"partial":{"line":1,"round_trips":12,"ns":13}},)"
      R"("singles":{"values_ns":[118,9000],"counts":[500,1]}})";
  EXPECT_EQ(to_json(example()), kExpected);
}

TEST(ResultMessage, SaysNullWhereNothingIsKnown) {
  SignalResult result = example();
  result.partial.reset();
  result.threads[0].counters.migrations.reset();
  result.machine = {};
  const std::string text = to_json(result);
  EXPECT_NE(text.find(R"("partial":null)"), std::string::npos);
  EXPECT_NE(text.find(R"("migrations":null)"), std::string::npos);
  EXPECT_NE(text.find(R"("machine":{"steal_ns":null,"interrupts":null})"), std::string::npos);
  EXPECT_EQ(tests::complaints(text, "result"), std::vector<std::string>{});
}

TEST(ResultMessage, KeepsTheContract) {
  EXPECT_EQ(tests::complaints(to_json(example()), "result"), std::vector<std::string>{});
}

TEST(ErrorMessage, HoldsTheCodeAndTheSentence) {
  EXPECT_EQ(to_json(Failure(ErrorCode::pin_failed, "CPU 9 is not \"here\".")),
            R"({"schema":1,"error":{"code":"pin-failed","message":"CPU 9 is not \"here\"."}})");
}

TEST(ErrorMessage, SurvivesBytesThatAreNoText) {
  const std::string text = to_json(Failure(ErrorCode::bad_request, "file '\xFF\xFE'"));
  EXPECT_EQ(tests::complaints(text, "result"), std::vector<std::string>{});
}

}  // namespace
}  // namespace threadping::message
