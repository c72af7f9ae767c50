#include <gtest/gtest.h>

#include <memory>
#include <thread>

#include "crew/board.hpp"

namespace threadping::crew {
namespace {

/// Waits for the order after `number`, as a member does.
std::uint64_t await_after(const Orders& orders, std::uint64_t number) {
  std::uint64_t latest = 0;
  while ((latest = orders.number()) == number) std::this_thread::yield();
  return latest;
}

/// A lead that was stopped tells all to leave while a member may be reading the order before.
TEST(Orders, MayBeOvertakenByTheLastOne) {
  for (std::uint32_t attempt = 0; attempt < 300; ++attempt) {
    auto orders = std::make_unique<Orders>();
    std::atomic<bool> started = false;
    std::thread member([&] {
      started = true;
      std::uint64_t number = await_after(*orders, 0);
      if (const Order order = orders->order(number); order.kind == Order::Kind::work) {
        EXPECT_EQ(order.line, attempt);
        EXPECT_EQ(order.count, attempt + 1);
        number = await_after(*orders, number);
      }
      EXPECT_EQ(orders->order(number).kind, Order::Kind::leave);
    });
    while (!started) std::this_thread::yield();
    orders->give({.kind = Order::Kind::work, .line = attempt, .count = attempt + 1});
    orders->leave();
    member.join();
  }
}

}  // namespace
}  // namespace threadping::crew
