#include "signal/visit.hpp"

#include <gtest/gtest.h>

#include <cstdint>

namespace threadping::signal {
namespace {

constexpr std::uint32_t kMostSingles = 1U << 20;

void expect(const Visit& visit, std::uint32_t lead_in, std::uint32_t block, std::uint32_t singles) {
  EXPECT_EQ(visit.lead_in, lead_in);
  EXPECT_EQ(visit.block, block);
  EXPECT_EQ(visit.singles, singles);
}

TEST(Visit, HasALeadInAndSinglesInProportion) {
  expect(visit_of(1), 1, 1, 1);
  expect(visit_of(10), 1, 10, 3);
  expect(visit_of(128), 2, 128, 38);
  expect(visit_of(1000), 15, 1000, 300);
}

TEST(Visit, AddsUpItsTurns) { EXPECT_EQ(visit_of(1000).turns(), 1315U); }

TEST(CalibratedVisit, TakesTheLargestBlockWhereTimeIsPlenty) {
  // 10 s / 100 ns = 1e8 round trips in 1e8 / 1315 visits; 0.7 * 2^20 singles over these are 9.65 for each
  expect(calibrated_visit(10'000'000'000, 100.0, 256, kMostSingles), 15, 1000, 9);
}

TEST(CalibratedVisit, FitsFiveVisitsToEveryLine) {
  // 50 ms / 100 ns = 500,000 round trips over 5 * 256 * 1.5
  expect(calibrated_visit(50'000'000, 100.0, 256, kMostSingles), 4, 260, 78);
}

TEST(CalibratedVisit, FitsTenVisitsToOneLine) {
  // 1 s / 8 ms = 125 round trips over 10 * 1.5
  expect(calibrated_visit(1'000'000'000, 8'000'000.0, 1, kMostSingles), 1, 8, 2);
}

TEST(CalibratedVisit, IsOneRoundTripWhereEachTakesATimeSlice) {
  expect(calibrated_visit(50'000'000, 8'000'000.0, 256, kMostSingles), 1, 1, 1);
}

TEST(CalibratedVisit, SurvivesAbsurdRoundTrips) {
  expect(calibrated_visit(1'000'000, 1e15, 1, kMostSingles), 1, 1, 1);
  expect(calibrated_visit(3'600'000'000'000, 0.0, 65'536, kMostSingles), 15, 1000, 1);
}

TEST(CalibratedVisit, AsksForASingleEvenWhereNoneIsLeft) {
  expect(calibrated_visit(10'000'000'000, 100.0, 256, 0), 15, 1000, 1);
}

}  // namespace
}  // namespace threadping::signal
