// The one-line compare-and-swap ping-pong over 256 lines, each on a page of its own, with nothing around it: no
// sequence, no orders, no windows, one clock pair and a look at the clock after each stay on a line.
//
// lines PING_CPU PONG_CPU MICROSECONDS prints the mean one-way latency of a stretch that is so long.

#include <sys/mman.h>
#include <unistd.h>

#include <atomic>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <thread>

#include "program.hpp"

namespace {

constexpr std::size_t kLines = 256;
constexpr std::size_t kPage = 4096;
constexpr std::size_t kLine = 128;
constexpr std::int64_t kStay = 2000;  // turns on a line

using Cell = std::atomic<std::int64_t>;  // 1: pong's turn

std::byte* memory;

// Lines at the same place of every page would share few sets of a cache.
Cell& cell(std::size_t line) {
  return *reinterpret_cast<Cell*>(memory + line * kPage + line % (kPage / kLine) * kLine);
}

void swap(Cell& cell, std::int64_t from, std::int64_t to) {
  std::int64_t expected = from;
  while (!cell.compare_exchange_strong(expected, to)) expected = from;
}

void turns(std::size_t line, std::int64_t from, std::int64_t to) {
  Cell& here = cell(line);
  for (std::int64_t turn = 0; turn < kStay; ++turn) swap(here, from, to);
}

}  // namespace

int main(int count, char** words) {
  if (count != 4) refuse("Usage: lines PING_CPU PONG_CPU MICROSECONDS");
  const int pong_cpu = std::atoi(words[2]);
  const std::chrono::microseconds wanted(std::atoi(words[3]));
  void* pages =
      mmap(nullptr, kLines * kPage, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_POPULATE, -1, 0);
  if (pages == MAP_FAILED) refuse("There is no memory for the lines.");
  memory = static_cast<std::byte*>(pages);
  std::thread([=] {
    pin_this_thread(pong_cpu);
    for (std::size_t line = 0;; line = (line + 1) % kLines) turns(line, 1, 0);
  }).detach();
  pin_this_thread(std::atoi(words[1]));
  turns(0, 0, 1);  // both are there
  std::int64_t done = 0;
  std::chrono::duration<double, std::nano> took{};
  const auto start = std::chrono::steady_clock::now();
  for (std::size_t line = 1; took < wanted; line = (line + 1) % kLines, done += kStay) {
    turns(line, 0, 1);
    took = std::chrono::steady_clock::now() - start;
  }
  std::printf("one-way ns: %.4f\n", took.count() / (2.0 * static_cast<double>(done)));
  std::fflush(stdout);
  _exit(0);  // pong waits for a turn that never comes
}
