#include "engine/outliers.hpp"

#include <gtest/gtest.h>

#include <set>

namespace threadping::engine {
namespace {

using Durations = std::multiset<std::uint64_t>;

void record(Recorder& recorder, std::uint64_t count, std::uint64_t ns) {
  for (std::uint64_t each = 0; each < count; ++each) recorder.record(ns);
}

constexpr contract::OutliersRequest kTenfold{.factor = 10, .least_ns = 5000, .most = 3};

TEST(AnOutlier, LastsSoMuchLongerThanTheMedian) {
  Recorder recorder;
  EXPECT_EQ(least_outlier(kTenfold, recorder), 5000U);
  record(recorder, 99, 2000);
  EXPECT_EQ(least_outlier(kTenfold, recorder), 5000U) << "too few for a median";
  record(recorder, 1, 2000);
  EXPECT_EQ(least_outlier(kTenfold, recorder), 20'000U);
  record(recorder, 101, 30);
  EXPECT_EQ(least_outlier(kTenfold, recorder), 5000U) << "ten times the median is less";
  record(recorder, 500, 3'600'000'000'000);
  EXPECT_EQ(least_outlier(kTenfold, recorder), Recorder::kLongest);
}

Durations kept(const Longest& longest) {
  Durations lengths;
  for (const Outlier& outlier : longest.all()) lengths.insert(outlier.timing.ns());
  return lengths;
}

TEST(TheLongest, AreKept) {
  Longest longest(3);
  for (const std::uint64_t ns : {70, 50, 90, 60, 50, 95, 70})
    longest.keep({.timing = {.from_ns = 1000, .to_ns = 1000 + ns}, .seen = std::nullopt});
  EXPECT_EQ(kept(longest), (Durations{70, 90, 95}));
  EXPECT_FALSE(longest.wants(70));
  EXPECT_TRUE(longest.wants(71));
}

TEST(TheLongest, AreAllWhereThereIsRoom) {
  Longest longest(3);
  EXPECT_EQ(kept(longest), Durations{});
  EXPECT_TRUE(longest.wants(0));
  longest.keep({.timing = {.from_ns = 5, .to_ns = 6}, .seen = std::nullopt});
  EXPECT_EQ(kept(longest), Durations{1});
}

}  // namespace
}  // namespace threadping::engine
