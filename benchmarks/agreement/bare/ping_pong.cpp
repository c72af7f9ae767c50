// The published C++ ping-pong ("Inter Thread Latency", 2011) with nothing around it: no lines to choose from, no
// sequence check, no bound, one clock pair.
//
// ping_pong MECHANISM PING_CPU PONG_CPU ITERATIONS prints the mean one-way latency, total / (2 x iterations).

#include <chrono>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <string>
#include <thread>

#include "standing.hpp"

namespace {

using Counter = volatile std::int64_t;

// Where the two counters stand, each with one writer: s1 is ping's, s2 is pong's.
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
  static std::int64_t advance(Counter& own) { return __sync_add_and_fetch(&own, 1); }
};
template <int Order>
struct Store {
  static std::int64_t advance(Counter& own) {
    const std::int64_t value = own + 1;
    __atomic_store_n(&own, value, Order);
    return value;
  }
};

template <class Layout>
Layout counters;  // static, as in the listing: one line a process

// What ping compares with the limit: its own counter, read again as in the listing, or the value that it remembers, as
// pong does in the listing.
enum class Limit { counter, remembered };

template <class Layout, class Step, Limit kLimit>
void ping(std::int64_t limit) {
  auto& [s1, s2] = counters<Layout>;
  std::int64_t value = s1;
  while ((kLimit == Limit::counter ? s1 : value) < limit) {
    while (s2 != value) {
    }
    value = Step::advance(s1);
  }
  while (s2 != value) {  // the last answer belongs to the last iteration
  }
}

template <class Layout, class Step>
void pong(std::int64_t limit) {
  auto& [s1, s2] = counters<Layout>;
  std::int64_t value = s2;
  while (value < limit) {
    while (s1 == value) {
    }
    value = Step::advance(s2);
  }
}

template <class Layout, class Step, Limit kLimit = Limit::counter>
double one_way_ns(int ping_cpu, int pong_cpu, std::int64_t iterations) {
  std::thread echo([=] {
    pin_this_thread(pong_cpu);
    pong<Layout, Step>(iterations);
  });
  pin_this_thread(ping_cpu);
  const auto start = std::chrono::steady_clock::now();
  ping<Layout, Step, kLimit>(iterations);
  const std::chrono::duration<double, std::nano> took = std::chrono::steady_clock::now() - start;
  echo.join();
  return took.count() / (2.0 * static_cast<double>(iterations));
}

using Measure = double (*)(int, int, std::int64_t);

Measure measure_of(const std::string& mechanism) {
  if (mechanism == "add-one-line") return one_way_ns<OneLine, Add>;
  if (mechanism == "add-one-line-remembered") return one_way_ns<OneLine, Add, Limit::remembered>;
  if (mechanism == "seqcst-one-line") return one_way_ns<OneLine, Store<__ATOMIC_SEQ_CST>>;
  if (mechanism == "release-one-line") return one_way_ns<OneLine, Store<__ATOMIC_RELEASE>>;
  if (mechanism == "relaxed-one-line") return one_way_ns<OneLine, Store<__ATOMIC_RELAXED>>;
  if (mechanism == "seqcst-two-lines") return one_way_ns<TwoLines, Store<__ATOMIC_SEQ_CST>>;
  if (mechanism == "release-two-lines") return one_way_ns<TwoLines, Store<__ATOMIC_RELEASE>>;
  refuse("No mechanism " + mechanism + " here.");
}

}  // namespace

int main(int count, char** words) {
  if (count != 5) refuse("Usage: ping_pong MECHANISM PING_CPU PONG_CPU ITERATIONS");
  const Measure measure = measure_of(words[1]);
  std::printf("one-way ns: %.3f\n", measure(std::atoi(words[2]), std::atoi(words[3]), std::atoll(words[4])));
}
