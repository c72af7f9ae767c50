// One thread that takes a lock, adds one and releases it, or adds one atomically, with nothing around it: no cells to
// choose from, no orders to look at, one clock pair.
//
// one_thread MECHANISM CPU OPERATIONS prints the mean operation.

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

// As in the probe, the lock and its counter each have a line pair of their own.
struct Locked {
  alignas(128) std::mutex mutex;
  alignas(128) std::uint64_t counter = 0;

  void perform() {
    mutex.lock();
    ++counter;
    mutex.unlock();
  }
  [[nodiscard]] std::uint64_t found() const { return counter; }
};

struct Added {
  alignas(128) std::atomic<std::uint64_t> counter = 0;

  void perform() { counter.fetch_add(1, std::memory_order_relaxed); }
  [[nodiscard]] std::uint64_t found() const { return counter; }
};

template <class Cell>
Cell cell;

template <class Cell>
double operation_ns(std::uint64_t operations) {
  Cell& only = cell<Cell>;
  const auto start = std::chrono::steady_clock::now();
  for (std::uint64_t left = operations; left > 0; --left) only.perform();
  const std::chrono::duration<double, std::nano> took = std::chrono::steady_clock::now() - start;
  if (only.found() != operations) refuse("The counter is wrong.");
  return took.count() / static_cast<double>(operations);
}

// In a thread of its own: glibc takes a mutex without an atomic operation while a process has one thread only, and
// nobody locks there.
template <class Cell>
double measure(int cpu, std::uint64_t operations) {
  double ns = 0;
  std::thread worker([&] {
    pin_this_thread(cpu);
    ns = operation_ns<Cell>(operations);
  });
  worker.join();
  return ns;
}

using Measure = double (*)(int, std::uint64_t);

Measure measure_of(const std::string& mechanism) {
  if (mechanism == "mutex") return measure<Locked>;
  if (mechanism == "fetch-add") return measure<Added>;
  refuse("No mechanism " + mechanism + " here.");
}

}  // namespace

int main(int count, char** words) {
  if (count != 4) refuse("Usage: one_thread MECHANISM CPU OPERATIONS");
  const Measure measure = measure_of(words[1]);
  std::printf("operation ns: %.4f\n", measure(std::atoi(words[2]), std::strtoull(words[3], nullptr, 10)));
}
