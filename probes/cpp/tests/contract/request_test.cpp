#include "contract/request.hpp"

#include <gtest/gtest.h>

#include <limits>
#include <nlohmann/json.hpp>

#include "support/failures.hpp"
#include "support/files.hpp"

namespace threadping::contract {
namespace {

/// A good request with one field replaced.
std::string with(const std::string& pointer, const nlohmann::json& value) {
  nlohmann::json request = nlohmann::json::parse(tests::read_file(tests::example("good/request-pinned.json")));
  request[nlohmann::json::json_pointer(pointer)] = value;
  return request.dump();
}
Request read(const std::string& pointer, const nlohmann::json& value) { return parse_request(with(pointer, value)); }

/// The sentence with which a text is refused; empty if it is accepted.
std::string refusal(const std::string& text) {
  const std::string failure = tests::failure_of([&] { parse_request(text); });
  if (failure == "accepted") return "";
  EXPECT_TRUE(failure.starts_with("bad-request: ")) << failure;
  return failure.substr(failure.find(' ') + 1);
}
std::string refusal_of_bad(const std::string& name) {
  return refusal(tests::read_file(tests::example("bad/request-" + name + ".json")));
}

TEST(ParseRequest, AgreesWithEveryExample) {
  for (const auto& file : tests::examples("good", "request")) EXPECT_EQ(refusal(tests::read_file(file)), "") << file;
  for (const auto& file : tests::examples("bad", "request")) EXPECT_NE(refusal(tests::read_file(file)), "") << file;
}

TEST(ParseRequest, RefusesANameThatIsGivenTwice) {
  EXPECT_EQ(refusal(R"({"schema": 4, "schema": 4})"), "The request names 'schema' twice.");
  EXPECT_EQ(refusal(R"({"threads": [{"cpu": 2, "cpu": 3}]})"), "The request names 'cpu' twice.");
}

TEST(ParseRequest, ReadsPairsOfCpusToPing) {
  EXPECT_TRUE(parse_request(with("/seed", 1)).pings.empty());
  const std::vector<std::pair<int, int>> pairs{{0, 1}, {7, 3}};
  EXPECT_EQ(read("/pings", {{0, 1}, {7, 3}}).pings, pairs);
  EXPECT_EQ(refusal(with("/pings", {{0, 1}, {3, 3}})), "The request's pings.1 must be two CPUs, not one.");
  EXPECT_EQ(refusal(with("/pings", {{0, 1, 2}})), "The request's pings.0 must be two CPUs.");
  EXPECT_EQ(refusal(with("/pings", nlohmann::json::array_t(65, {0, 1}))),
            "The request's pings must be a list of at most 64 pairs of CPUs.");
}

TEST(ParseRequest, ReadsEveryField) {
  const Request request = read("/params", {{"spins", -3}, {"flavour", "sweet"}});
  EXPECT_EQ(request.experiment, "signal");
  EXPECT_EQ(request.mechanism, "cas-one-line");
  EXPECT_EQ(request.params.at("spins"), Param{std::int64_t{-3}});
  EXPECT_EQ(request.params.at("flavour"), Param{"sweet"});
  EXPECT_EQ(request.cpus, (std::vector<std::optional<int>>{0, 1}));
  EXPECT_EQ(request.pin, Pin::thread);
  EXPECT_EQ(request.lines, 4U);
  EXPECT_EQ(request.home, platform::CpuSet{0});
  EXPECT_EQ(request.warmup.rounds, 2U);
  EXPECT_EQ(request.warmup.ops, 100U);
  EXPECT_EQ(request.warmup.limit_ns, 50'000'000U);
  EXPECT_EQ(request.warmup.look_ns, 1'000'000U);
  EXPECT_FALSE(request.warmup.uninterrupted);
  EXPECT_EQ(request.windows.unit, Unit::ops);
  EXPECT_EQ(request.windows.throughput, 1000U);
  EXPECT_EQ(request.windows.sampling, 300U);
  EXPECT_EQ(request.windows.visits, 5U);
  EXPECT_EQ(request.windows.chunk_ns, 20'000U);
  EXPECT_EQ(request.windows.clock_share, 0.02);
  ASSERT_TRUE(request.outliers);
  EXPECT_EQ(request.outliers->factor, 10);
  EXPECT_EQ(request.outliers->least_ns, 5'000U);
  EXPECT_EQ(request.outliers->most, 100U);
  EXPECT_EQ(request.measure_ns, 5'000'000U);
  EXPECT_EQ(request.bound_ns, 500'000'000U);
  EXPECT_EQ(request.patience_ns, 1'000'000'000U);
  EXPECT_EQ(request.seed, 7U);
}

TEST(ParseRequest, ReadsWhatElseAFieldMayBe) {
  EXPECT_EQ(read("/threads/1/cpu", nullptr).cpus, (std::vector<std::optional<int>>{0, std::nullopt}));
  EXPECT_EQ(read("/pin", "process").pin, Pin::process);
  EXPECT_EQ(read("/windows/unit", "ns").windows.unit, Unit::ns);
  EXPECT_TRUE(read("/warmup/uninterrupted", true).warmup.uninterrupted);
  EXPECT_EQ(read("/home", nullptr).home, std::nullopt);
  EXPECT_FALSE(read("/outliers", nullptr).outliers);
  for (const double factor : {1.0, 2.5, 1e6})
    EXPECT_EQ(read("/outliers/factor", factor).outliers.value_or(OutliersRequest{}).factor, factor);
  EXPECT_EQ(read("/home", {3, 1, 3}).home, (platform::CpuSet{1, 3}));
  for (const double share : {1e-9, 1.0}) EXPECT_EQ(read("/windows/clock_share", share).windows.clock_share, share);
}

TEST(ParseRequest, NamesTheFieldThatItRefuses) {
  EXPECT_EQ(refusal_of_bad("no-seed"), "The request's seed is missing.");
  EXPECT_EQ(refusal_of_bad("no-pin"), "The request's pin is missing.");
  EXPECT_EQ(refusal_of_bad("no-patience"), "The request's patience_ns is missing.");
  EXPECT_EQ(refusal_of_bad("unknown-pin"), "The request's pin must be 'thread' or 'process'.");
  EXPECT_EQ(refusal_of_bad("windows-in-hours"), "The request's windows.unit must be 'ops' or 'ns'.");
  EXPECT_EQ(refusal_of_bad("uninterrupted-as-number"), "The request's warmup.uninterrupted must be true or false.");
  EXPECT_EQ(refusal_of_bad("home-nowhere"), "The request's home must be a list of CPUs or null.");
  EXPECT_EQ(refusal_of_bad("home-as-word"), "The request's home must be a list of CPUs or null.");
  EXPECT_EQ(refusal(with("/home", {0, "1"})), "The request's home.1 must be a whole number from 0 to 65535.");
  EXPECT_EQ(refusal_of_bad("unknown-field"), "The request's field 'colour' is not known to schema 4.");
  EXPECT_EQ(refusal_of_bad("unknown-nested-field"), "The request's field 'warmup.hours' is not known to schema 4.");
  EXPECT_EQ(refusal_of_bad("unknown-thread-field"), "The request's field 'threads.0.core' is not known to schema 4.");
  EXPECT_EQ(refusal(with("/windows/hue", "blue")), "The request's field 'windows.hue' is not known to schema 4.");
  EXPECT_EQ(refusal_of_bad("cpu-as-text"), "The request's threads.0.cpu must be a whole number from 0 to 65535.");
  EXPECT_EQ(refusal_of_bad("absurd-lines"), "The request's lines must be a whole number from 1 to 65536.");
  EXPECT_EQ(refusal_of_bad("empty-mechanism"), "The request's mechanism must be a text.");
  EXPECT_EQ(refusal(with("/mechanism", 7)), "The request's mechanism must be a text.");
  EXPECT_EQ(refusal_of_bad("param-as-list"), "The request's params.pauses must be a whole number or a text.");
  EXPECT_EQ(refusal_of_bad("array"), "The request's content must be an object.");
  EXPECT_EQ(refusal(with("/windows", nlohmann::json::array())), "The request's windows must be an object.");
  EXPECT_EQ(refusal_of_bad("no-outliers"), "The request's outliers is missing.");
  EXPECT_EQ(refusal(with("/outliers/why", 1)), "The request's field 'outliers.why' is not known to schema 4.");
  for (const nlohmann::json& factor : {nlohmann::json(0), nlohmann::json(0.99), nlohmann::json(1'000'000.5),
                                       nlohmann::json("2"), nlohmann::json(nullptr), nlohmann::json(true)})
    EXPECT_EQ(refusal(with("/outliers/factor", factor)),
              "The request's outliers.factor must be a number from 1 to 1000000.");
  EXPECT_EQ(refusal_of_bad("truncated"), "The request is not JSON.");
  EXPECT_EQ(refusal(with("/seed", 7) + " {}"), "The request is not JSON.");
  for (const nlohmann::json& share : {nlohmann::json(0), nlohmann::json(-0.1), nlohmann::json(1.01),
                                      nlohmann::json("0.5"), nlohmann::json(nullptr), nlohmann::json(true)})
    EXPECT_EQ(refusal(with("/windows/clock_share", share)),
              "The request's windows.clock_share must be a number above 0 and at most 1.");
}

TEST(ParseRequest, NamesAnotherSchemaAndTheRemedy) {
  const std::string remedy = ", this probe speaks 4: take a probe and a threadping of the same build.";
  EXPECT_EQ(refusal_of_bad("older-schema"), "The request speaks schema 3" + remedy);
  EXPECT_EQ(refusal(with("/schema", 5)), "The request speaks schema 5" + remedy);
}

struct Range {
  const char* pointer;
  std::int64_t least;
  std::int64_t most;
};

/// The limits of contract/request.schema.json, and what would wrap or round.
class ParseRequestRange : public testing::TestWithParam<Range> {};

TEST_P(ParseRequestRange, IsInclusive) {
  const auto [pointer, least, most] = GetParam();
  for (const nlohmann::json& value : {nlohmann::json(least), nlohmann::json(most)})
    EXPECT_EQ(refusal(with(pointer, value)), "") << value;
  for (const nlohmann::json& value :
       {nlohmann::json(least - 1), nlohmann::json(most + 1), nlohmann::json(std::numeric_limits<std::uint64_t>::max()),
        nlohmann::json(std::numeric_limits<std::int64_t>::min()), nlohmann::json(1e30), nlohmann::json(1.5),
        nlohmann::json(true), nlohmann::json(nullptr)})
    EXPECT_EQ(refusal(with(pointer, value)).empty(), value.is_null() && std::string_view(pointer).ends_with("cpu"))
        << value;
}

constexpr std::int64_t kHour = 3'600'000'000'000;
INSTANTIATE_TEST_SUITE_P(
    Every, ParseRequestRange,
    testing::Values(Range{"/schema", 4, 4}, Range{"/threads/0/cpu", 0, 65535}, Range{"/lines", 1, 65536},
                    Range{"/home/0", 0, 65535}, Range{"/warmup/rounds", 0, 1'000'000},
                    Range{"/warmup/ops", 1, 1'000'000'000'000}, Range{"/warmup/limit_ns", 0, kHour},
                    Range{"/warmup/look_ns", 1, kHour}, Range{"/windows/throughput", 1, kHour},
                    Range{"/windows/sampling", 1, kHour}, Range{"/windows/visits", 1, 1000},
                    Range{"/windows/chunk_ns", 1, 1'000'000'000}, Range{"/outliers/least_ns", 1, kHour},
                    Range{"/outliers/most", 1, 10'000}, Range{"/measure_ns", 1'000'000, kHour},
                    Range{"/bound_ns", 1'000'000, 2 * kHour}, Range{"/patience_ns", 1'000'000, kHour},
                    Range{"/seed", 0, 9'007'199'254'740'991}));

TEST(ParseRequest, RefusesAParamThatWouldWrap) {
  EXPECT_EQ(refusal(with("/params", {{"spins", std::numeric_limits<std::int64_t>::max()}})), "");
  EXPECT_NE(refusal(with("/params", {{"spins", std::numeric_limits<std::uint64_t>::max()}})), "");
}

TEST(ParseRequest, SurvivesDeepNesting) {
  const std::size_t depth = 60'000;
  EXPECT_EQ(refusal(std::string(depth, '[')), "The request is not JSON.");
  EXPECT_EQ(refusal(std::string(depth, '[') + std::string(depth, ']')), "The request's content must be an object.");
}

}  // namespace
}  // namespace threadping::contract
