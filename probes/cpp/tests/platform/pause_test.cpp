#include "platform/pause.hpp"

#include <gtest/gtest.h>

namespace threadping::platform {
namespace {

/// Otherwise the steps of neighbouring operations would not wait for each other.
TEST(Steps, GoOnWhereTheLastOnesEnded) {
  Steps whole;
  whole.take(5);
  Steps parts;
  parts.take(3);
  EXPECT_NE(parts.value(), whole.value());
  parts.take(0);
  parts.take(2);
  EXPECT_EQ(parts.value(), whole.value());
}

}  // namespace
}  // namespace threadping::platform
