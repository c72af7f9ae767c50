#include "engine/histogram.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <iterator>
#include <random>

namespace threadping::engine {
namespace {

using Counts = std::map<std::uint64_t, std::uint64_t>;

contract::Distribution recorded(const std::vector<std::uint64_t>& durations) {
  Histogram histogram;
  for (const std::uint64_t duration : durations) histogram.record(duration);
  contract::Distribution all;
  histogram.add_to(all);
  return all;
}

TEST(Buckets, HoldOneValueEachBelow4096And2048ToAnOctaveAbove) {
  for (std::uint64_t value = 0; value < kExactBelow; ++value) ASSERT_EQ(bucket_of(value), value);
  EXPECT_EQ(bucket_of(4096), 4096U);
  EXPECT_EQ(bucket_of(4097), 4096U);
  EXPECT_EQ(bucket_of(8191), 6143U);
  EXPECT_EQ(bucket_of(8192), 6144U);
  EXPECT_EQ(bucket_of(8195), 6144U);
  EXPECT_EQ(bucket_of(8196), 6145U);
  for (std::uint64_t least = 4096; least < Histogram::kLongest; least *= 2)
    EXPECT_EQ(bucket_of(2 * least) - bucket_of(least), 2048U) << least;
}

/// Of numbers of every length up to an hour.
TEST(Buckets, AreOrderedLeaveNoneOutAndAreLessThanAThousandthTooSmall) {
  std::mt19937_64 random;  // NOLINT(bugprone-random-generator-seed): the same numbers each time
  std::vector<std::uint64_t> values{0, 1, 4095, 4096, 4097, 8191, 8192, Histogram::kLongest};
  while (values.size() < 100'000) values.push_back((random() >> random() % 64) % Histogram::kLongest);
  std::ranges::sort(values);
  std::size_t before = 0;
  for (const std::uint64_t value : values) {
    const std::size_t bucket = bucket_of(value);
    ASSERT_GE(bucket, std::exchange(before, bucket)) << value;
    ASSERT_LE(least_of(bucket), value);
    ASSERT_GT(least_of(bucket + 1), value);
    ASSERT_EQ(bucket_of(least_of(bucket)), bucket) << value;
    ASSERT_LE((value - least_of(bucket)) * 1000, value) << value;
    ASSERT_LE(bucket - bucket_of(std::max<std::uint64_t>(value, 1) - 1), 1U) << value;
  }
}

TEST(Histogram, CountsExactlyBelow4096AndByBucketAbove) {
  EXPECT_EQ(recorded({0, 7, 4095, 7, 4096, 4097, 4098, 50'000'123, 7}).counts,
            (Counts{{0, 1}, {7, 3}, {4095, 1}, {4096, 2}, {4098, 1}, {least_of(bucket_of(50'000'123)), 1}}));
  EXPECT_EQ(recorded({}).counts, Counts{});
}

TEST(Histogram, KeepsEverySample) {
  std::vector<std::uint64_t> many(3'000'000, 100);
  std::fill_n(many.begin(), 1'000'000, 5'000'000);
  EXPECT_EQ(recorded(many).counts, (Counts{{100, 2'000'000}, {least_of(bucket_of(5'000'000)), 1'000'000}}));
}

TEST(Histogram, CensorsWhatLastedLongerThanAnHour) {
  const contract::Distribution all = recorded({Histogram::kLongest, Histogram::kLongest + 1, INT64_MAX});
  EXPECT_EQ(all.counts, (Counts{{least_of(bucket_of(Histogram::kLongest)), 1}}));
  EXPECT_EQ(all.censored, 2U);
}

TEST(Histogram, KnowsItsMedian) {
  Histogram histogram;
  EXPECT_EQ(histogram.median(), 0U);
  for (const std::uint64_t ns : {9000, 3, 7}) histogram.record(ns);
  EXPECT_EQ(histogram.median(), 7U);
  histogram.record(1);
  EXPECT_EQ(histogram.median(), 3U) << "half of them do not exceed it";
  for (int more = 0; more < 5; ++more) histogram.record(9000);
  EXPECT_EQ(histogram.median(), least_of(bucket_of(9000)));
  EXPECT_EQ(histogram.recorded(), 9U);
}

TEST(Histogram, FindsItsMedianHoweverOftenItIsAsked) {
  std::mt19937_64 random;  // NOLINT(bugprone-random-generator-seed): the same numbers each time
  Histogram histogram;
  std::vector<std::uint64_t> all;
  for (std::size_t count = 1; count <= 500; ++count) {
    const std::uint64_t ns = random() >> (random() % 40 + 24);
    histogram.record(ns);
    all.push_back(ns);
    if (count % 7 > 2) continue;
    const auto middle = std::next(all.begin(), static_cast<std::ptrdiff_t>((count - 1) / 2));
    std::ranges::nth_element(all, middle);
    ASSERT_EQ(histogram.median(), least_of(bucket_of(*middle))) << "of " << count;
  }
}

TEST(Histogram, IsTouchedWithoutAChange) {
  Histogram histogram;
  histogram.record(7);
  histogram.touch();
  histogram.record(1'000'000);
  contract::Distribution all;
  histogram.add_to(all);
  EXPECT_EQ(all.counts, (Counts{{7, 1}, {least_of(bucket_of(1'000'000)), 1}}));
}

TEST(Histogram, AddsToWhatOthersRecorded) {
  contract::Distribution all = recorded({20, 6000});
  all.censored = 2;
  Histogram other;
  other.record(20);
  other.censor();
  other.record(std::uint64_t{0} - 5);
  other.add_to(all);
  EXPECT_EQ(all.counts, (Counts{{20, 2}, {6000, 1}}));
  EXPECT_EQ(all.censored, 3U);
  EXPECT_EQ(all.negative, 1U);
}

}  // namespace
}  // namespace threadping::engine
