#include "engine/looks.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <map>
#include <memory>
#include <set>
#include <utility>

namespace threadping::engine {
namespace {

using Durations = std::multiset<std::uint64_t>;

void record(Histogram& recorded, std::uint64_t count, std::uint64_t ns) {
  for (std::uint64_t each = 0; each < count; ++each) recorded.record(ns);
}

constexpr contract::OutliersRequest kTenfold{.factor = 10, .least_ns = 5000, .most = 3};

TEST(AnOutlier, LastsSoMuchLongerThanTheMedian) {
  Histogram recorded;
  EXPECT_EQ(least_outlier(kTenfold, recorded.recorded(), recorded.median()), 5000U);
  record(recorded, 99, 2000);
  EXPECT_EQ(least_outlier(kTenfold, recorded.recorded(), recorded.median()), 5000U) << "too few for a median";
  record(recorded, 1, 2000);
  EXPECT_EQ(least_outlier(kTenfold, recorded.recorded(), recorded.median()), 20'000U);
  record(recorded, 101, 30);
  EXPECT_EQ(least_outlier(kTenfold, recorded.recorded(), recorded.median()), 5000U) << "ten times the median is less";
  record(recorded, 500, 3'600'000'000'000);
  EXPECT_EQ(least_outlier(kTenfold, recorded.recorded(), recorded.median()), Histogram::kLongest);
}

Durations kept(const Longest& longest) {
  Durations lengths;
  for (const Outlier& outlier : longest.all()) lengths.insert(outlier.ns());
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

TEST(TheLongest, AreAllUpToTheMaximum) {
  Longest longest(3);
  EXPECT_EQ(kept(longest), Durations{});
  EXPECT_TRUE(longest.wants(0));
  longest.keep({.timing = {.from_ns = 5, .to_ns = 6}, .seen = std::nullopt});
  EXPECT_EQ(kept(longest), Durations{1});
}

/// Looks by a clock of the test's own: a look takes 1,000 ns, and of what it looks at only the time is real.
class OwnClock : public platform::Onlooker {
 public:
  explicit OwnClock(std::uint64_t& now) : Onlooker({}, false), now_(now) {}
  platform::Look look() override {
    platform::Look look;
    look.at_ns = now_ += 1000;
    look.done_ns = look.at_ns + std::exchange(stopped_ns, 0);
    now_ = look.done_ns;
    return look;
  }
  std::uint64_t stopped_ns = 0;  ///< For so long the next one takes longer.

 private:
  std::uint64_t& now_;
};

constexpr std::uint64_t kPeriod = 100'000;  // a hundred looks

class ALooker : public testing::Test {
 protected:
  /// One operation of this length, with what the engine does around it.
  void perform(std::uint64_t ns, bool may = true) { perform(looks_, ns, may); }
  void perform(Looks& looks, std::uint64_t ns, bool may = true) {
    looks.before(now_);
    const std::uint64_t from_ns = now_;
    now_ += ns;
    const Timing timing{.from_ns = from_ns, .to_ns = now_};
    looks.after(std::span(&timing, 1), may);
  }
  [[nodiscard]] std::size_t seen() const {
    return static_cast<std::size_t>(
        std::ranges::count_if(looks_.outliers(), [](const Outlier& outlier) { return outlier.seen.has_value(); }));
  }
  [[nodiscard]] double looks_a_period(const Looks& looks, std::uint64_t start_ns) const {
    return static_cast<double>(looks.looks() * kPeriod) / static_cast<double>(now_ - start_ns);
  }

  std::uint64_t now_ = 1'000'000;
  Looks looks_{{.factor = 1, .least_ns = 100, .most = 1000}, std::make_unique<OwnClock>(now_), 1.0, 7};
  Histogram recorded_;
};

/// 1% of the time, whatever comes: here an outlier after the other, for ever.
TEST_F(ALooker, TakesAHundredthOfTheTimeInAFloodOfOutliers) {
  looks_.begin(recorded_);
  const std::uint64_t start = now_;
  for (std::uint64_t each = 0; each < 50'000; ++each) perform(200 + each);
  EXPECT_EQ(looks_.look_ns(), 1000U);
  EXPECT_LE(looks_a_period(looks_, start), 1.05);
  EXPECT_GE(looks_a_period(looks_, start), 0.8) << "and spends what it may";
  EXPECT_GT(seen(), 0U);
}

TEST_F(ALooker, TakesAHundredthOfTheTimeWhereNothingIsAnOutlier) {
  looks_.begin(recorded_);
  const std::uint64_t start = now_;
  for (int each = 0; each < 50'000; ++each) perform(50);
  EXPECT_LE(looks_a_period(looks_, start), 1.05);
  EXPECT_TRUE(looks_.outliers().empty());
}

/// And of the CPU that it shares with three others.
TEST_F(ALooker, TakesAFourthOfThatInABarrier) {
  Looks looks({.factor = 1, .least_ns = 100, .most = 10}, std::make_unique<OwnClock>(now_), 4.0, 7);
  looks.begin(recorded_);
  const std::uint64_t start = now_;
  for (int each = 0; each < 500'000; ++each) perform(looks, 500);
  EXPECT_LE(looks_a_period(looks, start), 0.27);
  EXPECT_GE(looks_a_period(looks, start), 0.2);
}

/// Outliers of 150 ns come alone, those of 250 ns in bursts of five hundred, and those of 350 ns right after them: what
/// was looked into represents how many of each there were, though most of it was not.
TEST_F(ALooker, LooksIntoASampleThatRepresentsAllOutliers) {
  Looks looks({.factor = 1, .least_ns = 100, .most = 100'000}, std::make_unique<OwnClock>(now_), 1.0, 7);
  looks.begin(recorded_);
  std::map<std::uint64_t, double> came;
  const auto one = [&](std::uint64_t ns) {
    perform(looks, ns);
    ++came[ns];
  };
  for (int each = 0; each < 20'000; ++each) {
    for (int short_one = 0; short_one < 1000; ++short_one) perform(looks, 50);
    one(150);
    if (each % 20 > 0) continue;
    for (int burst = 0; burst < 500; ++burst) one(250);
    one(350);
  }
  std::map<std::uint64_t, double> estimated;
  double inspected = 0;
  for (const Outlier& outlier : looks.outliers()) {
    estimated[outlier.ns()] += outlier.weight;
    inspected += outlier.seen && outlier.weight > 0 ? 1 : 0;
  }
  EXPECT_LT(inspected, (came[150] + came[250] + came[350]) / 10);
  for (const auto& [ns, count] : came) EXPECT_NEAR(estimated[ns] / count, 1, 0.2) << ns;
}

/// Of a sample that is full each one represents more.
TEST(ASample, IsARandomChoiceOfThoseThatCame) {
  Draws draws(1, 1, 7);
  std::map<std::uint64_t, int> kept;
  for (int again = 0; again < 1000; ++again) {
    Sample sample(3);
    for (std::uint64_t ns = 1; ns <= 12; ++ns) sample.keep({.timing = {.from_ns = 0, .to_ns = ns}}, draws);
    EXPECT_EQ(sample.all().size(), 3U);
    EXPECT_EQ(sample.each_for(), 4.0);
    for (const Outlier& outlier : sample.all()) ++kept[outlier.ns()];
  }
  for (const auto& [ns, times] : kept) EXPECT_NEAR(times, 250, 50) << ns;
  EXPECT_EQ(kept.size(), 12U);
}

TEST_F(ALooker, GivesWhatItSawToTheLongestAndToWhatOverlapsIt) {
  looks_.begin(recorded_);
  looks_.before(now_);
  const std::vector<Timing> timings{{.from_ns = now_, .to_ns = now_ + 150},
                                    {.from_ns = now_ + 200, .to_ns = now_ + 299},
                                    {.from_ns = now_ + 249, .to_ns = now_ + 949},
                                    {.from_ns = now_ + 900, .to_ns = now_ + 1100}};
  now_ += 1100;
  looks_.after(timings, true);
  std::map<std::uint64_t, bool> kept;
  for (const Outlier& outlier : looks_.outliers()) kept[outlier.ns()] = outlier.seen.has_value();
  EXPECT_EQ(kept, (std::map<std::uint64_t, bool>{{150, false}, {200, true}, {700, true}}));
}

TEST_F(ALooker, DoesNotLookWhileOthersWaitForItsThread) {
  looks_.begin(recorded_);
  perform(5000, false);
  EXPECT_EQ(looks_.looks(), 1U) << "the one before";
  EXPECT_EQ(looks_.outliers().size(), 1U) << "it is kept all the same";
  EXPECT_EQ(seen(), 0U);
}

TEST_F(ALooker, HasNotSeenWhatBeganBeforeItLookedOrLongAfter) {
  looks_.begin(recorded_);
  looks_.before(now_);
  const Timing early{.from_ns = now_ - 2000, .to_ns = now_ + 5000};
  looks_.after(std::span(&early, 1), true);
  const Timing late{.from_ns = now_ + kPeriod + 1, .to_ns = now_ + kPeriod + 9000};
  looks_.after(std::span(&late, 1), true);
  EXPECT_EQ(looks_.outliers().size(), 2U);
  EXPECT_EQ(seen(), 0U);
  const Timing longer{.from_ns = late.from_ns, .to_ns = late.from_ns + 2 * kPeriod};
  looks_.after(std::span(&longer, 1), true);
  EXPECT_EQ(seen(), 1U) << "what happened before is little next to it";
}

TEST(ALookerThatIsStopped, LooksAgainBeforeAnOutlierAndSaysNothingAfterIt) {
  std::uint64_t now = 1'000'000;
  auto clock = std::make_unique<OwnClock>(now);
  OwnClock& own = *clock;
  Looks looks({.factor = 1, .least_ns = 100, .most = 10}, std::move(clock), 1.0, 7);
  Histogram none;
  looks.begin(none);
  const auto perform = [&] {
    const Timing timing{.from_ns = now, .to_ns = now + 500};
    now += 500;
    looks.after(std::span(&timing, 1), true);
    return looks.outliers().back().seen.has_value();
  };
  own.stopped_ns = 9000;
  looks.before(now);
  EXPECT_EQ(looks.looks(), 2U);
  EXPECT_TRUE(perform());
  own.stopped_ns = 9000;
  EXPECT_FALSE(perform()) << "the stop was in the look";
}

/// The look after one outlier is the one before the next of the same stretch; the next begins with one of its own.
TEST_F(ALooker, LooksOnceBetweenTwo) {
  looks_.begin(recorded_);
  perform(20'000);
  perform(20'000);
  EXPECT_EQ(seen(), 2U);
  EXPECT_EQ(looks_.looks(), 3U);
}

TEST_F(ALooker, SaysFromWhenOnItWouldLook) {
  EXPECT_EQ(looks_.due_ns(), 0U);
  looks_.before(now_);
  const std::uint64_t due_ns = looks_.due_ns();
  looks_.before(due_ns - 1);
  EXPECT_EQ(looks_.looks(), 1U);
  looks_.before(due_ns);
  EXPECT_EQ(looks_.looks(), 2U);
}

TEST_F(ALooker, ForgetsWhatItKeptAndThatItLooked) {
  looks_.begin(recorded_);
  perform(500);
  ASSERT_EQ(looks_.outliers().size(), 1U);
  looks_.forget();
  EXPECT_EQ(looks_.looks(), 0U);
  EXPECT_TRUE(looks_.outliers().empty());
}

/// Of a thread that the kernel does not know.
TEST_F(ALooker, KeepsWithoutALookWhatNobodyCanLookAt) {
  looks_.begin(recorded_);
  perform(500);
  Looks blind{{.factor = 1, .least_ns = 100, .most = 9}, nullptr, 1.0, 7};
  blind.begin(recorded_);
  blind.before(now_);
  const Timing earlier{.from_ns = 70, .to_ns = 370};
  blind.after(std::span(&earlier, 1), true);
  const std::array<Looker, 2> lookers{
      {{.thread = 0, .timed = "call", .looks = &looks_}, {.thread = 1, .timed = "wake", .looks = &blind}}};
  const contract::Evidence evidence = evidence_of(lookers);
  EXPECT_EQ(evidence.looks, 2U);
  EXPECT_EQ(evidence.look_ns, 500.0) << "the mean of 1000 and none";
  EXPECT_EQ(evidence.lacking.back(), "The kernel does not know virtual threads: it cannot say what happened to them.");
  ASSERT_EQ(evidence.outliers.size(), 2U);
  EXPECT_EQ(evidence.outliers[0].of, "wake");
  EXPECT_EQ(evidence.outliers[0].thread, 1U);
  EXPECT_EQ(evidence.outliers[0].ns, 300U);
  EXPECT_FALSE(evidence.outliers[0].seen);
  EXPECT_EQ(evidence.outliers[0].weight, 1.0);
  EXPECT_FALSE(evidence.outliers[0].draw) << "each is drawn by itself";
  EXPECT_TRUE(evidence.outliers[1].draw);
  EXPECT_TRUE(evidence.outliers[1].seen);
}

}  // namespace
}  // namespace threadping::engine
