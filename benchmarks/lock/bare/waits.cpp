// Two threads that take a lock, add one and release it, or add one atomically. Each times one operation in
// EVERY, in the middle of the others, with nothing around it: a wait without any engine.
//
// waits MECHANISM CPU OTHER_CPU EVERY MILLISECONDS prints what an operation takes, all threads together, and the mean
// wait, one clock reading in it. With EVERY 0 nobody reads a clock, and there is no wait.

#include <atomic>
#include <chrono>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <mutex>
#include <string>
#include <thread>

#include "program.hpp"

namespace {

using Clock = std::chrono::steady_clock;

// As in the probe, the lock and its counter each have a line pair of their own.
template <class Lock>
struct Locked {
  alignas(128) Lock lock;
  alignas(128) std::uint64_t counter = 0;

  void acquire() { lock.lock(); }
  void rest_of_it() {
    ++counter;
    lock.unlock();
  }
};

struct Added {
  alignas(128) std::atomic<std::uint64_t> counter = 0;

  void acquire() { counter.fetch_add(1, std::memory_order_relaxed); }
  void rest_of_it() {}
};

// The probe's test-and-test-and-set.
struct Spinlock {
  std::atomic<bool> taken = false;

  void lock() {
    while (taken.exchange(true, std::memory_order_acquire))
      while (taken.load(std::memory_order_relaxed)) __builtin_ia32_pause();
  }
  void unlock() { taken.store(false, std::memory_order_release); }
};

struct Seen {
  std::uint64_t ops = 0;
  std::uint64_t samples = 0;
  std::uint64_t waited_ns = 0;
};

template <class Cell>
[[gnu::noinline]] void perform(Cell& cell, std::uint64_t count) {
  for (; count > 0; --count) {
    cell.acquire();
    cell.rest_of_it();
  }
}

template <class Cell>
Seen work(Cell& cell, std::uint64_t every, const std::atomic<bool>& over) {
  Seen seen;
  while (!over.load(std::memory_order_relaxed)) {
    perform(cell, every > 0 ? every / 2 : 512);
    seen.ops += every > 0 ? every : 512;
    if (every == 0) continue;
    const auto from = Clock::now();
    cell.acquire();
    const auto to = Clock::now();
    cell.rest_of_it();
    perform(cell, every - every / 2 - 1);
    ++seen.samples;
    seen.waited_ns += static_cast<std::uint64_t>((to - from).count());
  }
  return seen;
}

template <class Cell>
void measure(int cpu, int other_cpu, std::uint64_t every, int milliseconds) {
  static Cell cell;
  std::atomic<bool> over = false;
  std::atomic<int> standing = 0;
  Seen one;
  Seen other;
  const auto run = [&](int where, Seen& seen) {
    pin_this_thread(where);
    for (++standing; standing < 2;) {
    }
    seen = work(cell, every, over);
  };
  std::thread first([&] { run(cpu, one); });
  std::thread second([&] { run(other_cpu, other); });
  while (standing < 2) std::this_thread::yield();
  const auto start = Clock::now();
  std::this_thread::sleep_for(std::chrono::milliseconds(milliseconds));
  over = true;
  first.join();
  second.join();
  const std::chrono::duration<double, std::nano> took = Clock::now() - start;
  std::printf("operation ns: %.4f\n", took.count() / static_cast<double>(one.ops + other.ops));
  if (every > 0)
    std::printf("wait ns: %.4f\n", static_cast<double>(one.waited_ns + other.waited_ns) /
                                       static_cast<double>(one.samples + other.samples));
}

using Measure = void (*)(int, int, std::uint64_t, int);

Measure measure_of(const std::string& mechanism) {
  if (mechanism == "mutex") return measure<Locked<std::mutex>>;
  if (mechanism == "test-and-test-and-set") return measure<Locked<Spinlock>>;
  if (mechanism == "fetch-add") return measure<Added>;
  refuse("No mechanism " + mechanism + " here.");
}

}  // namespace

int main(int count, char** words) {
  if (count != 6) refuse("Usage: waits MECHANISM CPU OTHER_CPU EVERY MILLISECONDS");
  measure_of(words[1])(std::atoi(words[2]), std::atoi(words[3]), std::strtoull(words[4], nullptr, 10),
                       std::atoi(words[5]));
}
