// What every mechanism promises, asked of its cells by threads of our own.

#include <gtest/gtest.h>

#include <array>
#include <cstddef>
#include <cstdint>
#include <thread>
#include <vector>

#include "lock/variants.hpp"

namespace threadping::lock {
namespace {

class LockConformance : public testing::TestWithParam<Variant> {};
INSTANTIATE_TEST_SUITE_P(Every, LockConformance, testing::ValuesIn(variants()), VariantName());

/// Lets `threads` of them do the same at once.
template <class Task>
void together(std::size_t threads, Task task) {
  std::vector<std::thread> all;
  all.reserve(threads);
  for (std::size_t thread = 0; thread < threads; ++thread) all.emplace_back([&task, thread] { task(thread); });
  for (std::thread& thread : all) thread.join();
}

TEST_P(LockConformance, LosesNoIncrementWhereItPromisesTo) {
  constexpr std::uint64_t kThreads = 3;
  constexpr std::uint64_t kEach = 2000;
  const auto cells = GetParam().cells(2, kThreads);
  together(kThreads, [&](std::size_t thread) {
    for (std::size_t line = 0; line < 2; ++line) cells->perform(thread, line, kEach);
  });
  if (cells->exact())
    EXPECT_EQ(cells->found(), 2 * kThreads * kEach);
  else
    EXPECT_LE(cells->found(), 2 * kThreads * kEach);
}

TEST_P(LockConformance, CountsExactlyWhenAlone) {
  const auto cells = GetParam().cells(1, 1);
  cells->perform(0, 0, 1000);
  EXPECT_EQ(cells->found(), 1000U);
}

TEST_P(LockConformance, TimesTheFirstOfEveryGroup) {
  const auto cells = GetParam().cells(1, 1);
  std::array<std::uint64_t, 5> waits{};
  waits.fill(UINT64_MAX);
  cells->sample(0, 0, 8, waits);
  EXPECT_EQ(cells->found(), 5U * 8U);
  for (const std::uint64_t wait : waits) EXPECT_LT(wait, UINT64_MAX);
}

TEST_P(LockConformance, MayTimeEveryOperation) {
  const auto cells = GetParam().cells(1, 2);
  together(2, [&](std::size_t thread) {
    std::array<std::uint64_t, 500> waits{};
    cells->sample(thread, 0, 1, waits);
  });
  EXPECT_TRUE(cells->found() == 1000 || !cells->exact());
}

TEST_P(LockConformance, WorksInsideAndOutside) {
  const auto cells = GetParam().cells(1, 2, {{"critical", std::int64_t{3}}, {"outside", std::int64_t{5}}});
  together(2, [&](std::size_t thread) {
    std::array<std::uint64_t, 4> waits{};
    cells->perform(thread, 0, 100);
    cells->sample(thread, 0, 25, waits);
  });
  EXPECT_TRUE(cells->found() == 400 || !cells->exact());
}

TEST_P(LockConformance, KeepsItsLinesApart) {
  const auto cells = GetParam().cells(3, 1);
  cells->perform(0, 2, 5);
  cells->perform(0, 0, 7);
  EXPECT_EQ(cells->found(), 12U);
}

}  // namespace
}  // namespace threadping::lock
