#include "waits/waits.hpp"

#include <gtest/gtest.h>

#include <fstream>
#include <iterator>
#include <set>
#include <tuple>
#include <vector>

#include "platform/clock.hpp"
#include "platform/counters.hpp"
#include "platform/pause.hpp"
#include "support/failures.hpp"

namespace threadping::waits {
namespace {

constexpr std::array<engine::ParamInfo, 2> kParams{kWaitAtLine, kPauses};
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
  using How = Rest<>::How;
  for (const auto& [wait, how] : {std::pair{"yield", How::yield}, {"backoff", How::backoff}}) {
    EXPECT_TRUE(named<Rest<>>(params({{"wait", wait}})));
    EXPECT_EQ(Rest<>(params({{"wait", wait}})).how, how);
  }
}

TEST(Waits, AreSpinOrOneOtherTypeWhereLoopsAreMany) {
  const auto spins = [](const engine::Params& params) {
    return with_spin_or_other(params, []<class Wait> { return std::is_same_v<Wait, Spin>; });
  };
  EXPECT_TRUE(spins(params({})));
  for (const std::string wait : {"pause", "yield", "backoff"}) EXPECT_FALSE(spins(params({{"wait", wait}})));
  EXPECT_EQ(PauseOrRest(params({{"wait", "pause"}})).pauses, 1);
  EXPECT_EQ(PauseOrRest(params({{"wait", "pause"}, {"pauses", std::int64_t{140}}})).pauses, 140);
  EXPECT_EQ(PauseOrRest(params({{"wait", "yield"}})).rest.how, Rest<>::How::yield);
}

TEST(Waits, ThatTheCpuLacksAreRefused) {
  constexpr platform::Resting kIntel{.has_waitpkg = true};
  constexpr platform::Resting kAmd{.has_monitorx = true};
  for (const auto& [wait, intel, amd] : {std::tuple{"tpause", "", "a CPU with waitpkg"},
                                         {"umwait", "", "a CPU with waitpkg"},
                                         {"monitorx", "a CPU with MONITORX", ""},
                                         {"backoff", "", ""}}) {
    EXPECT_EQ(needs(wait, kIntel), intel);
    EXPECT_EQ(needs(wait, kAmd), amd);
  }
  for (const std::string wait : {"tpause", "umwait", "monitorx"}) {
    const std::string refusal = tests::failure_of([&] { EXPECT_TRUE(named<Rest<>>(params({{"wait", wait}}))); });
    const std::string needed(needs(wait));
    EXPECT_EQ(refusal, needed.empty() ? "accepted" : "unsupported: wait=" + wait + " needs " + needed + ".");
  }
}

/// As Linux finds them (a kernel may hide one from its own list only).
TEST(Resting, IsWhatThisCpuHas) {
  std::ifstream file("/proc/cpuinfo");
  const std::set<std::string> flags{std::istream_iterator<std::string>(file), {}};
  EXPECT_EQ(platform::Resting::here().has_waitpkg, flags.contains("waitpkg"));
  EXPECT_EQ(platform::Resting::here().has_monitorx, flags.contains("mwaitx"));
}

/// Replaces the CPU, and records its instructions.
struct Noting {
  static inline std::vector<std::string> notes;
  static inline const void* line = nullptr;
  static void tpause(std::uint64_t /*ticks*/) { notes.emplace_back("tpause"); }
  static void umonitor(const void* at) { notes.emplace_back("umonitor"), line = at; }
  static void umwait(std::uint64_t /*ticks*/) { notes.emplace_back("umwait"); }
  static void monitorx(const void* at) { notes.emplace_back("monitorx"), line = at; }
  static void mwaitx(std::uint64_t /*ticks*/) { notes.emplace_back("mwaitx"); }
};

/// Otherwise it would sleep through a write between the poll and the rest.
TEST(Rest, WatchesTheLineFromOneLookAndRestsAfterTheNext) {
  using Notes = std::vector<std::string>;
  const int line = 0;
  for (const auto& [how, notes] : {std::pair{"tpause", Notes{"tpause", "tpause", "tpause"}},
                                   {"umwait", Notes{"umonitor", "umwait", "umonitor"}},
                                   {"monitorx", Notes{"monitorx", "mwaitx", "monitorx"}}}) {
    Noting::notes.clear();
    const Rest<Noting> wait(params({{"wait", std::string(how)}}));
    Rest<Noting>::Turn turn(wait, &line);
    for (int look = 0; look < 3; ++look) turn();
    EXPECT_EQ(Noting::notes, notes);
  }
  EXPECT_EQ(Noting::line, &line);
}

TEST(Waits, PauseAsOftenAsTheirParameterSays) {
  EXPECT_EQ(Pause::Turn(Pause(params({{"wait", "pause"}}))).pauses, 1);
  EXPECT_EQ(Pause::Turn(Pause(params({{"wait", "pause"}, {"pauses", std::int64_t{140}}}))).pauses, 140);
}

/// Checks when a wait that backs off sleeps, and for how long.
template <class Wait>
void expect_to_back_off() {
  const Wait wait(params({{"wait", "backoff"}}));
  typename Wait::Turn idle(wait);
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

TEST(Rest, ThatBacksOffSleepsAfterFifteenLooksForEverLonger) {
  expect_to_back_off<Rest<>>();
  expect_to_back_off<PauseOrRest>();
}

/// A pause is no rest: nothing sleeps or yields.
TEST(PauseOrRest, PausesAtEachLook) {
  const PauseOrRest wait(params({{"wait", "pause"}, {"pauses", std::int64_t{2'000}}}));
  PauseOrRest::Turn idle(wait);
  const auto before = platform::read_quick_counters();
  const std::uint64_t start = platform::now_ns();
  for (int look = 0; look < 100; ++look) idle();
  EXPECT_GE(platform::now_ns() - start, 200'000U);  // a PAUSE takes a nanosecond at least
  EXPECT_EQ((platform::read_quick_counters() - before).voluntary_switches, 0U);
}

}  // namespace
}  // namespace threadping::waits
