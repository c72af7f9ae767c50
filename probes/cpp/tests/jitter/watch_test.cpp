// The loop that reads the clock, on a clock that a test plants.

#include <gtest/gtest.h>

#include <array>
#include <cstddef>
#include <cstdint>
#include <utility>
#include <vector>

#include "engine/trial.hpp"
#include "experiments/all.hpp"
#include "experiments/jitter/jitter.hpp"
#include "support/requests.hpp"

namespace threadping::jitter {
namespace {

/// Takes 10 ns from reading to reading, but for what is planted behind some of them.
struct PlantedClock {
  static constexpr std::string_view kName = "planted";
  static inline std::uint64_t now = 0;
  static inline std::size_t readings = 0;
  static inline std::vector<std::pair<std::size_t, std::int64_t>> planted{};  ///< After a number of readings.

  static void plant(std::vector<std::pair<std::size_t, std::int64_t>> delays) {
    now = 1'000'000;
    readings = 0;
    planted = std::move(delays);
  }
  static std::uint64_t now_ns() {
    for (const auto& [after, ns] : planted)
      if (after == readings) now += static_cast<std::uint64_t>(ns);
    ++readings;
    return now += 10;
  }
};

/// Keeps what was added, and takes 5 µs each time, as a recorder may.
class Kept final : public engine::Samples {
 public:
  Kept() { timings_ = places_; }
  [[nodiscard]] std::vector<std::uint64_t> gaps() const {
    std::vector<std::uint64_t> found;
    found.reserve(added_);
    for (std::size_t place = 0; place < added_; ++place) found.push_back(places_[place].ns());
    return found;
  }
  void about_to_time() override {}

 private:
  void settle() override { added_ = 0; }
  std::array<engine::Timing, 64> places_{};
};

TEST(Gaps, EveryGapOfTheLeastLengthIsKeptAndNoShorterOne) {
  PlantedClock::plant({{100, 989}, {200, 990}, {300, 50'000}});
  Kept kept;
  EXPECT_EQ(watch<PlantedClock>(1'000, 1'000, kept), 0U);
  EXPECT_EQ(kept.gaps(), (std::vector<std::uint64_t>{1'000, 50'010}));
  EXPECT_EQ(PlantedClock::readings, 1'000 + 1 + 2);  // the first, and one behind each gap
}

TEST(Gaps, WhatComesRightBehindAGapIsNoPartOfIt) {
  PlantedClock::plant({{100, 5'000}, {101, 7'000}, {102, 3'000}});  // 7 us lie between a gap and the reading behind it
  Kept kept;
  watch<PlantedClock>(1'000, 1'000, kept);
  EXPECT_EQ(kept.gaps(), (std::vector<std::uint64_t>{5'010, 3'010}));
}

TEST(Gaps, AClockThatRunsBackwardsIsFoundOut) {
  PlantedClock::plant({{500, -4'000}});
  Kept kept;
  EXPECT_EQ(watch<PlantedClock>(1'000, 1'000, kept), 1U);
}

TEST(Gaps, NoneIsKeptInAThroughputWindow) {
  PlantedClock::plant({{100, 5'000}});
  JitterStage<PlantedClock> stage(1'000);
  Kept kept;
  EXPECT_EQ(stage.player(0)->run({.line = 0, .count = 1'000, .every = 0}, kept), 1'000U);
  EXPECT_TRUE(kept.gaps().empty());
  PlantedClock::plant({{100, 5'000}, {200, -5'000}});
  EXPECT_EQ(stage.player(0)->run({.line = 0, .count = 1'000, .every = 64}, kept), 1'000U);
  EXPECT_EQ(kept.gaps().front(), 5'010U);
  const std::array<std::uint64_t, 1> ops{2'000};
  const contract::Held held = stage.counts(ops).at("readings in order");
  EXPECT_EQ(held.made, 2'000U);
  EXPECT_EQ(held.found, 1'999U);
  EXPECT_TRUE(held.exact);
}

TEST(Gaps, AreMeasuredLikeAnyOther) {
  auto request = tests::quick_request(experiment(), tests::pinned(1, platform::allowed_cpus()));
  request.mechanism = "clock-monotonic";
  request.measure_ns = 20 * tests::kMillisecond;
  const contract::Result result = engine::run(request, experiment());
  EXPECT_EQ(result.threads[0].role, "reader");
  EXPECT_EQ(result.distributions.count("gap"), 1U);
  EXPECT_GT(result.measured_ops, 0U);
  EXPECT_EQ(result.counts.at("readings in order").found, result.counts.at("readings in order").made);
}

}  // namespace
}  // namespace threadping::jitter
