#include <gtest/gtest.h>

#include <array>

#include "engine/experiment.hpp"
#include "support/failures.hpp"

namespace threadping::engine {
namespace {

constexpr std::array<std::string_view, 2> kWaits{"spin", "pause"};
constexpr std::array<ParamInfo, 2> kParams{{
    {.name = "wait", .choices = kWaits},
    {.name = "pauses", .number = 7, .least = 1, .most = 9, .only_with = {.param = "wait", .value = "pause"}},
}};
const Mechanism kMechanism{
    .name = "telepathy", .blocking = false, .timed = {}, .lines = 1, .params = kParams, .make = nullptr};

using Given = std::map<std::string, contract::Param>;

std::string refusal_of(const Given& given) {
  return tests::failure_of([&] { const Params params(kMechanism.name, kMechanism.params, given); });
}

TEST(Params, AreCompletedWithTheirDefaults) {
  const Params params(kMechanism.name, kMechanism.params, {});
  EXPECT_EQ(params.text("wait"), "spin");
  EXPECT_EQ(params.number("pauses"), 7);
  EXPECT_TRUE(params.has("wait"));
  EXPECT_FALSE(params.has("between"));
}

TEST(Params, AreWhatWasGiven) {
  const Params params(kMechanism.name, kMechanism.params, {{"wait", "pause"}, {"pauses", std::int64_t{9}}});
  EXPECT_EQ(params.text("wait"), "pause");
  EXPECT_EQ(params.number("pauses"), 9);
}

TEST(Params, ThatAMechanismDoesNotHaveAreRefused) {
  EXPECT_EQ(refusal_of({{"strength", std::int64_t{3}}}), "unknown-param: telepathy has no parameter 'strength'.");
}

TEST(Params, OfAnotherTypeOrBeyondTheirRangeAreRefused) {
  const std::string text = "bad-request: The parameter 'wait' of telepathy must be one of spin, pause.";
  EXPECT_EQ(refusal_of({{"wait", "snooze"}}), text);
  EXPECT_EQ(refusal_of({{"wait", std::int64_t{1}}}), text);
  const std::string number = "bad-request: The parameter 'pauses' of telepathy must be a whole number from 1 to 9.";
  for (const contract::Param& value : {contract::Param(0), contract::Param(10), contract::Param("many")})
    EXPECT_EQ(refusal_of({{"wait", "pause"}, {"pauses", value}}), number);
}

TEST(Params, GoWithTheirPartnerOnly) {
  const std::string sentence = "bad-request: The parameter 'pauses' of telepathy goes with wait=pause only.";
  EXPECT_EQ(refusal_of({{"pauses", std::int64_t{2}}}), sentence);
  EXPECT_EQ(refusal_of({{"wait", "spin"}, {"pauses", std::int64_t{2}}}), sentence);
}

}  // namespace
}  // namespace threadping::engine
