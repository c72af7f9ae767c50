#include "contract/result.hpp"

#include <gtest/gtest.h>

#include <limits>
#include <nlohmann/json.hpp>
#include <set>

#include "contract/json.hpp"
#include "support/files.hpp"

namespace threadping::contract {
namespace {

Result example() {
  Result result;
  result.experiment = "signal";
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
  result.home_nodes = {0, 2};
  result.clock = {.cost_ns = 19.456, .resolution_ns = 10};
  result.skew = {.least_ns = -21, .most_ns = 34};
  result.warmup_ops = 7;
  result.warmup_ns = 8;
  result.warmup_ended = WarmupEnd::steady;
  result.measured_ops = 9;
  result.measured_ns = 10;
  result.cut = true;
  result.machine = {.steal_ns = 14, .interrupts = 15, .energy_uj = 16};
  result.pings = {{.cpus = {0, 3}, .at_ns = 40, .ns = 27.346}, {.cpus = {0, 3}, .after = true, .at_ns = 41, .ns = {}}};
  result.windows = {.warmup = {true, false},
                    .line = {3, 3},
                    .kind = {Windows::Kind::throughput, Windows::Kind::sampling},
                    .every = {0, 64},
                    .ns = {1000, 500},
                    .ops = {{7, 2}, {8, 1}},
                    .switches = std::vector<std::uint64_t>{4, 5},
                    .cpus = std::vector<std::uint64_t>{1, 2}};
  result.distributions = {
      {"round-trip", {.unit = "ns", .counts = {{118, 500}, {9000, 1}}, .censored = 3, .negative = 2}}};
  result.evidence = {.look_ns = 640.454,
                     .looks = 12,
                     .interrupts = platform::Interrupts::soft,
                     .lacking = {"Rights."},
                     .outliers = {{.of = "round-trip",
                                   .thread = 0,
                                   .at_ns = 123,
                                   .ns = 9000,
                                   .seen = platform::Seen{.ns = 21,
                                                          .cpu_before = 22,
                                                          .cpu = 23,
                                                          .counters = {.cpu_ns = 24,
                                                                       .voluntary_switches = 27,
                                                                       .involuntary_switches = 28,
                                                                       .migrations = std::nullopt,
                                                                       .minor_faults = 29,
                                                                       .major_faults = 30},
                                                          .run_delay_ns = 25,
                                                          .others_run_delay_ns = 26,
                                                          .interrupts = 31,
                                                          .throttled_ns = 33,
                                                          .awake_ns = 32,
                                                          .others_woken = true},
                                   .draw = 34,
                                   .weight = 3.5}}};
  result.counts = {{"handoffs", {.made = 30, .found = 28, .exact = false}}};
  return result;
}

TEST(ResultMessage, HasEveryFigureInItsPlace) {
  constexpr const char* kExpected =
      R"({"schema":4,"experiment":"signal","mechanism":"cas-one-line",)"
      R"("threads":[{"role":"ping","cpus_start":[0],"cpus_end":[0,1],"cpu_ns":1,"voluntary_switches":2,)"
      R"("involuntary_switches":3,"migrations":4,"minor_faults":5,"major_faults":6}],"home":{"nodes":[0,2]},)"
      R"json("clock":{"name":"clock_gettime(CLOCK_MONOTONIC)","cost_ns":19.46,"resolution_ns":10,)json"
      R"("skew":{"least_ns":-21,"most_ns":34}},)"
      R"("warmup":{"ops":7,"ns":8,"ended":"steady"},"measured":{"ops":9,"ns":10,"cut":true},)"
      R"("machine":{"steal_ns":14,"interrupts":15,"energy_uj":16},"managed":null,)"
      R"("pings":[{"cpus":[0,3],"when":"before","at_ns":40,"ns":27.35},)"
      R"({"cpus":[0,3],"when":"after","at_ns":41,"ns":null}],)"
      R"("windows":{"warmup":[true,false],"line":[3,3],"kind":["throughput","sampling"],"every":[0,64],)"
      R"("ns":[1000,500],"ops":[[7,2],[8,1]],"switches":[4,5],"compile_ms":null,"cpus":[1,2]},)"
      R"("distributions":{"round-trip":{"unit":"ns","values":[118,9000],"counts":[500,1],"censored":3,"negative":2}},)"
      R"("evidence":{"look_ns":640.45,"looks":12,"interrupts":"soft-interrupts","lacking":["Rights."],"outliers":[)"
      R"({"of":"round-trip","thread":0,"at_ns":123,"ns":9000,"seen":{"ns":21,"cpu_before":22,"cpu":23,"cpu_ns":24,)"
      R"("run_delay_ns":25,"others_run_delay_ns":26,"voluntary_switches":27,"involuntary_switches":28,)"
      R"("minor_faults":29,"major_faults":30,"interrupts":31,"throttled_ns":33,"awake_ns":32,"others_woken":true},)"
      R"("draw":34,"weight":3.5}]},)"
      R"("counts":{"handoffs":{"made":30,"found":28,"exact":false}}})";
  EXPECT_EQ(to_json(example()), kExpected);
}

TEST(ResultMessage, SaysNullWhereNothingIsKnown) {
  Result result = example();
  result.threads[0].counters.migrations.reset();
  result.home_nodes.reset();
  result.skew.reset();
  result.machine = {};
  const std::string text = to_json(result);
  EXPECT_NE(text.find(R"("migrations":null)"), std::string::npos);
  EXPECT_NE(text.find(R"("home":{"nodes":null})"), std::string::npos);
  EXPECT_NE(text.find(R"("skew":null)"), std::string::npos);
  EXPECT_NE(text.find(R"("machine":{"steal_ns":null,"interrupts":null,"energy_uj":null})"), std::string::npos);
}

TEST(ResultMessage, SaysWhatAManagedRuntimeDid) {
  Result result = example();
  result.clock_name = "System.nanoTime";
  result.windows.compile_ms = {6, 0};
  result.managed = {.compile_ms = 11,
                    .collections = 12,
                    .pauses = std::vector<Pause>{{.at_ns = 13, .ns = 14, .name = "Full"}},
                    .rested_ns = 15};
  std::string text = to_json(result);
  for (const char* part :
       {R"("clock":{"name":"System.nanoTime",)", R"("compile_ms":[6,0])",
        R"("managed":{"compile_ms":11,"collections":12,"pauses":[{"at_ns":13,"ns":14,"name":"Full"}],"rested_ns":15})"})
    EXPECT_NE(text.find(part), std::string::npos) << part;
  result.managed = Managed{};
  text = to_json(result);
  EXPECT_NE(text.find(R"("managed":{"compile_ms":null,"collections":0,"pauses":null,"rested_ns":null})"),
            std::string::npos);
}

TEST(ResultMessage, ReportsHowInterruptsAreCounted) {
  using platform::Interrupts;
  Result result = example();
  for (const auto& [counted, name] :
       {std::pair{Interrupts::trace_points, "\"trace-points\""}, std::pair{Interrupts::soft, "\"soft-interrupts\""},
        std::pair{Interrupts::unknown, "null"}}) {
    result.evidence = {.look_ns = 1,
                       .interrupts = counted,
                       .lacking = {},
                       .outliers = {{.of = "increment", .thread = 1, .at_ns = 2, .ns = 3, .seen = std::nullopt}}};
    const std::string text = to_json(result);
    EXPECT_NE(text.find(std::string(R"("interrupts":)") + name + R"(,"lacking")"), std::string::npos) << text;
    EXPECT_NE(text.find(R"("seen":null)"), std::string::npos);
  }
}

TEST(ResultMessage, OfATrialThatWasCutInTheWarmUpHasEmptyColumns) {
  Result result = example();
  result.windows = {};
  result.windows.ops.resize(2);
  result.distributions = {{"round-trip", {}}};
  result.evidence.reset();
  result.counts.clear();
  const std::string text = to_json(result);
  EXPECT_TRUE(text.ends_with(
      R"("windows":{"warmup":[],"line":[],"kind":[],"every":[],"ns":[],"ops":[[],[]],"switches":null,"compile_ms":null,"cpus":null},)"
      R"("distributions":{"round-trip":{"unit":"ns","values":[],"counts":[],"censored":0,"negative":0}},"evidence":null,"counts":{}})"))
      << text;
}

TEST(ErrorMessage, HoldsTheCodeAndTheSentence) {
  EXPECT_EQ(to_json(Failure(ErrorCode::pin_failed, "CPU 9 is not \"here\".")),
            R"({"schema":4,"error":{"code":"pin-failed","message":"CPU 9 is not \"here\"."}})");
}

