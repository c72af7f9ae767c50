#include "signal/readings.hpp"

#include <gtest/gtest.h>

#include <array>
#include <cstdint>
#include <map>
#include <vector>

namespace threadping::signal {
namespace {

constexpr std::uint64_t kMillisecond = 1'000'000;

TEST(Readings, KeepBlocksByLineInOrder) {
  Readings readings(3, kMillisecond);
  readings.add_block(2, 1000, 5'000, 125'000);
  readings.add_block(0, 4, 0, 10);
  readings.add_block(2, 1000, 200'000, 318'500);
  EXPECT_EQ(readings.blocks_by_line(), (std::vector<std::vector<double>>{{2.5}, {}, {120.0, 118.5}}));
}

TEST(Readings, KeepTheDifferencesOfAChainOfStamps) {
  Readings readings(1, kMillisecond);
  readings.add_singles(1'000, std::array<std::uint64_t, 4>{1'100, 1'220, 1'320, 1'320});
  readings.add_singles(9'000, std::array<std::uint64_t, 1>{9'100});
  EXPECT_EQ(readings.singles_by_value(), (std::map<std::uint64_t, std::uint64_t>{{0, 1}, {100, 3}, {120, 1}}));
}

TEST(Readings, CountRareLongSinglesExactlyToo) {
  Readings readings(1, kMillisecond);
  for (const std::uint64_t single : {4'095U, 4'096U, 4'096U, 4'097U, 50'000'000U})
    readings.add_singles(0, std::array<std::uint64_t, 1>{single});
  EXPECT_EQ(readings.singles_by_value(),
            (std::map<std::uint64_t, std::uint64_t>{{4'095, 1}, {4'096, 2}, {4'097, 1}, {50'000'000, 1}}));
}

TEST(Readings, AreEmptyAtFirst) {
  const Readings readings(2, kMillisecond);
  EXPECT_EQ(readings.blocks_by_line(), (std::vector<std::vector<double>>{{}, {}}));
  EXPECT_TRUE(readings.singles_by_value().empty());
}

/// Adds blocks until there is no room.
std::size_t room_of(Readings readings) {
  std::size_t blocks = 0;
  for (; readings.has_room(); ++blocks) readings.add_block(0, 1, 0, 1);
  EXPECT_EQ(readings.blocks_by_line().front().size(), blocks);
  return blocks;
}

TEST(Readings, HaveRoomForVisitsOfAMicrosecond) {
  EXPECT_EQ(room_of(Readings(1, kMillisecond)), 1000U + 1024U);
  EXPECT_EQ(room_of(Readings(1, 3'600'000 * kMillisecond)), std::size_t{1} << 20);
}

TEST(Readings, HaveRoomForAMillionSingles) {
  Readings readings(1, kMillisecond);
  EXPECT_EQ(readings.singles_left(), 1U << 20);
  const std::vector<std::uint64_t> stamps((1U << 20) - 1, 7);
  readings.add_singles(7, stamps);
  EXPECT_EQ(readings.singles_left(), 1U);
  readings.add_singles(7, std::array<std::uint64_t, 1>{8});
  EXPECT_EQ(readings.singles_left(), 0U);
  EXPECT_EQ(readings.singles_by_value(), (std::map<std::uint64_t, std::uint64_t>{{0, (1U << 20) - 1}, {1, 1}}));
}

}  // namespace
}  // namespace threadping::signal
