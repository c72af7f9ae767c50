#include "engine/pace.hpp"

#include <gtest/gtest.h>

#include <vector>

#include "support/requests.hpp"

namespace threadping::engine {
namespace {

using tests::kMillisecond;

constexpr contract::WindowsRequest kUsual{
    .unit = contract::Unit::ops, .throughput = 1000, .sampling = 300, .visits = 5};

void expect(const Visit& visit, std::uint64_t lead_in, std::uint64_t throughput, std::uint64_t sampling) {
  EXPECT_EQ(visit.lead_in, lead_in);
  EXPECT_EQ(visit.throughput, throughput);
  EXPECT_EQ(visit.sampling, sampling);
}

TEST(Visit, HasALeadInAndTimedOperationsInProportion) {
  expect(visit_of(1, kUsual), 1, 1, 1);
  expect(visit_of(10, kUsual), 1, 10, 3);
  expect(visit_of(128, kUsual), 2, 128, 38);
  expect(visit_of(1000, kUsual), 15, 1000, 300);
  expect(visit_of(10, {.throughput = 10, .sampling = 40}), 1, 10, 40);
  EXPECT_EQ(visit_of(1000, kUsual).ops(), 1315U);
}

/// The visit for so much time, lines and operations of such a length.
Visit fitted(std::uint64_t measure_ns, double operation_ns, std::uint32_t lines, std::uint64_t visits = 5) {
  contract::Request request;
  request.measure_ns = measure_ns;
  request.lines = lines;
  request.windows = kUsual;
  request.windows.visits = visits;
  return fitted_visit(request, operation_ns);
}

TEST(FittedVisit, TakesTheLargestWindowsForWhichThereIsTime) {
  expect(fitted(10'000 * kMillisecond, 100, 256), 15, 1000, 300);
  expect(fitted(50 * kMillisecond, 100, 256), 4, 260, 78);      // 500,000 operations over 5 * 256 * 1.5
  expect(fitted(50 * kMillisecond, 100, 256, 10), 2, 130, 39);  // the same over 10 * 256 * 1.5
  expect(fitted(1000 * kMillisecond, 8'000'000, 1), 1, 8, 2);   // one line is visited ten times: 125 over 10 * 1.5
  expect(fitted(50 * kMillisecond, 8'000'000, 256), 1, 1, 1);   // an operation takes a time slice
  expect(fitted(kMillisecond, 1e15, 1), 1, 1, 1);               // absurd
  expect(fitted(3'600'000 * kMillisecond, 0, 65'536), 15, 1000, 300);
}

TEST(AnOperation, TakesAThreadItsShareOfTheTime) {
  EXPECT_DOUBLE_EQ(ns_an_operation(1000, 100, 1), 10.0);
  EXPECT_DOUBLE_EQ(ns_an_operation(1000, 100, 2), 20.0);
  EXPECT_DOUBLE_EQ(ns_an_operation(1000, 0, 2), 2000.0);
}

TEST(AChunk, LastsAboutAsLongAsTheRequestWantsAndGrowsEightfoldAtMost) {
  EXPECT_EQ(next_chunk(20.0, 1000, 20'000), 1000U);
  EXPECT_EQ(next_chunk(20.0, 1000, 60'000), 3000U);
  EXPECT_EQ(next_chunk(15'000.0, 1000, 20'000), 1U);
  EXPECT_EQ(next_chunk(1e9, 1000, 20'000), 1U);
  EXPECT_EQ(next_chunk(5.0, 1, 20'000), 8U);
  EXPECT_EQ(next_chunk(5.0, 400, 20'000), 3200U);
  EXPECT_EQ(next_chunk(5.0, 4000, 20'000), 4000U);
  EXPECT_EQ(next_chunk(0.2, 4096, 20'000), kLongestChunk);
  EXPECT_EQ(next_chunk(0.2, 1000, 500), 500U) << "no operation takes less than a nanosecond";
}

/// The share of its running time that the readings take of the thread that reads most.
TEST(TheClocksShare, IsOfTheTimeThatAThreadRan) {
  EXPECT_DOUBLE_EQ(clock_share(1000, 20.0, 1'000'000, 1.0), 0.02);
  EXPECT_DOUBLE_EQ(clock_share(1000, 20.0, 1'000'000, 4.0), 0.02) << "more CPUs than threads";
  EXPECT_DOUBLE_EQ(clock_share(1000, 20.0, 1'000'000, 0.25), 0.08) << "four threads on each";
  EXPECT_DOUBLE_EQ(clock_share(0, 20.0, 0, 1.0), 0.0);
}

/// A thread whose operations turn out to be of this length is fitted in a few windows, wherever that began; and then it
/// stays.
TEST(Sampling, IsFittedByTheReadingsThatWereMade) {
  const auto share = [](std::uint32_t every, double operation_ns) { return 2 * 25.0 / (every * operation_ns); };
  for (const std::uint32_t first : {1U, 1024U}) {
    std::uint32_t every = first;
    for (int window = 0; window < 6; ++window) every = next_every(every, share(every, 100.0), 0.02);
    EXPECT_EQ(every, 32U);
  }
  EXPECT_EQ(next_every(1, share(1, 10.0), 0.02), 4U) << "a factor of four at most";
  EXPECT_EQ(next_every(1024, share(1024, 5000.0), 0.02), 256U);
  EXPECT_EQ(next_every(1024, 1.0, 0.02), 1024U);
  EXPECT_EQ(next_every(1, 0.0, 0.02), 1U) << "nobody read any";
}

TEST(Sampling, CostsItsShareWhereItCan) {
  EXPECT_EQ(first_every(2500.0, 25.0, 0.02), 1U);
  EXPECT_EQ(first_every(2499.0, 25.0, 0.02), 2U);
  EXPECT_EQ(first_every(100.0, 25.0, 0.02), 32U);
  EXPECT_EQ(first_every(100.0, 25.0, 0.5), 1U);
  EXPECT_EQ(first_every(10.0, 25.0, 0.02), 256U);
  EXPECT_EQ(first_every(0.3, 25.0, 0.02), 1024U);
  EXPECT_EQ(first_every(0, 0, 0.02), 1U);
}

/// After which window the pace was steady for the first time; 0 if it never was.
std::size_t steady_after(const std::vector<double>& windows, double share, std::size_t stretch = 4) {
  Steadiness steadiness(stretch);
  for (std::size_t window = 0; window < windows.size(); ++window) {
    steadiness.add(windows[window]);
    if (steadiness.reached(share)) return window + 1;
  }
  return 0;
}

TEST(APace, IsSteadyWhenTwoStretchesAgree) {
  EXPECT_EQ(steady_after(std::vector(20, 50.0), 0.02), 8U);
  EXPECT_EQ(steady_after(std::vector(20, 50.0), 0.02, 6), 12U);
  EXPECT_EQ(steady_after(std::vector(7, 50.0), 0.02), 0U) << "there are no two stretches";
  EXPECT_EQ(steady_after({20, 20, 20, 20, 19.5, 19.5, 19.5, 19.5}, 0.02), 0U) << "2.5% is more than 2%";
  EXPECT_EQ(steady_after({19.5, 19.5, 19.5, 19.5, 19.3, 19.3, 19.3, 19.3}, 0.0104), 8U) << "and 1.03% is not";
}

TEST(APace, IsNotSteadyWhileItFalls) {
  std::vector<double> windows(30);
  for (std::size_t window = 0; window < windows.size(); ++window)
    windows[window] = 1000.0 - 30.0 * static_cast<double>(window);
  EXPECT_EQ(steady_after(windows, 0.02), 0U);
  windows.insert(windows.end(), 10, 100.0);
  EXPECT_EQ(steady_after(windows, 0.02), 37U) << "one that is left of the fall is noise";
}

TEST(APace, IsSteadyWhereItsStretchesDifferByNoMoreThanTheirNoise) {
  const std::vector<double> noisy{50, 80, 45, 90, 60, 95, 50, 85};
  EXPECT_EQ(steady_after(noisy, 0.0001), 8U);
}

/// After twelve windows of 10 ms, one of them with this much compilation, or disturbed.
bool is_steady_after(std::size_t window, std::uint64_t compile_ms, bool disturbed) {
  Steadiness steadiness(4);
  for (std::size_t each = 0; each < 12; ++each) {
    steadiness.during(5 * kMillisecond, false);
    steadiness.during(5 * kMillisecond, each == window && disturbed);
    if (each == window) steadiness.compiled(compile_ms * kMillisecond);
    steadiness.add(50.0);
  }
  return steadiness.reached(0.02);
}

TEST(APace, IsNotSteadyWhereTheRuntimeCompiledOrCollectedInTheLastTwoStretches) {
  for (std::size_t window = 0; window < 12; ++window) {
    EXPECT_EQ(is_steady_after(window, 1, false), window < 4) << "a millisecond of 40 is 2.5%, in window " << window;
    EXPECT_EQ(is_steady_after(window, 0, true), window < 4) << window;
  }
  Steadiness seldom(4);
  for (int each = 0; each < 8; ++each) {
    seldom.during(100 * kMillisecond, false);
    seldom.compiled(2 * kMillisecond);
    seldom.add(50.0);
  }
  EXPECT_TRUE(seldom.reached(0.02)) << "it never quite stops";
}

/// Windows of a millisecond, of a stretch that is to last 8: two of them are one of its four.
TEST(APace, IsSteadyOnceItsStretchesLastedLongEnough) {
  for (const auto& [least_ms, after] : {std::pair{8.0, 16}, {4.0, 8}, {0.0, 8}}) {
    Steadiness steadiness(4, least_ms * 1e6);
    for (int window = 1; window <= after; ++window) {
      EXPECT_FALSE(steadiness.reached(0.02)) << least_ms << " ms, before window " << window;
      steadiness.during(kMillisecond, false);
      steadiness.add(window % 2 == 0 ? 50.0 : 100.0);
    }
    EXPECT_TRUE(steadiness.reached(0.02)) << least_ms << " ms";
  }
}

TEST(APace, IsNotSteadyWhereTheRuntimeCompiledOrRestedAfterItsLastWindow) {
  Steadiness steadiness(4, 40e6);
  for (int each = 0; each < 8; ++each) {
    steadiness.during(10 * kMillisecond, false);
    steadiness.add(50.0);
  }
  EXPECT_TRUE(steadiness.reached(0.02));
  Steadiness disturbed = steadiness;
  disturbed.during(0, true);
  EXPECT_FALSE(disturbed.reached(0.02));
  steadiness.compiled(kMillisecond);
  EXPECT_FALSE(steadiness.reached(0.02));
}

TEST(Visits, AreFittedAnewWhereThatChangesMuch) {
  const auto length = [](std::uint64_t now, std::uint64_t fitting) {
    return refitted(visit_of(now, kUsual), visit_of(fitting, kUsual)).throughput;
  };
  EXPECT_EQ(length(400, 500), 400U);
  EXPECT_EQ(length(400, 501), 501U);
  EXPECT_EQ(length(400, 300), 400U);
  EXPECT_EQ(length(400, 299), 299U);
}

TEST(APace, OfNoOperationsIsSome) { EXPECT_EQ(steady_after(std::vector(8, 0.0), 0.02), 8U); }

}  // namespace
}  // namespace threadping::engine
