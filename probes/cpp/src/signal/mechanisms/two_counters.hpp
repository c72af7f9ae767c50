#pragma once

#include <atomic>
#include <cstdint>
#include <string_view>

#include "signal/mechanism.hpp"

namespace threadping::signal {

/// Arithmetic of the protocols with one counter for each side: the side that takes turn `expected` has taken
/// expected / 2 turns before, and so has the other side, plus one if pong asks.
template <Side S>
struct TwoCounters {
  /// The other side's counter when `expected` hand-overs have happened.
  static constexpr std::uint64_t theirs(std::uint64_t expected) { return (expected + (S == Side::pong ? 1 : 0)) / 2; }

  /// This side's own counter before turn `expected`.
  static constexpr std::uint64_t own(std::uint64_t expected) { return expected / 2; }

  /// The hand-overs that have happened when the other side's counter reads `theirs` and it is this side's turn.
  static constexpr std::uint64_t hand_overs(std::uint64_t theirs) { return 2 * theirs - (S == Side::pong ? 1 : 0); }
};

/// A side's counter in a cell that names them `ping` and `pong`, and the other side's.
template <Side S, class Cell>
auto& own_of(Cell& cell) {
  return S == Side::ping ? cell.ping : cell.pong;
}
template <Side S, class Cell>
auto& theirs_of(Cell& cell) {
  return S == Side::ping ? cell.pong : cell.ping;
}

/// stop() of every cell with two atomic counters. A side that is just storing overwrites the poison; the watchdog
/// therefore repeats it until both have ended.
template <class Cell>
void poison_counters(Cell& cell) {
  cell.ping.store(kPoison, std::memory_order_seq_cst);
  cell.pong.store(kPoison, std::memory_order_seq_cst);
}

/// hand_overs() of every cell with two atomic counters.
template <class Cell>
std::uint64_t sum_of_counters(const Cell& cell) {
  return cell.ping.load(std::memory_order_acquire) + cell.pong.load(std::memory_order_acquire);
}

/// Where the two counters stand: next to each other, as the published programs have them, or apart.
struct alignas(128) OneLine {
  std::atomic<std::uint64_t> ping{0};
  std::atomic<std::uint64_t> pong{0};
};
struct TwoLines {
  alignas(128) std::atomic<std::uint64_t> ping{0};
  alignas(128) std::atomic<std::uint64_t> pong{0};
};

/// How a side looks at the other's counter, and how it tells: it makes its own one more than `before`. Look and tell
/// have the order of the name; with release, the look acquires.
struct Adds {
  static std::uint64_t look(const std::atomic<std::uint64_t>& theirs) { return theirs.load(std::memory_order_seq_cst); }
  static void tell(std::atomic<std::uint64_t>& own, std::uint64_t /*before*/) {
    own.fetch_add(1, std::memory_order_seq_cst);
  }
};
struct StoresSeqcst {
  static std::uint64_t look(const std::atomic<std::uint64_t>& theirs) { return theirs.load(std::memory_order_seq_cst); }
  static void tell(std::atomic<std::uint64_t>& own, std::uint64_t /*before*/) {
    own.store(own.load(std::memory_order_relaxed) + 1, std::memory_order_seq_cst);
  }
};
template <std::memory_order kLook, std::memory_order kTell>
struct Stores {
  static std::uint64_t look(const std::atomic<std::uint64_t>& theirs) { return theirs.load(kLook); }
  static void tell(std::atomic<std::uint64_t>& own, std::uint64_t before) { own.store(before + 1, kTell); }
};
using StoresRelease = Stores<std::memory_order_acquire, std::memory_order_release>;
using StoresRelaxed = Stores<std::memory_order_relaxed, std::memory_order_relaxed>;

/// The lock-free protocols with two counters, one writer each: where these stand, and how a side looks and tells. The
/// write that must be seen is the other side's.
///
/// The check of the sequence is the comparison that ends the wait; nothing else is added to the protocol, above all no
/// look at the own counter: after a locked add that costs more than the add (docs/signal.md). A counter that somebody
/// else wrote too is noticed by the other side.
template <class Layout, class Way>
struct CounterProtocol {
  using Cell = Layout;

  template <Side S, class Wait>
  static Awaited await(Cell& cell, std::uint64_t expected, const Wait& wait) {
    const std::uint64_t wanted = TwoCounters<S>::theirs(expected);
    typename Wait::Turn idle(wait);  // NOLINT(misc-const-correctness): some waits count their looks
    std::uint64_t seen = 0;
    while ((seen = Way::look(theirs_of<S>(cell))) < wanted) idle();
    if (seen != wanted) return {.due = false, .seen = TwoCounters<S>::hand_overs(seen)};
    return {.due = true, .seen = expected};
  }

  template <Side S>
  static void tell(Cell& cell, std::uint64_t expected) {
    Way::tell(own_of<S>(cell), TwoCounters<S>::own(expected));
  }

  static void stop(Cell& cell) { poison_counters(cell); }
  static std::uint64_t hand_overs(Cell& cell) { return sum_of_counters(cell); }
};

/// The published C++ ping-pong ("Inter Thread Latency", 2011). A side spins on a load of the other's counter, then adds
/// one to its own with a locked read-modify-write. What comes out is known before, so nobody asks; nor does ping read
/// its counter again for the limit, as the listing does. Because the counters share the line, every load of a waiting
/// side takes the line from the side that is about to write.
struct AddOneLine : CounterProtocol<OneLine, Adds> {
  static constexpr std::string_view kName = "add-one-line";
};

/// The published Java ping-pong (the same article), whose `++` on a volatile is a load, a store and a full fence. The
/// fence keeps this side from its next look until the store has left the store buffer; it makes the store visible no
/// sooner.
struct SeqcstOneLine : CounterProtocol<OneLine, StoresSeqcst> {
  static constexpr std::string_view kName = "seqcst-one-line";
};

/// The ordered store (lazySet) that the readers of the article asked for: what was written before it is seen with it.
/// No fence and no locked instruction on x86.
struct ReleaseOneLine : CounterProtocol<OneLine, StoresRelease> {
  static constexpr std::string_view kName = "release-one-line";
};

/// The published variant without a barrier: nothing that was written before the counter need be seen with it. It shows
/// what ordering costs, and must not be used to hand over anything else. Plain variables would not do even here, since
/// a compiler may take the load out of the loop.
struct RelaxedOneLine : CounterProtocol<OneLine, StoresRelaxed> {
  static constexpr std::string_view kName = "relaxed-one-line";
};

/// What a volatile or a default atomic costs when the counters are padded.
struct SeqcstTwoLines : CounterProtocol<TwoLines, StoresSeqcst> {
  static constexpr std::string_view kName = "seqcst-two-lines";
};

/// Each hand-over moves one line from its writer to its reader, and the reader's own line is asked back by the other
/// side at the same time. Nothing here needs a fence or a locked instruction on x86.
struct ReleaseTwoLines : CounterProtocol<TwoLines, StoresRelease> {
  static constexpr std::string_view kName = "release-two-lines";
};

}  // namespace threadping::signal
