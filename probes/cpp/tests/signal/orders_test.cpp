#include "signal/orders.hpp"

#include <gtest/gtest.h>

#include <atomic>
#include <cstdint>
#include <memory>
#include <thread>

namespace threadping::signal {
namespace {

TEST(Orders, ArriveOneByOne) {
  constexpr std::uint32_t kOrders = 200;
  Orders orders;
  std::atomic<bool> received = false;
  std::thread pong([&] {
    for (std::uint32_t number = 0; number < kOrders; ++number) {
      const Order order = orders.receive(number);
      EXPECT_EQ(order.kind, Order::Kind::visit);
      EXPECT_EQ(order.line, number);
      EXPECT_EQ(order.turns, number + 1);
    }
    received = true;
    EXPECT_EQ(orders.receive(kOrders).kind, Order::Kind::stop);
  });
  for (std::uint32_t number = 0; number < kOrders; ++number) {
    orders.send({.kind = Order::Kind::visit, .line = number, .turns = number + 1});
  }
  while (!received) std::this_thread::yield();  // a stop may overtake the last order
  orders.send_stop();
  pong.join();
}

TEST(Orders, WaitForTheAcknowledgement) {
  Orders orders;
  int read = 0;
  std::thread pong([&] {
    EXPECT_EQ(orders.receive(0).kind, Order::Kind::read_counters);
    read = 42;
    orders.acknowledge();
  });
  orders.send({.kind = Order::Kind::read_counters});
  orders.await_acknowledgement();
  EXPECT_EQ(read, 42);
  pong.join();
}

TEST(Orders, GoUnheardOncePongHasLeft) {
  Orders orders;
  orders.leave();
  for (int order = 0; order < 3; ++order) orders.send({.kind = Order::Kind::visit});
  orders.await_acknowledgement();
}

/// A ping that is stopped inside a visit sends the last order while pong may be reading the one before.
TEST(Orders, StopMayOvertakeAVisit) {
  for (int attempt = 0; attempt < 300; ++attempt) {
    auto orders = std::make_unique<Orders>();
    std::atomic<bool> started = false;
    std::thread pong([&] {
      started = true;
      Order order = orders->receive(0);
      if (order.kind == Order::Kind::visit) {
        EXPECT_EQ(order.line, 7U);
        EXPECT_EQ(order.turns, 9U);
        order = orders->receive(1);
      }
      EXPECT_EQ(order.kind, Order::Kind::stop);
    });
    while (!started) std::this_thread::yield();
    orders->send({.kind = Order::Kind::visit, .line = 7, .turns = 9});
    orders->send_stop();
    pong.join();
  }
}

}  // namespace
}  // namespace threadping::signal
