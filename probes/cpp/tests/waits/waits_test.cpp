#include "waits/waits.hpp"

#include <gtest/gtest.h>

#include "platform/clock.hpp"
#include "platform/counters.hpp"
#include "platform/pause.hpp"
#include "support/failures.hpp"

namespace threadping::waits {
namespace {

constexpr std::array<engine::ParamInfo, 2> kParams{kWait, kPauses};
engine::Params params(const std::map<std::string, contract::Param>& given) { return {"waiting", kParams, given}; }

/// Whether these parameters name this wait.
template <class Wanted>
bool named(const engine::Params& params) {
  return with_wait(params, []<class Wait> { return std::is_same_v<Wait, Wanted>; });
}

TEST(Waits, AreChosenByName) {
  EXPECT_TRUE(named<Spin>(params({})));
  EXPECT_TRUE(named<Spin>(params({{"wait", "spin"}})));
  EXPECT_TRUE(named<Pause>(params({{"wait", "pause"}})));
  EXPECT_TRUE(named<Yield>(params({{"wait", "yield"}})));
  EXPECT_TRUE(named<Backoff>(params({{"wait", "backoff"}})));
}

TEST(Waits, ThatTheCpuLacksAreRefused) {
  const std::string refusal = tests::failure_of([] { EXPECT_TRUE(named<Tpause>(params({{"wait", "tpause"}}))); });
  EXPECT_EQ(refusal, platform::has_tpause() ? "accepted" : "unsupported: This CPU has no TPAUSE (waitpkg).");
}

TEST(Waits, PauseAsOftenAsTheyAreToldTo) {
  EXPECT_EQ(Pause::Turn(Pause(params({{"wait", "pause"}}))).pauses, 1);
  EXPECT_EQ(Pause::Turn(Pause(params({{"wait", "pause"}, {"pauses", std::int64_t{140}}}))).pauses, 140);
}

TEST(Backoff, SleepsAfterFifteenLooksForEverLonger) {
  const Backoff wait(params({{"wait", "backoff"}}));
  Backoff::Turn idle(wait);
  const auto sleeps = [before = platform::read_quick_counters()] {
    return (platform::read_quick_counters() - before).voluntary_switches;
  };
  for (int look = 0; look < 15; ++look) idle();
  EXPECT_EQ(sleeps(), 0U);
  const std::uint64_t start = platform::now_ns();
  for (int look = 0; look < 10; ++look) idle();  // 1, 2, 4, ... 512 us
  EXPECT_GE(platform::now_ns() - start, 1'023'000U);
  EXPECT_GE(sleeps(), 10U);
  const std::uint64_t longest = platform::now_ns();
  for (int look = 0; look < 5; ++look) idle();  // a millisecond each, and no longer
  EXPECT_GE(platform::now_ns() - longest, 5'000'000U);
}

}  // namespace
}  // namespace threadping::waits
