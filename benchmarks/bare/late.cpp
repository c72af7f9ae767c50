// How late threads that do nothing but read the clock see times that are due, one thread on each CPU.
//
// late SECONDS NS_APART CPU... prints percentiles of the lateness on each CPU, and the share that is above 1 us.

#include <algorithm>
#include <chrono>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <string>
#include <thread>
#include <vector>

#include "program.hpp"

namespace {

using Clock = std::chrono::steady_clock;
using std::chrono::nanoseconds;

std::vector<std::int64_t> lateness(int cpu, Clock::time_point due, Clock::time_point end, nanoseconds apart) {
  pin_this_thread(cpu);
  std::vector<std::int64_t> late;
  late.reserve(static_cast<std::size_t>((end - due) / apart + 1));
  while (due < end)
    for (const Clock::time_point now = Clock::now(); due <= now && due < end; due += apart)
      late.push_back(nanoseconds(now - due).count());
  return late;
}

}  // namespace

int main(int count, char** words) {
  if (count < 4) refuse("Usage: late SECONDS NS_APART CPU...");
  const nanoseconds apart(std::atoll(words[2]));
  const auto start = Clock::now() + std::chrono::milliseconds(20);
  const auto end = start + std::chrono::duration_cast<nanoseconds>(std::chrono::duration<double>(std::atof(words[1])));
  std::vector<std::vector<std::int64_t>> all(static_cast<std::size_t>(count - 3));
  std::vector<std::thread> threads;
  for (std::size_t each = 0; each < all.size(); ++each)
    threads.emplace_back([&, each] { all[each] = lateness(std::atoi(words[each + 3]), start, end, apart); });
  for (std::thread& thread : threads) thread.join();
  for (std::size_t each = 0; each < all.size(); ++each) {
    std::vector<std::int64_t>& late = all[each];
    if (late.empty()) refuse("Nothing is due in this time.");
    std::ranges::sort(late);
    const auto at = [&](double q) { return late[static_cast<std::size_t>(q * static_cast<double>(late.size() - 1))]; };
    const auto above = late.end() - std::ranges::upper_bound(late, 1000);
    std::printf("CPU %s: p50 %ld  p99 %ld  p99.9 %ld  max %ld ns, %.2f%% above 1 us\n", words[each + 3], at(0.5),
                at(0.99), at(0.999), late.back(),
                100.0 * static_cast<double>(above) / static_cast<double>(late.size()));
  }
}
