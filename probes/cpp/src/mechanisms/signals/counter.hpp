#pragma once

#include <array>
#include <atomic>
#include <cstdint>
#include <string_view>

#include "engine/params.hpp"
#include "mechanisms/signal.hpp"
#include "waits/waits.hpp"

namespace threadping::signals {

/// How the publisher makes its counter one more than it was, and how the awaiter polls. Poll and publication have the
/// order of the name; with release, the poll acquires.
///
/// The poll of core-to-core-latency's first benchmark: a compare-and-swap with no load before it, which takes the line
/// in exclusive state each time, even if nothing has changed.
struct Cas {
  static constexpr std::string_view kName = "cas";

  static std::uint64_t poll(std::atomic<std::uint64_t>& counter) {
    std::uint64_t seen = 0;
    counter.compare_exchange_strong(seen, 0, std::memory_order_seq_cst);
    return seen;
  }
  static void publish(std::atomic<std::uint64_t>& counter, std::uint64_t n) {
    std::uint64_t before = n - 1;
    counter.compare_exchange_strong(before, n, std::memory_order_seq_cst);
  }
};

/// A locked addition whose result nobody asks for, since it is known before: `lock add` on x86. The published C++
/// ping-pong uses it, and more (XaddOneLine).
struct Add {
  static constexpr std::string_view kName = "add";

  static std::uint64_t poll(const std::atomic<std::uint64_t>& counter) {
    return counter.load(std::memory_order_seq_cst);
  }
  static void publish(std::atomic<std::uint64_t>& counter, std::uint64_t /*n*/) {
    counter.fetch_add(1, std::memory_order_seq_cst);
  }
};

/// The published Java ping-pong (the same article), whose `++` on a volatile is a load, a store and a full fence. The
/// fence keeps this side from its next poll until the store has left the store buffer; it makes the store visible no
/// sooner.
struct Seqcst {
  static constexpr std::string_view kName = "seqcst";

  static std::uint64_t poll(const std::atomic<std::uint64_t>& counter) {
    return counter.load(std::memory_order_seq_cst);
  }
  static void publish(std::atomic<std::uint64_t>& counter, std::uint64_t /*n*/) {
    counter.store(counter.load(std::memory_order_seq_cst) + 1, std::memory_order_seq_cst);
  }
};

template <std::memory_order kPoll, std::memory_order kPublish>
struct Stores {
  static std::uint64_t poll(const std::atomic<std::uint64_t>& counter) { return counter.load(kPoll); }
  static void publish(std::atomic<std::uint64_t>& counter, std::uint64_t n) { counter.store(n, kPublish); }
};

/// The ordered store (lazySet) that the readers of the article asked for: what was written before it is seen with it.
/// No fence and no locked instruction on x86.
struct Release : Stores<std::memory_order_acquire, std::memory_order_release> {
  static constexpr std::string_view kName = "release";
};

/// The published variant without a barrier: nothing that was written before the counter need be seen with it. It shows
/// what ordering costs, and must not be used to hand over anything else. Plain variables would not do even here, since
/// a compiler may take the load out of the loop.
struct Relaxed : Stores<std::memory_order_relaxed, std::memory_order_relaxed> {
  static constexpr std::string_view kName = "relaxed";
};

/// A counter at which the awaiter keeps polling, and what it does between two polls. The write that must be seen is the
/// counter; nothing else is there.
///
/// In a pair on one line, every load of the waiting side takes the line from the side that is about to write. On two,
/// each handoff moves one line from its writer to its reader, and the reader's own line is asked back by the other
/// side at the same time.
template <class Way, class Wait>
struct Counter {
  static constexpr std::string_view kName = Way::kName;
  static constexpr bool kBetweenProcesses = true;
  static constexpr std::array<engine::ParamInfo, 2> kParams{waits::kWaitAtLine, waits::kPauses};

  struct Cell {
    std::atomic<std::uint64_t> published{0};
  };

  Wait wait;

  explicit Counter(const engine::Params& params) : wait(params) {}

  static void publish(Cell& cell, std::uint64_t n) { Way::publish(cell.published, n); }

  [[nodiscard]] std::uint64_t await(Cell& cell, std::uint64_t n) const {
    typename Wait::Turn idle(wait, &cell);  // NOLINT(misc-const-correctness): some waits count their polls
    std::uint64_t seen = 0;
    while ((seen = Way::poll(cell.published)) < n) idle();
    return seen;
  }

  static void stop(Cell& cell) { cell.published.store(kStopped, std::memory_order_seq_cst); }
  static std::uint64_t peek(const Cell& cell) { return cell.published.load(std::memory_order_acquire); }
};

}  // namespace threadping::signals
