#pragma once

#include <pthread.h>

#include <array>
#include <atomic>
#include <barrier>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <latch>
#include <optional>
#include <string_view>
#include <vector>

#include "mechanisms/barriers/meeting.hpp"

namespace threadping::barriers {

/// C++20's: in libstdc++ a tree of tickets, and a wait that spins and yields for a while before it sleeps.
class StdBarrier : public ByMeeting<StdBarrier> {
 public:
  static constexpr std::string_view kName = "std-barrier";
  static constexpr bool kBlocking = true;

  StdBarrier(const Shape& shape, const engine::Params& /*params*/)
      : barrier_(static_cast<std::ptrdiff_t>(shape.workers + 1)) {}

  void meet(std::size_t /*thread*/) { barrier_.arrive_and_wait(); }

 private:
  std::barrier<> barrier_;
};

/// POSIX's: in glibc two counters and a futex, at which all but the last sleep at once.
class PthreadBarrier : public ByMeeting<PthreadBarrier> {
 public:
  static constexpr std::string_view kName = "pthread-barrier";
  static constexpr bool kBlocking = true;

  PthreadBarrier(const Shape& shape, const engine::Params& /*params*/) {
    pthread_barrier_init(&barrier_, nullptr, static_cast<unsigned>(shape.workers + 1));
  }
  PthreadBarrier(const PthreadBarrier&) = delete;
  PthreadBarrier& operator=(const PthreadBarrier&) = delete;
  ~PthreadBarrier() { pthread_barrier_destroy(&barrier_); }

  void meet(std::size_t /*thread*/) { pthread_barrier_wait(&barrier_); }

 private:
  pthread_barrier_t barrier_{};
};

/// A counter and a sense (Mellor-Crummey and Scott, 1991, "A sense-reversing centralized barrier"): all count down, and
/// the last begins the next episode, for which all others spin. The episode's number replaces its sense, which thus
/// needs no memory of a thread's own.
///
/// The write that must be seen is the episode: each counts down with what it wrote, the last sees all of that, and its
/// release store of the next episode hands it to all.
class SpinBarrier : public ByMeeting<SpinBarrier> {
 public:
  static constexpr std::string_view kName = "spin-barrier";
  static constexpr bool kBlocking = false;

  SpinBarrier(const Shape& shape, const engine::Params& /*params*/)
      : threads_(static_cast<std::uint32_t>(shape.workers + 1)), crowded_(shape.crowded), missing_{.value = threads_} {}

  void meet(std::size_t /*thread*/) {
    const std::uint32_t mine = episode_.value.load(std::memory_order_relaxed);
    if (missing_.value.fetch_sub(1, std::memory_order_acq_rel) == 1) {
      missing_.value.store(threads_, std::memory_order_relaxed);
      episode_.value.store(mine + 1, std::memory_order_release);
      return;
    }
    Spinning again(crowded_);
    while (episode_.value.load(std::memory_order_acquire) == mine && !stopped_.load(std::memory_order_relaxed)) again();
  }
  void stop() { stopped_.store(true); }

 private:
  const std::uint32_t threads_;
  const bool crowded_;
  std::atomic<bool> stopped_{false};
  Word missing_;
  Word episode_;
};

/// Every thread signals the one that is 1, 2, 4, ... places on and waits for the one as many back (Hensgen, Finkel and
/// Manber, 1988; Mellor-Crummey and Scott, 1991): no line that all write, and log2 of the threads' steps for each.
///
/// The write that must be seen is the flag, the episode's number, stored with release and awaited with acquire; who has
/// waited in each step has seen, through others, what all wrote. A flag's next number is stored only after its reader
/// has signalled, by some steps of others, that it has seen this one.
class DisseminationBarrier : public ByMeeting<DisseminationBarrier> {
 public:
  static constexpr std::string_view kName = "dissemination-barrier";
  static constexpr bool kBlocking = false;

  DisseminationBarrier(const Shape& shape, const engine::Params& /*params*/)
      : threads_(shape.workers + 1),
        crowded_(shape.crowded),
        steps_(static_cast<std::size_t>(std::bit_width(threads_ - 1))),
        seats_(threads_) {}

  void meet(std::size_t thread) {
    const std::uint32_t mine = ++seats_[thread].episode;
    Spinning again(crowded_);
    for (std::size_t step = 0; step < steps_; ++step) {
      const std::size_t partner = (thread + (std::size_t{1} << step)) % threads_;
      seats_[partner].flags[step].value.store(mine, std::memory_order_release);
      const std::atomic<std::uint32_t>& flag = seats_[thread].flags[step].value;
      while (!reached(flag.load(std::memory_order_acquire), mine) && !stopped_.load(std::memory_order_relaxed)) again();
    }
  }
  void stop() { stopped_.store(true); }

 private:
  static constexpr std::size_t kMostSteps = 14;  ///< Of 10,000 threads.

  struct Seat {
    std::array<Word, kMostSteps> flags;
    alignas(platform::kLinePair) std::uint32_t episode = 0;
  };

  const std::size_t threads_;
  const bool crowded_;
  const std::size_t steps_;
  std::atomic<bool> stopped_{false};
  std::vector<Seat> seats_;
};

/// C++20's single-use counters, made anew for each round: one that opens to all workers, and one that they count down.
/// The one of a round is made while nobody uses those of two rounds before: a worker that has awaited the last one has
/// left them.
class StdLatch {
 public:
  static constexpr std::string_view kName = "std-latch";
  static constexpr bool kBlocking = true;
  static constexpr bool kChooses = false;

  StdLatch(const Shape& shape, const engine::Params& /*params*/)
      : workers_(static_cast<std::ptrdiff_t>(shape.workers)) {
    for (Pair& pair : pairs_) pair.renew(workers_);
  }

  // NOLINTBEGIN(bugprone-unchecked-optional-access): those of a round were made before it
  void release(std::uint64_t round, Wanted /*wanted*/) {
    if (round > 1) of(round + 1).renew(workers_);
    of(round).go->count_down();
  }
  void await(std::size_t /*worker*/, std::uint64_t round) { of(round).go->wait(); }
  void arrive(std::size_t /*worker*/, std::uint64_t round) { of(round).done->count_down(); }
  void join(std::uint64_t round) { of(round).done->wait(); }
  // NOLINTEND(bugprone-unchecked-optional-access)

 private:
  struct Pair {
    alignas(platform::kLinePair) std::optional<std::latch> go;
    alignas(platform::kLinePair) std::optional<std::latch> done;

    void renew(std::ptrdiff_t workers) {
      go.emplace(1);
      done.emplace(workers);
    }
  };

  Pair& of(std::uint64_t round) { return pairs_[round % pairs_.size()]; }

  const std::ptrdiff_t workers_;
  std::array<Pair, 3> pairs_;
};

}  // namespace threadping::barriers
