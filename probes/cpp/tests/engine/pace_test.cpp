#include "engine/pace.hpp"

#include <gtest/gtest.h>

#include "support/requests.hpp"

namespace threadping::engine {
namespace {

using tests::kMillisecond;

constexpr contract::WindowsRequest kUsual{.unit = contract::Unit::ops, .plain = 1000, .timed = 300, .visits = 5};

void expect(const Visit& visit, std::uint64_t lead_in, std::uint64_t plain, std::uint64_t timed) {
  EXPECT_EQ(visit.lead_in, lead_in);
  EXPECT_EQ(visit.plain, plain);
  EXPECT_EQ(visit.timed, timed);
}

TEST(Visit, HasALeadInAndTimedOperationsInProportion) {
  expect(visit_of(1, kUsual), 1, 1, 1);
  expect(visit_of(10, kUsual), 1, 10, 3);
  expect(visit_of(128, kUsual), 2, 128, 38);
  expect(visit_of(1000, kUsual), 15, 1000, 300);
  expect(visit_of(10, {.plain = 10, .timed = 40}), 1, 10, 40);
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
}

TEST(Sampling, CostsItsShareWhereItCan) {
  EXPECT_EQ(sample_every(2500.0, 25.0, 0.02), 1U);
  EXPECT_EQ(sample_every(2499.0, 25.0, 0.02), 2U);
  EXPECT_EQ(sample_every(100.0, 25.0, 0.02), 32U);
  EXPECT_EQ(sample_every(100.0, 25.0, 0.5), 1U);
  EXPECT_EQ(sample_every(10.0, 25.0, 0.02), 256U);
  EXPECT_EQ(sample_every(0.3, 25.0, 0.02), 1024U);
}

}  // namespace
}  // namespace threadping::engine
