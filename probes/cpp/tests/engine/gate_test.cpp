#include <gtest/gtest.h>

#include "engine/orders.hpp"

namespace threadping::engine {
namespace {

constexpr Timing between(std::uint64_t from_ns, std::uint64_t to_ns) { return {.from_ns = from_ns, .to_ns = to_ns}; }

TEST(AGate, KnowsNothingInsideBeforeItIsOpened) {
  const Gate gate;
  EXPECT_EQ(gate.place_of(between(1, 2)), Place::outside);
  EXPECT_EQ(gate.place_of(between(1000, UINT64_MAX)), Place::outside);
}

TEST(AGate, JudgesByWhenAnOperationWasWhileItIsOpen) {
  Gate gate;
  gate.open(1000);
  EXPECT_EQ(gate.place_of(between(900, 999)), Place::outside) << "judged late";
  EXPECT_EQ(gate.place_of(between(900, 1000)), Place::outside);
  EXPECT_EQ(gate.place_of(between(999, 1001)), Place::across);
  EXPECT_EQ(gate.place_of(between(1000, 1001)), Place::inside);
  EXPECT_EQ(gate.place_of(between(1'000'000, 2'000'000)), Place::inside);
}

TEST(AGate, JudgesByWhenAnOperationWasAfterItHasClosed) {
  Gate gate;
  gate.open(1000);
  gate.close(2000);
  EXPECT_EQ(gate.place_of(between(900, 1000)), Place::outside);
  EXPECT_EQ(gate.place_of(between(900, 1500)), Place::across);
  EXPECT_EQ(gate.place_of(between(1000, 2000)), Place::inside) << "judged late";
  EXPECT_EQ(gate.place_of(between(1500, 2001)), Place::across);
  EXPECT_EQ(gate.place_of(between(900, 2001)), Place::across) << "all around it";
  EXPECT_EQ(gate.place_of(between(2000, 2001)), Place::outside);
}

TEST(AGate, ForgetsAWindowWhenTheNextOneOpens) {
  Gate gate;
  gate.open(1000);
  gate.close(2000);
  gate.open(3000);
  EXPECT_EQ(gate.place_of(between(1500, 3500)), Place::across);
  EXPECT_EQ(gate.place_of(between(2500, 2900)), Place::outside);
  EXPECT_EQ(gate.place_of(between(3000, 3001)), Place::inside);
}

}  // namespace
}  // namespace threadping::engine
