// Two threads that take turns with nothing around them: no sequence check, no stop, no bound, one clock pair. The
// published C++ ping-pong ("Inter Thread Latency", 2011) is xadd-one-line; the published locked one ("Locks & Condition
// Variables - Latency Impact", 2011) is condition.
//
// ping_pong MECHANISM PING_CPU PONG_CPU ITERATIONS LINES prints the mean one-way latency, total / (2 x iterations), of
// blocks of a thousand round trips on one line after the other, each on a page of its own, after as many that are not
// timed, one of each line at least. With " rest=STEPS" (1, 2, 4 or 8) behind the name of a mechanism with counters,
// each side takes STEPS dependent steps before its first poll.

#include <algorithm>
#include <atomic>
#include <chrono>
#include <condition_variable>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <mutex>
#include <new>
#include <string>
#include <thread>
#include <vector>

#include "program.hpp"

namespace {

using Counter = volatile std::int64_t;

// The places of the two counters, each with one writer: s1 is ping's, s2 is pong's.
struct OneLine {
  alignas(128) Counter s1 = 0;
  Counter s2 = 0;
};
struct TwoLines {
  alignas(128) Counter s1 = 0;
  alignas(128) Counter s2 = 0;
};

// How a side makes its counter one more; each returns what it wrote. The listing's own is Add.
struct Add {
  static std::int64_t advance(Counter& own, std::int64_t /*before*/) { return __sync_add_and_fetch(&own, 1); }
};
struct AddUnasked {
  static std::int64_t advance(Counter& own, std::int64_t before) {
    __atomic_fetch_add(&own, 1, __ATOMIC_SEQ_CST);
    return before + 1;
  }
};
template <int Order>
struct Store {
  static std::int64_t advance(Counter& own, std::int64_t /*before*/) {
    const std::int64_t value = own + 1;
    __atomic_store_n(&own, value, Order);
    return value;
  }
};

// A store of what the side knows that its counter will be: nothing is read of its own.
template <int Order>
struct KnownStore {
  static std::int64_t advance(Counter& own, std::int64_t before) {
    __atomic_store_n(&own, before + 1, Order);
    return before + 1;
  }
};

// What ping compares with the limit: its own counter, read again as in the listing, or the value that it remembers, as
// pong does in the listing.
enum class Limit { counter, remembered };

// The address that a side polls. It depends on the result of kSteps steps, or the CPU would poll meanwhile.
template <int kSteps>
const Counter* rested(const Counter& theirs, std::int64_t from) {
  if constexpr (kSteps == 0) return &theirs;
  auto chain = static_cast<std::uint64_t>(from);
  for (int left = kSteps; left > 0; --left) {
    chain = chain * 6364136223846793005U + 1;
    asm volatile("" : "+r"(chain));
  }
  std::uint64_t nothing = 0;
  asm volatile("" : "+r"(nothing));
  return &theirs + (chain & nothing);
}

template <class Layout, class Step, Limit kLimit = Limit::counter, int kRest = 0>
struct Counters {
  using Cell = Layout;

  static void ping(Cell& cell, std::int64_t /*from*/, std::int64_t limit) {
    auto& [s1, s2] = cell;
    std::int64_t value = s1;
    while ((kLimit == Limit::counter ? s1 : value) < limit) {
      const Counter* const at = rested<kRest>(s2, value);
      while (*at != value) {
      }
      value = Step::advance(s1, value);
    }
    while (s2 != value) {  // the last answer belongs to the last iteration
    }
  }

  static void pong(Cell& cell, std::int64_t /*from*/, std::int64_t limit) {
    auto& [s1, s2] = cell;
    std::int64_t value = s2;
    while (value < limit) {
      const Counter* const at = rested<kRest>(s1, value);
      while (*at == value) {
      }
      value = Step::advance(s2, value);
    }
  }
};

struct Swaps {
  struct Cell {
    alignas(128) std::atomic<std::int64_t> word{0};
  };

  static void take(Cell& cell, std::int64_t first, std::int64_t limit) {
    for (std::int64_t expected = first; expected < limit; expected += 2)
      for (std::int64_t seen = expected; !cell.word.compare_exchange_strong(seen, expected + 1); seen = expected) {
      }
  }
  static void ping(Cell& cell, std::int64_t from, std::int64_t limit) {
    take(cell, 2 * from, 2 * limit);
    while (cell.word.load() != 2 * limit) {
    }
  }
  static void pong(Cell& cell, std::int64_t from, std::int64_t limit) { take(cell, 2 * from + 1, 2 * limit); }
};

struct Signalled {
  struct Cell {
    alignas(128) std::mutex mutex;
    std::condition_variable to_pong;
    std::condition_variable to_ping;
    std::int64_t s1 = 0;
    std::int64_t s2 = 0;
  };

