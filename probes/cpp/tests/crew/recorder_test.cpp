#include "crew/recorder.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <map>
#include <random>
#include <vector>

namespace threadping::crew {
namespace {

using Counts = std::map<std::uint64_t, std::uint64_t>;

message::Distribution recorded(const std::vector<std::uint64_t>& durations) {
  Recorder recorder;
  for (const std::uint64_t duration : durations) recorder.record(duration);
  message::Distribution all;
  recorder.add_to(all);
  return all;
}

TEST(Buckets, HoldOneValueEachBelow4096) {
  for (std::uint64_t value = 0; value < kExactBelow; ++value) {
    ASSERT_EQ(bucket_of(value), value);
    ASSERT_EQ(least_of(bucket_of(value)), value);
  }
}

TEST(Buckets, Hold2048ToAnOctaveAbove) {
  EXPECT_EQ(bucket_of(4096), 4096U);
  EXPECT_EQ(bucket_of(4097), 4096U);
  EXPECT_EQ(bucket_of(8191), 6143U);
  EXPECT_EQ(bucket_of(8192), 6144U);
  EXPECT_EQ(bucket_of(8195), 6144U);
  EXPECT_EQ(bucket_of(8196), 6145U);
  EXPECT_EQ(least_of(6145), 8196U);
  for (std::size_t octave = 12; octave < 42; ++octave) {
    const std::uint64_t least = std::uint64_t{1} << octave;
    EXPECT_EQ(bucket_of(2 * least) - bucket_of(least), 2048U) << octave;
  }
}

/// Numbers of every length up to an hour.
std::vector<std::uint64_t> durations_of_every_length() {
  std::mt19937_64 random(20'110'918);
  std::vector<std::uint64_t> values{0, 1, 4095, 4096, 4097, 8191, 8192, Recorder::kLongest - 1, Recorder::kLongest};
  while (values.size() < 100'000) values.push_back((random() >> random() % 64) % (Recorder::kLongest + 1));
  std::ranges::sort(values);
  return values;
}

TEST(Buckets, AreOrderedAndLeastTheirOwnLeast) {
  std::size_t before = 0;
  for (const std::uint64_t value : durations_of_every_length()) {
    const std::size_t bucket = bucket_of(value);
    ASSERT_GE(bucket, before) << value;
    before = bucket;
    ASSERT_LE(least_of(bucket), value);
    ASSERT_GT(least_of(bucket + 1), value);
    ASSERT_EQ(bucket_of(least_of(bucket)), bucket) << value;
    if (value > 0) {
      ASSERT_LE(bucket - bucket_of(value - 1), 1U) << "a bucket is left out before " << value;
    }
  }
}

TEST(Buckets, AreLessThanAThousandthTooSmall) {
  for (const std::uint64_t value : durations_of_every_length())
    ASSERT_LE((value - least_of(bucket_of(value))) * 1000, value) << value;
}

TEST(Recorder, CountsExactlyBelow4096AndByBucketAbove) {
  EXPECT_EQ(recorded({0, 7, 4095, 7, 4096, 4097, 4098, 50'000'123, 7}).counts,
            (Counts{{0, 1}, {7, 3}, {4095, 1}, {4096, 2}, {4098, 1}, {least_of(bucket_of(50'000'123)), 1}}));
}

TEST(Recorder, KeepsEverySample) {
  Recorder recorder;
  constexpr std::uint64_t kMany = 3'000'000;
  for (std::uint64_t sample = 0; sample < kMany; ++sample) recorder.record(sample % 2 == 0 ? 100 : 5'000'000);
  message::Distribution all;
  recorder.add_to(all);
  EXPECT_EQ(all.counts, (Counts{{100, kMany / 2}, {least_of(bucket_of(5'000'000)), kMany / 2}}));
  EXPECT_EQ(all.censored, 0U);
}

TEST(Recorder, CensorsWhatLastedLongerThanAnHour) {
  const message::Distribution all =
      recorded({Recorder::kLongest, Recorder::kLongest + 1, std::numeric_limits<std::uint64_t>::max()});
  EXPECT_EQ(all.counts, (Counts{{least_of(bucket_of(Recorder::kLongest)), 1}}));
  EXPECT_EQ(all.censored, 2U);
}

TEST(Recorder, AddsToWhatOthersRecorded) {
  Recorder one;
  one.record(20);
  one.record(6000);
  one.censor();
  Recorder other;
  other.record(20);
  other.censor();
  other.censor();
  message::Distribution all;
  one.add_to(all);
  other.add_to(all);
  EXPECT_EQ(all.counts, (Counts{{20, 2}, {6000, 1}}));
  EXPECT_EQ(all.censored, 3U);
}

TEST(Recorder, OfNothingIsEmpty) {
  const message::Distribution all = recorded({});
  EXPECT_TRUE(all.counts.empty());
  EXPECT_EQ(all.censored, 0U);
}

}  // namespace
}  // namespace threadping::crew
