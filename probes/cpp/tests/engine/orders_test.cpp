#include "engine/orders.hpp"

#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

#include <chrono>
#include <memory>
#include <thread>
#include <vector>

#include "platform/memory.hpp"

namespace threadping::engine {
namespace {

/// Waits for the order after `number`, as a worker does.
std::uint64_t await_after(const Orders& orders, std::uint64_t number) {
  std::uint64_t latest = 0;
  while ((latest = orders.number()) == number) std::this_thread::yield();
  return latest;
}

/// A lead that was stopped tells all to leave while a worker may be reading the order before.
TEST(Orders, MayBeOvertakenByTheLastOne) {
  for (std::uint32_t attempt = 0; attempt < 300; ++attempt) {
    auto orders = std::make_unique<Orders>();
    std::atomic<bool> started = false;
    std::thread worker([&] {
      started = true;
      std::uint64_t number = await_after(*orders, 0);
      if (const Order order = orders->order(number); !order.leave) {
        EXPECT_EQ(order.line, attempt);
        EXPECT_EQ(order.count, attempt + 1);
        number = await_after(*orders, number);
      }
      EXPECT_TRUE(orders->order(number).leave);
    });
    while (!started) std::this_thread::yield();
    orders->give({.line = attempt, .count = attempt + 1});
    orders->leave();
    worker.join();
  }
}

/// Each sleeps until there is the next order, and then until the one after it.
TEST(Orders, WakeAllThatSleep) {
  constexpr std::uint64_t kOrders = 50;
  constexpr std::size_t kWorkers = 20;
  Orders orders;
  std::atomic<std::uint64_t> obeyed = 0;
  std::vector<std::thread> workers;
  workers.reserve(kWorkers);
  while (workers.size() < kWorkers)
    workers.emplace_back([&] {
      for (std::uint64_t number = 0; number < kOrders;) {
        orders.sleep(number);
        if (orders.number() == number) continue;
        ++number;
        ++obeyed;
      }
    });
  for (std::uint64_t number = 1; number <= kOrders; ++number) {
    orders.give({});
    while (obeyed < number * kWorkers) std::this_thread::yield();
  }
  for (std::thread& worker : workers) worker.join();
}

TEST(Orders, WakeAProcess) {
  const platform::Shared<Orders> orders(1, platform::Sharing::processes);
  const pid_t worker = fork();
  if (worker == 0) {
    while (orders->number() == 0) orders->sleep(0);
    _exit(orders->order(orders->number()).leave ? 0 : 1);
  }
  std::this_thread::sleep_for(std::chrono::milliseconds(5));  // most likely it sleeps by now
  orders->leave();
  int status = -1;
  EXPECT_EQ(waitpid(worker, &status, 0), worker);
  EXPECT_EQ(status, 0);
}

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