  static void tell(Cell& cell, std::int64_t& own, std::condition_variable& other) {
    const std::scoped_lock lock(cell.mutex);
    ++own;
    other.notify_one();
  }
  static void await(Cell& cell, std::condition_variable& own, const std::int64_t& theirs, std::int64_t wanted) {
    std::unique_lock lock(cell.mutex);
    own.wait(lock, [&] { return theirs >= wanted; });
  }
  static void ping(Cell& cell, std::int64_t from, std::int64_t limit) {
    for (std::int64_t done = from; done < limit; ++done) {
      tell(cell, cell.s1, cell.to_pong);
      await(cell, cell.to_ping, cell.s2, done + 1);
    }
  }
  static void pong(Cell& cell, std::int64_t from, std::int64_t limit) {
    for (std::int64_t done = from; done < limit; ++done) {
      await(cell, cell.to_pong, cell.s1, done + 1);
      tell(cell, cell.s2, cell.to_ping);
    }
  }
};

struct Visits {
  std::int64_t lines;
  std::int64_t block;
  std::int64_t blocks;
};

template <class Cell>
std::vector<Cell*> cells_on_pages(std::int64_t lines) {
  constexpr std::size_t kPage = 4096;
  constexpr std::size_t kPlaces = (kPage - sizeof(Cell)) / 128 + 1;
  static_assert(sizeof(Cell) <= kPage);
  auto* const pages = static_cast<std::byte*>(std::aligned_alloc(kPage, static_cast<std::size_t>(lines) * kPage));
  if (pages == nullptr) refuse("No memory for the lines: give fewer LINES.");
  std::vector<Cell*> cells;
  for (std::size_t line = 0; line < static_cast<std::size_t>(lines); ++line)
    cells.push_back(new (pages + line * kPage + line % kPlaces * 128) Cell);
  return cells;
}

template <class Protocol>
double one_way_ns(int ping_cpu, int pong_cpu, const Visits& visits) {
  const auto cells = cells_on_pages<typename Protocol::Cell>(visits.lines);
  const auto take = [&](std::int64_t first, std::int64_t last, auto side) {
    for (std::int64_t visit = first; visit < last; ++visit) {
      const std::int64_t from = visit / visits.lines * visits.block;
      side(*cells[static_cast<std::size_t>(visit % visits.lines)], from, from + visits.block);
    }
  };
  const std::int64_t warm_up = std::max(visits.lines, visits.blocks);
  const std::int64_t all = warm_up + visits.blocks;
  std::thread echo([&] {
    pin_this_thread(pong_cpu);
    take(0, all, Protocol::pong);
  });
  pin_this_thread(ping_cpu);
  take(0, warm_up, Protocol::ping);
  const auto start = std::chrono::steady_clock::now();
  take(warm_up, all, Protocol::ping);
  const std::chrono::duration<double, std::nano> took = std::chrono::steady_clock::now() - start;
  echo.join();
  return took.count() / (2.0 * static_cast<double>(visits.blocks * visits.block));
}

using Measure = double (*)(int, int, const Visits&);

template <int kRest>
Measure rested_measure_of(const std::string& mechanism) {
  if (mechanism == "xadd-one-line") return one_way_ns<Counters<OneLine, Add, Limit::counter, kRest>>;
  if (mechanism == "release-one-line")
    return one_way_ns<Counters<OneLine, KnownStore<__ATOMIC_RELEASE>, Limit::remembered, kRest>>;
  refuse("No mechanism " + mechanism + " here that rests.");
}

Measure measure_of(const std::string& asked) {
  const std::string rests = " rest=";
  const std::size_t behind = asked.find(rests);
  const std::string mechanism = asked.substr(0, behind);
  if (behind != std::string::npos) switch (std::atoi(asked.c_str() + behind + rests.size())) {
      case 1: return rested_measure_of<1>(mechanism);
      case 2: return rested_measure_of<2>(mechanism);
      case 4: return rested_measure_of<4>(mechanism);
      case 8: return rested_measure_of<8>(mechanism);
      default: refuse("rest=1, 2, 4 or 8.");
    }
  if (mechanism == "cas-one-line") return one_way_ns<Swaps>;
  if (mechanism == "xadd-one-line") return one_way_ns<Counters<OneLine, Add>>;
  if (mechanism == "add-one-line") return one_way_ns<Counters<OneLine, AddUnasked, Limit::remembered>>;
  if (mechanism == "seqcst-one-line") return one_way_ns<Counters<OneLine, Store<__ATOMIC_SEQ_CST>, Limit::remembered>>;
  if (mechanism == "release-one-line")
    return one_way_ns<Counters<OneLine, KnownStore<__ATOMIC_RELEASE>, Limit::remembered>>;
  if (mechanism == "seqcst-two-lines")
    return one_way_ns<Counters<TwoLines, Store<__ATOMIC_SEQ_CST>, Limit::remembered>>;
  if (mechanism == "release-two-lines")
    return one_way_ns<Counters<TwoLines, KnownStore<__ATOMIC_RELEASE>, Limit::remembered>>;
  if (mechanism == "condition") return one_way_ns<Signalled>;
  refuse("No mechanism " + mechanism + " here.");
}

}  // namespace

int main(int count, char** words) {
  if (count != 6) refuse("Usage: ping_pong MECHANISM PING_CPU PONG_CPU ITERATIONS LINES");
  const Measure measure = measure_of(words[1]);
  const std::int64_t iterations = std::atoll(words[4]);
  const std::int64_t block = std::min<std::int64_t>(1000, iterations);
  const Visits visits{.lines = std::atoll(words[5]), .block = block, .blocks = iterations / block};
  std::printf("one-way ns: %.3f\n", measure(std::atoi(words[2]), std::atoi(words[3]), visits));
}
