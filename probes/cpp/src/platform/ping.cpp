#include "platform/ping.hpp"

#include <algorithm>
#include <array>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <exception>
#include <numeric>
#include <optional>
#include <thread>

#include "platform/clock.hpp"
#include "platform/lines.hpp"
#include "platform/pinning.hpp"

namespace threadping::platform {
namespace {

constexpr std::size_t kLines = 64;
constexpr std::uint64_t kUntimed = 4;  ///< Handoffs: the first finds its line in no cache.
constexpr std::uint64_t kTimed = 80;
constexpr std::uint64_t kMost = 20'000'000;

struct alignas(kLinePair) Cell {
  std::atomic<std::uint64_t> word{0};
};

/// The two sides of a ping. One makes 1 of 0, 3 of 2 and so on, the other 2 of 1, 4 of 3.
class Sides {
 public:
  explicit Sides(std::uint64_t until_ns) : cells_(kLines), until_ns_(until_ns) {}

  /// Makes `count` handoffs on a line, from the one that is `next`; false if the time was over.
  bool hand_over(std::size_t line, std::uint64_t next, std::uint64_t count) {
    constexpr std::uint32_t kLooks = 4096;
    std::atomic<std::uint64_t>& word = cells_[line].word;
    for (std::uint32_t looks = 1; count > 0; ++looks) {
      std::uint64_t seen = next;
      if (word.compare_exchange_strong(seen, next + 1, std::memory_order_seq_cst)) {
        next += 2;
        --count;
      } else if (looks % kLooks == 0 && now_ns() >= until_ns_) {
        return false;
      }
    }
    return true;
  }

 private:
  Lines<Cell> cells_;
  std::uint64_t until_ns_;
};

/// Nanoseconds a handoff.
std::optional<double> ask(Sides& sides) {
  std::array<double, kLines> of_lines{};
  for (std::size_t line = 0; line < kLines; ++line) {
    if (!sides.hand_over(line, 0, kUntimed / 2)) return std::nullopt;
    const std::uint64_t begun = now_ns();
    if (!sides.hand_over(line, kUntimed, kTimed / 2)) return std::nullopt;
    of_lines[line] = static_cast<double>(now_ns() - begun) / kTimed;
  }
  std::ranges::sort(of_lines);
  constexpr std::size_t kQuarter = kLines / 4;
  return std::accumulate(of_lines.begin() + kQuarter, of_lines.end() - kQuarter, 0.0) / (kLines - 2 * kQuarter);
}

void answer(Sides& sides) {
  for (std::size_t line = 0; line < kLines; ++line)
    if (!sides.hand_over(line, 1, (kUntimed + kTimed) / 2)) return;
}

}  // namespace

/// A CPU that may not be used is refused where the measuring threads are pinned.
std::optional<double> ping(int one, int other) {
  std::optional<double> found;
  try {
    Sides sides(now_ns() + kMost);
    const auto on = [](int cpu, auto act) {
      return [cpu, act] {
        try {
          pin_this_thread(cpu);
          act();
        } catch (const std::exception&) {
          return;
        }
      };
    };
    const std::jthread asking(on(one, [&] { found = ask(sides); }));
    const std::jthread answering(on(other, [&] { answer(sides); }));
  } catch (const std::exception&) {
    return std::nullopt;
  }
  return found;
}

}  // namespace threadping::platform
