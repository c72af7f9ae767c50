#include "lock/pace.hpp"

#include <gtest/gtest.h>

#include <cstdint>

namespace threadping::lock {
namespace {

constexpr std::uint64_t kMillisecond = 1'000'000;

TEST(Crowding, IsHowManyThreadsShareACpuAtMost) {
  EXPECT_EQ(crowding(1, 2), 1U);
  EXPECT_EQ(crowding(2, 2), 1U);
  EXPECT_EQ(crowding(3, 2), 2U);
  EXPECT_EQ(crowding(8, 2), 4U);
}

TEST(WindowLengths, AreTenAndFiveMillisecondsWhereEachThreadHasACpu) {
  EXPECT_EQ(window_lengths(900 * kMillisecond, 1).plain_ns, 10 * kMillisecond);
  EXPECT_EQ(window_lengths(900 * kMillisecond, 1).sampled_ns, 5 * kMillisecond);
}

TEST(WindowLengths, LastForSeveralTimeSlicesOfEachThread) {
  EXPECT_EQ(window_lengths(1200 * kMillisecond, 2).plain_ns, 40 * kMillisecond);
  EXPECT_EQ(window_lengths(1200 * kMillisecond, 4).plain_ns, 80 * kMillisecond);
  EXPECT_EQ(window_lengths(1200 * kMillisecond, 4).sampled_ns, 40 * kMillisecond);
}

TEST(WindowLengths, FillTheMeasuringTime) {
  EXPECT_EQ(window_lengths(126 * kMillisecond, 2).plain_ns, 42 * kMillisecond);  // two visits
  EXPECT_EQ(window_lengths(126 * kMillisecond, 1).plain_ns, 10'500'000U);        // eight
  EXPECT_EQ(window_lengths(6 * kMillisecond, 1).plain_ns, 4 * kMillisecond);     // one
  EXPECT_EQ(window_lengths(6 * kMillisecond, 8).sampled_ns, 2 * kMillisecond);
}

TEST(AnOperation, TakesAThreadItsShareOfTheTime) {
  EXPECT_DOUBLE_EQ(ns_an_operation(1000, 100, 1), 10.0);
  EXPECT_DOUBLE_EQ(ns_an_operation(1000, 100, 2), 20.0);
  EXPECT_DOUBLE_EQ(ns_an_operation(1000, 0, 2), 2000.0);
}

TEST(AChunk, LastsAboutTwentyMicroseconds) {
  EXPECT_EQ(next_chunk(20.0, 1000), 1000U);
  EXPECT_EQ(next_chunk(15'000.0, 1000), 1U);
  EXPECT_EQ(next_chunk(1e9, 1000), 1U);
}

TEST(AChunk, GrowsEightfoldAtMostAndNotForEver) {
  EXPECT_EQ(next_chunk(5.0, 1), 8U);
  EXPECT_EQ(next_chunk(5.0, 400), 3200U);
  EXPECT_EQ(next_chunk(5.0, 4000), 4000U);
  EXPECT_EQ(next_chunk(0.2, 4096), kLongestChunk);
}

TEST(Sampling, CostsAFiftiethWhereItCan) {
  EXPECT_EQ(sample_every(2500.0, 25.0), 1U);
  EXPECT_EQ(sample_every(2499.0, 25.0), 2U);
  EXPECT_EQ(sample_every(100.0, 25.0), 32U);
  EXPECT_EQ(sample_every(10.0, 25.0), 256U);
  EXPECT_EQ(sample_every(0.3, 25.0), 1024U);
}

}  // namespace
}  // namespace threadping::lock