constexpr int kCodes = static_cast<int>(ErrorCode::internal) + 1;

TEST(ErrorCodes, EachIsOneOfTheContracts) {
  const auto file = std::filesystem::path(THREADPING_CONTRACT) / "result.schema.json";
  std::set<std::string> codes = nlohmann::json::parse(
      tests::read_file(file))[nlohmann::json::json_pointer("/$defs/failed/properties/error/properties/code/enum")];
  for (int code = 0; code < kCodes; ++code) EXPECT_EQ(codes.erase(name_of(static_cast<ErrorCode>(code))), 1U) << code;
  EXPECT_TRUE(codes.empty());
}

TEST(ErrorCodes, ExitStatusTellsARequestFromAFailure) {
  for (const ErrorCode code : {ErrorCode::bad_request, ErrorCode::unknown_experiment, ErrorCode::unknown_mechanism,
                               ErrorCode::unknown_param, ErrorCode::unsupported})
    EXPECT_EQ(exit_status_of(code), 2) << name_of(code);
  for (const ErrorCode code : {ErrorCode::pin_failed, ErrorCode::stalled, ErrorCode::sequence_broken,
                               ErrorCode::count_wrong, ErrorCode::internal})
    EXPECT_EQ(exit_status_of(code), 1) << name_of(code);
}

