// What every mechanism promises, asked of its loops by threads of our own.

#include <gtest/gtest.h>

#include <thread>

#include "lock/lock.hpp"
#include "support/variants.hpp"

namespace threadping::lock {
namespace {

class LockConformance : public testing::TestWithParam<tests::Variant> {
 protected:
  /// So many were made: all were found, where the mechanism promises it.
  static void expect_found(engine::Loops& loops, std::uint64_t made) {
    const contract::Held held = loops.counts(made).at("increments");
    EXPECT_EQ(held.made, made);
    EXPECT_EQ(held.exact, GetParam().mechanism->name != "unprotected");
    if (held.exact)
      EXPECT_EQ(held.found, made);
    else
      EXPECT_LE(held.found, made);
  }
};
INSTANTIATE_TEST_SUITE_P(Every, LockConformance,
                         testing::ValuesIn(tests::variants_of(experiment(), tests::between_threads)),
                         tests::VariantName());

/// Lets `threads` of them do the same at once.
void together(std::size_t threads, const std::function<void(std::size_t)>& task) {
  std::vector<std::thread> all;
  all.reserve(threads);
  for (std::size_t thread = 0; thread < threads; ++thread) all.emplace_back(task, thread);
  for (std::thread& thread : all) thread.join();
}

TEST_P(LockConformance, LosesNoIncrementWhereItPromisesTo) {
  constexpr std::uint64_t kThreads = 3;
  constexpr std::uint64_t kEach = 2000;
  const auto loops = GetParam().loops(2, kThreads);
  together(kThreads, [&](std::size_t thread) {
    for (std::size_t line = 0; line < 2; ++line) EXPECT_EQ(loops->plain(thread, line, kEach), kEach);
  });
  expect_found(*loops, 2 * kThreads * kEach);
}

TEST_P(LockConformance, CountsExactlyWhenAlone) {
  const auto loops = GetParam().loops(1, 1);
  loops->plain(0, 0, 1000);
  EXPECT_EQ(loops->counts(1000).at("increments").found, 1000U);
}

TEST_P(LockConformance, TimesEveryOperationThatItIsToTime) {
  const auto loops = GetParam().loops(1, 2);
  together(2, [&](std::size_t thread) {
    std::array<engine::Timing, 500> timings{};
    std::uint64_t last = platform::now_ns();
    EXPECT_EQ(loops->timed(thread, 0, 0, timings), timings.size());
    for (const engine::Timing& timing : timings) {
      EXPECT_GE(timing.from_ns, last);
      EXPECT_GE(timing.to_ns, timing.from_ns);
      last = timing.to_ns;
    }
    EXPECT_GE(platform::now_ns(), last);
  });
  expect_found(*loops, 1000);
}

TEST_P(LockConformance, WorksInsideAndOutside) {
  const auto loops = GetParam().loops(1, 2, {{"critical", std::int64_t{3}}, {"outside", std::int64_t{5}}});
  together(2, [&](std::size_t thread) {
    std::array<engine::Timing, 100> timings{};
    loops->plain(thread, 0, 100);
    loops->timed(thread, 0, 0, timings);
  });
  expect_found(*loops, 400);
}

TEST_P(LockConformance, KeepsItsLinesApart) {
  const auto loops = GetParam().loops(3, 1);
  loops->plain(0, 2, 5);
  loops->plain(0, 0, 7);
  EXPECT_EQ(loops->counts(12).at("increments").found, 12U);
}

}  // namespace
}  // namespace threadping::lock
