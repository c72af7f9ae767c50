// A thread that lets another go and waits until it has come back, round by round: by a central barrier with a sense
// that both pass twice a round, or asleep at a word, woken by FUTEX_WAKE. Around it are the accounts that a probe
// cannot do without, loads and stores of lines that nobody else writes meanwhile: which round it is, in which the
// member took part, whether it is timed, and whether there is an end. They decide who comes first to a line that both
// meet at: ten instructions that do nothing, between the member's two meetings, make a round of the spin barrier 9%
// faster (362 pairs of processes on two virtual CPUs of an AMD EPYC, 27 ns apart).
//
// rounds spin-barrier|futex-all CALLER_CPU MEMBER_CPU MILLISECONDS prints what a round takes, after half as long a time
// that is not counted.

#include <linux/futex.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <atomic>
#include <chrono>
#include <climits>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <string>
#include <thread>

#include "program.hpp"

namespace {

using Clock = std::chrono::steady_clock;
using Word = std::atomic<std::uint32_t>;

constexpr std::uint64_t kChunk = 64;

// As in the probe, each word has a line pair of its own.
struct SpinBarrier {
  alignas(128) Word missing{2};
  alignas(128) Word episode{0};
  alignas(128) std::atomic<bool> stopped{false};

  void meet() {
    const std::uint32_t mine = episode.load(std::memory_order_relaxed);
    if (missing.fetch_sub(1, std::memory_order_acq_rel) == 1) {
      missing.store(2, std::memory_order_relaxed);
      episode.store(mine + 1, std::memory_order_release);
      return;
    }
    while (episode.load(std::memory_order_acquire) == mine && !stopped.load(std::memory_order_relaxed))
      __builtin_ia32_pause();
  }
  void release(std::uint32_t /*round*/) { meet(); }
  void await(std::uint32_t /*round*/) { meet(); }
  void arrive(std::uint32_t /*round*/) { meet(); }
  void gather(std::uint32_t /*round*/) { meet(); }
};

struct FutexAll {
  alignas(128) Word round_word{0};
  alignas(128) Word arrived{0};

  static void sleep_until(Word& word, std::uint32_t wanted) {
    for (std::uint32_t seen = 0; (seen = word.load(std::memory_order_acquire)) != wanted;)
      syscall(SYS_futex, &word, FUTEX_WAIT | FUTEX_PRIVATE_FLAG, seen, nullptr, nullptr, 0);
  }
  static void wake(Word& word, int most) {
    syscall(SYS_futex, &word, FUTEX_WAKE | FUTEX_PRIVATE_FLAG, most, nullptr, nullptr, 0);
  }
  void release(std::uint32_t round) {
    round_word.store(round);
    wake(round_word, INT_MAX);
  }
  void await(std::uint32_t round) { sleep_until(round_word, round); }
  void arrive(std::uint32_t round) {
    if (arrived.fetch_add(1) + 1 == round) wake(arrived, 1);
  }
  void gather(std::uint32_t round) { sleep_until(arrived, round); }
};

struct Accounts {
  alignas(128) Word begun{0};
  alignas(128) Word attended{0};
  Word came{0};
  alignas(128) Word every{0};  // no round is timed
  Word last{UINT32_MAX};       // the number that is no round

  [[nodiscard]] bool times(std::uint32_t round) const {
    const std::uint32_t one_in = every.load(std::memory_order_relaxed);
    return one_in > 0 && (round & (one_in - 1)) == one_in / 2;
  }
};

template <class Barrier>
[[gnu::noinline]] void call(Barrier& barrier, Accounts& accounts, std::uint32_t& round, std::uint64_t count) {
  for (; count > 0; --count) {
    accounts.begun.store(++round, std::memory_order_relaxed);
    barrier.release(round);
    barrier.gather(round);
  }
}

template <class Barrier>
[[gnu::noinline]] void attend(Barrier& barrier, Accounts& accounts) {
  for (std::uint32_t round = 1;; ++round) {
    barrier.await(round);
    const bool timed = accounts.times(round);
    if (round >= accounts.last.load(std::memory_order_relaxed)) return;
    if (timed) accounts.came.store(round, std::memory_order_relaxed);
    accounts.attended.store(round, std::memory_order_relaxed);
    barrier.arrive(round);
  }
}

template <class Barrier>
void measure(int caller, int member, std::chrono::milliseconds time) {
  Barrier barrier;
  Accounts accounts;
  std::thread attending([&] {
    pin_this_thread(member);
    attend(barrier, accounts);
  });
  pin_this_thread(caller);
  std::uint32_t round = 0;
  std::uint64_t rounds = 0;
  const auto during = [&](Clock::duration most) {
    const auto from = Clock::now();
    rounds = 0;
    do {
      call(barrier, accounts, round, kChunk);
      rounds += kChunk;
    } while (Clock::now() - from < most);
    return std::chrono::duration<double, std::nano>(Clock::now() - from).count();
  };
  during(time / 2);
  const double took_ns = during(time);
  accounts.last.store(round + 1, std::memory_order_relaxed);
  barrier.release(round + 1);
  attending.join();
  std::printf("operation ns: %.2f\n", took_ns / static_cast<double>(rounds));
}

}  // namespace

int main(int count, char** words) {
  const std::string name = count == 5 ? words[1] : "";
  if (name != "spin-barrier" && name != "futex-all")
    refuse("Usage: rounds spin-barrier|futex-all CALLER_CPU MEMBER_CPU MILLISECONDS");
  const int caller = std::atoi(words[2]);
  const int member = std::atoi(words[3]);
  const std::chrono::milliseconds time(std::atoi(words[4]));
  if (name == "futex-all")
    measure<FutexAll>(caller, member, time);
  else
    measure<SpinBarrier>(caller, member, time);
}
