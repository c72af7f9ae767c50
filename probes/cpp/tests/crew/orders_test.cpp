#include "crew/orders.hpp"

#include <gtest/gtest.h>

#include <memory>
#include <thread>

namespace threadping::crew {
namespace {

/// Waits for the order after `number`, as a member does.
std::uint64_t await_after(const Orders& orders, std::uint64_t number) {
  std::uint64_t latest = 0;
  while ((latest = orders.number()) == number) std::this_thread::yield();
  return latest;
}

TEST(Orders, ArriveWhole) {
  constexpr std::uint32_t kOrders = 200;
  Orders orders;
  std::atomic<std::uint64_t> obeyed = 0;
  std::thread member([&] {
    for (std::uint32_t number = 1; number <= kOrders; obeyed = number++) {
      ASSERT_EQ(await_after(orders, number - 1), number);
      const Order order = orders.order(number);
      EXPECT_EQ(order.kind, Order::Kind::sample);
      EXPECT_EQ(order.line, number);
      EXPECT_EQ(order.count, number + 1);
    }
  });
  for (std::uint32_t number = 1; number <= kOrders; ++number) {
    orders.give({.kind = Order::Kind::sample, .line = number, .count = number + 1});
    while (obeyed < number) std::this_thread::yield();
  }
  member.join();
}

/// A lead that was stopped tells all to leave while a member may be reading the order before.
TEST(Orders, MayBeOvertakenByTheLastOne) {
  for (int attempt = 0; attempt < 300; ++attempt) {
    auto orders = std::make_unique<Orders>();
    std::atomic<bool> started = false;
    std::thread member([&] {
      started = true;
      std::uint64_t number = await_after(*orders, 0);
      if (const Order order = orders->order(number); order.kind == Order::Kind::work) {
        EXPECT_EQ(order.line, 7U);
        EXPECT_EQ(order.count, 9U);
        number = await_after(*orders, number);
      }
      EXPECT_EQ(orders->order(number).kind, Order::Kind::leave);
    });
    while (!started) std::this_thread::yield();
    orders->give({.kind = Order::Kind::work, .line = 7, .count = 9});
    orders->leave();
    member.join();
  }
}

}  // namespace
}  // namespace threadping::crew
