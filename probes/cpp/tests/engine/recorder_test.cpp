// What becomes of samples: which are recorded, and what is reported about the others.

#include "engine/recorder.hpp"

#include <gtest/gtest.h>

#include <map>
#include <memory>

namespace threadping::engine {
namespace {

using Counts = std::map<std::uint64_t, std::uint64_t>;

class ARecorder : public testing::Test {
 protected:
  ARecorder() {
    recorder_.measure(100);
    recorder_.begin(true);
    gate_.open(1000);
  }
  contract::Distribution recorded() {
    contract::Distribution all;
    recorder_.durations().add_to(all);
    return all;
  }
  Counts numbers() {
    contract::Distribution all;
    recorder_.numbers()[0].add_to(all);
    return all.counts;
  }

  std::atomic<std::uint64_t> ops_ = 0;
  Gate gate_;
  Recorder recorder_{ops_, &gate_, Recorder::kCapacity, 1};
};

TEST_F(ARecorder, KeepsWhatBeganAndEndedInsideAWindow) {
  recorder_.add(900, 1100);
  recorder_.add(1100, 1150);
  recorder_.take();
  recorder_.add(1200, 2100);
  gate_.close(2000);
  recorder_.take();
  recorder_.add(2100, 2200);
  recorder_.take();
  EXPECT_EQ(recorded().counts, (Counts{{50, 1}}));
  EXPECT_EQ(recorded().censored, 2U);
}

/// Looks by a clock of the test's own, on which a look takes a millisecond.
class Looking : public platform::Onlooker {
 public:
  explicit Looking(std::uint64_t& now) : Onlooker({}, false), now_(now) {}
  platform::Look look() override {
    platform::Look look;
    look.at_ns = now_ += 1'000'000;
    return look;
  }

 private:
  std::uint64_t& now_;
};

TEST_F(ARecorder, LooksNeitherAheadNorBehindWhileOthersWait) {
  std::uint64_t now = 1000;
  recorder_.look_with({.factor = 1, .least_ns = 100, .most = 9}, std::make_unique<Looking>(now), 1.0, 7);
  recorder_.begin(true);
  const auto looks_after = [&](bool ahead, bool others_wait) {
    recorder_.others_wait(others_wait);
    if (ahead)
      recorder_.about_to_time();
    else
      recorder_.add(now, now + 5000);
    recorder_.take();
    return recorder_.looks()->looks();
  };
  EXPECT_EQ(looks_after(true, true), 0U);
  EXPECT_EQ(looks_after(true, false), 1U);
  EXPECT_EQ(looks_after(false, true), 1U);
  EXPECT_EQ(looks_after(false, false), 2U);
}

/// It looks while it warms up as it will while measuring.
TEST_F(ARecorder, CountsNoLooksOfTheWarmUp) {
  std::uint64_t now = 1000;
  recorder_.look_with({.factor = 1, .least_ns = 100, .most = 9}, std::make_unique<Looking>(now), 1.0, 7);
  recorder_.begin(true);
  recorder_.about_to_time();
  ASSERT_EQ(recorder_.looks()->looks(), 1U);
  recorder_.measure(now);
  EXPECT_EQ(recorder_.looks()->looks(), 0U);
}

TEST_F(ARecorder, CountsWhatCameOutBelowZeroAndHidesNothing) {
  recorder_.add(1100, 1060);
  recorder_.add(1100, 1100);
  recorder_.take();
  EXPECT_EQ(recorded().counts, (Counts{{0, 1}}));
  EXPECT_EQ(recorded().negative, 1U);
  EXPECT_EQ(recorded().censored, 0U);
}

TEST_F(ARecorder, RecordsNothingOfTheWarmUp) {
  Recorder recorder(ops_, &gate_, Recorder::kCapacity, 1);
  recorder.begin(true);
  recorder.add(1100, 1200);
  recorder.number(0, 7);
  recorder.tally(0, 5, 3);
  recorder.take();
  recorder.measure(1300);
  recorder.add(1250, 1400);
  recorder.take();
  contract::Distribution all;
  recorder.durations().add_to(all);
  recorder.numbers()[0].add_to(all);
  EXPECT_EQ(all.counts, Counts{});
  EXPECT_EQ(all.censored, 0U) << "it began before";
  EXPECT_EQ(recorder.tallies()[0].made, 0U);
}

/// Batches, and wake-ups, are of sampling windows alone.
TEST_F(ARecorder, RecordsNumbersAndTalliesInSamplingWindowsAlone) {
  const auto go_on = [&] {
    recorder_.number(0, 7);
    recorder_.tally(0, 5, 3);
    recorder_.take();
  };
  go_on();
  recorder_.begin(false);
  go_on();
  recorder_.begin(true);
  gate_.close(2000);
  go_on();
  EXPECT_EQ(numbers(), (Counts{{7, 1}}));
  EXPECT_EQ(recorder_.tallies()[0].made, 5U);
  EXPECT_EQ(recorder_.tallies()[0].found, 3U);
}

/// A take of a consumer may hold more than the capacity.
TEST_F(ARecorder, LosesNothingBeyondItsCapacity) {
  for (std::uint64_t each = 0; each < 3 * Recorder::kCapacity; ++each) {
    recorder_.add(2000, 2010);
    recorder_.number(0, 4);
  }
  recorder_.take();
  EXPECT_EQ(recorded().counts, (Counts{{10, 3 * Recorder::kCapacity}}));
  EXPECT_EQ(numbers(), (Counts{{4, 3 * Recorder::kCapacity}}));
}

TEST_F(ARecorder, CountsOperationsWhileTheyAreUnderWay) {
  ops_ = 10;
  recorder_.begin_run();
  recorder_.progress(3);
  EXPECT_EQ(ops_, 13U);
  recorder_.progress(5);
  EXPECT_EQ(ops_, 15U);
}

}  // namespace
}  // namespace threadping::engine
