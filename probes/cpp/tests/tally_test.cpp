#include "tally.hpp"

#include <gtest/gtest.h>

#include <array>
#include <cstdint>
#include <map>

namespace threadping {
namespace {

TEST(Tally, CountsShortAndLongValuesExactly) {
  Tally tally;
  tally.add(std::array<std::uint64_t, 4>{0, 7, 4'095, 7});
  tally.add(std::array<std::uint64_t, 4>{4'096, 50'000'000, 4'096, 7});
  EXPECT_EQ(tally.by_value(),
            (std::map<std::uint64_t, std::uint64_t>{{0, 1}, {7, 3}, {4'095, 1}, {4'096, 2}, {50'000'000, 1}}));
}

TEST(Tally, OfNothingIsEmpty) { EXPECT_TRUE(Tally().by_value().empty()); }

}  // namespace
}  // namespace threadping
