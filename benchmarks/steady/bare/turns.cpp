// cas-one-line with nothing around it: two threads take turns at one line after the other, each on a page of its own.
//
// turns PING_CPU PONG_CPU WARM_UP_SECONDS SECONDS prints how many times as long a turn takes in the last third of those
// seconds as in the first, or the other way round.

#include <algorithm>
#include <array>
#include <atomic>
#include <chrono>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <memory>
#include <thread>

#include "program.hpp"

namespace {

constexpr std::uint64_t kVisit = 400;  // Handoffs, there and back.

struct alignas(4096) Line {
  std::atomic<std::uint64_t> number{0};
};
using Lines = std::array<Line, 256>;

Line& line_of(Lines& lines, std::uint64_t number) { return lines[number / kVisit % lines.size()]; }

// Takes its turns at a line from this number on: those that are so far from it.
void visit(Line& line, std::uint64_t from, std::uint64_t first) {
  for (std::uint64_t number = from + first; number < from + kVisit; number += 2) {
    std::uint64_t due = number;
    while (!line.number.compare_exchange_weak(due, number + 1)) due = number;
  }
}

}  // namespace

int main(int count, char** words) {
  if (count != 5) refuse("Usage: turns PING_CPU PONG_CPU WARM_UP_SECONDS SECONDS");
  const double warm_up = std::atof(words[3]);
  const double seconds = std::atof(words[4]);
  const auto lines = std::make_unique<Lines>();
  std::thread pong([&lines = *lines, cpu = std::atoi(words[2])] {
    pin_this_thread(cpu);
    for (std::uint64_t number = 0;; number += kVisit) visit(line_of(lines, number), number, 1);
  });
  pong.detach();
  pin_this_thread(std::atoi(words[1]));

  std::array<double, 3> took{};
  std::array<double, 3> visits{};
  const auto start = std::chrono::steady_clock::now();
  double before = 0;
  for (std::uint64_t number = 0; before < warm_up + seconds; number += kVisit) {
    Line& line = line_of(*lines, number);
    line.number = number;
    visit(line, number, 0);
    while (line.number != number + kVisit) {
    }
    const double now = std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
    if (before >= warm_up) {
      const auto third = static_cast<std::size_t>(std::min(3 * (before - warm_up) / seconds, 2.0));
      took[third] += now - before;
      visits[third] += 1;
    }
    before = now;
  }
  const double fold = took[2] / visits[2] / (took[0] / visits[0]);
  std::printf("fold: %.4f\n", std::max(fold, 1 / fold));
  std::fflush(stdout);
  std::_Exit(0);  // pong waits for its turn
}
