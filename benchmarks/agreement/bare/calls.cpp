// A thread that wakes another by a mutex and a condition variable, with nothing around it: fills a buffer, times the
// call, and pauses; the other waits, and pauses (after "Notify... oh, wait! I have a signal", 2015).
//
// calls condition NOTIFIER_CPU WAITER_CPU CALLS prints the median duration of a call, one clock reading in it, after
// half as many that are not timed.

#include <algorithm>
#include <chrono>
#include <condition_variable>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <mutex>
#include <string>
#include <thread>
#include <vector>

#include "program.hpp"

namespace {

using Clock = std::chrono::steady_clock;

constexpr std::size_t kBuffer = 4096;
constexpr std::chrono::microseconds kPause(1000);
constexpr std::chrono::microseconds kWaiterPause(10);

struct alignas(128) Cell {
  std::mutex mutex;
  std::condition_variable called;
  std::uint64_t calls = 0;
};

void await_calls(Cell& cell, std::uint64_t all) {
  for (std::uint64_t taken = 0; taken < all;) {
    std::this_thread::sleep_for(kWaiterPause);
    std::unique_lock lock(cell.mutex);
    cell.called.wait(lock, [&] { return cell.calls > taken; });
    taken = cell.calls;
  }
}

}  // namespace

int main(int count, char** words) {
  if (count != 5 || std::string(words[1]) != "condition")
    refuse("Usage: calls condition NOTIFIER_CPU WAITER_CPU CALLS");
  const std::uint64_t timed = std::strtoull(words[4], nullptr, 10);
  const std::uint64_t all = timed + timed / 2;
  Cell cell;
  std::thread waiter([&] {
    pin_this_thread(std::atoi(words[3]));
    await_calls(cell, all);
  });
  pin_this_thread(std::atoi(words[2]));
  std::vector<unsigned char> buffer(kBuffer);
  std::vector<std::int64_t> took;
  for (std::uint64_t call = 0; call < all; ++call) {
    std::this_thread::sleep_for(kPause);
    std::ranges::fill(buffer, static_cast<unsigned char>(call));
    asm volatile("" : : "r"(buffer.data()) : "memory");
    const auto from = Clock::now();
    {
      const std::scoped_lock lock(cell.mutex);
      ++cell.calls;
      cell.called.notify_one();
    }
    took.push_back(std::chrono::nanoseconds(Clock::now() - from).count());
  }
  waiter.join();
  const auto first = took.end() - static_cast<std::ptrdiff_t>(timed);
  std::ranges::sort(first, took.end());
  std::printf("operation ns: %.1f\n", static_cast<double>(*(first + static_cast<std::ptrdiff_t>(timed / 2))));
}