TEST(ErrorMessage, SurvivesBytesThatAreNoText) {
  const auto message = nlohmann::json::parse(to_json(Failure(ErrorCode::bad_request, "file '\xFF\xFE'")));
  EXPECT_EQ(message["error"]["message"], "file '\uFFFD\uFFFD'");
}

TEST(AWrittenMessage, HasItsTextsAsTheyAre) {
  EXPECT_EQ(Json("\u00b5 \u20ac \U0001F600 \u007f").text(), "\"\u00b5 \u20ac \U0001F600 \u007f\"");
  EXPECT_EQ(Json("\"\\\b\f\n\r\t\x01\x1f").text(), R"("\"\\\b\f\n\r\t\u0001\u001f")");
}

/// Each byte on its own: no character, cut short, too long for what it is, a surrogate, beyond the last one.
TEST(AWrittenMessage, HasAReplacementForEachByteThatIsOfNoCharacter) {
  for (const std::string bytes : {"\xff", "\x80", "\xc3", "\xe2\x82", "\xf0\x9f\x98", "\xc1\xbf", "\xe0\x9f\xbf",
                                  "\xed\xa0\x80", "\xf0\x8f\xbf\xbf", "\xf4\x90\x80\x80", "\xf5\x80\x80\x80"}) {
    std::string replaced;
    for (std::size_t byte = 0; byte < bytes.size(); ++byte) replaced += "\uFFFD";
    EXPECT_EQ(Json(bytes + "a").text(), '"' + replaced + "a\"") << testing::PrintToString(bytes);
  }
}

TEST(AWrittenMessage, SaysWhichNumbersMayHaveAFraction) {
  EXPECT_EQ(Json(2.0).text(), "2.0");
  EXPECT_EQ(Json(-0.25).text(), "-0.25");
  EXPECT_EQ(nlohmann::json::parse(Json(1e22).text()), 1e22);
  EXPECT_EQ(Json(std::numeric_limits<double>::quiet_NaN()).text(), "null");
  EXPECT_EQ(Json(UINT64_MAX).text(), "18446744073709551615");
}

TEST(AWrittenMessage, TakesOneMoreMember) {
  Json object{};
  object.add("one", 1);
  object.add("more", std::vector<int>{});
  EXPECT_EQ(object.text(), R"({"one":1,"more":[]})");
}

}  // namespace
}  // namespace threadping::contract
