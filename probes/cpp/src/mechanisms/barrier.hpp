#pragma once

#include <sched.h>

#include <atomic>
#include <concepts>
#include <cstddef>
#include <cstdint>
#include <string_view>

#include "engine/params.hpp"
#include "platform/lines.hpp"
#include "platform/pause.hpp"

namespace threadping::barriers {

/// What is asked of a barrier.
struct Shape {
  std::size_t workers = 1;  ///< Threads but for the coordinator.
  std::uint64_t jobs = 0;   ///< Jobs in a round, dealt to the workers round robin; 0: one each.
  bool crowded = false;     ///< More threads than CPUs: a spinning one yields now and then.
  std::uint32_t then = 0;   ///< Threads of each odd round, the coordinator among them; 0: all, as in even rounds.

  [[nodiscard]] std::uint64_t jobs_a_round() const { return jobs == 0 ? workers : jobs; }

  /// The workers that take part in a round: the first ones.
  [[nodiscard]] std::size_t workers_in(std::uint64_t round) const {
    return then > 0 && round % 2 == 1 ? then - 1 : workers;
  }

  /// This worker's number of jobs in a round in which it takes part, where the number of workers changes: each round is
  /// dealt anew.
  [[nodiscard]] std::uint64_t jobs_in(std::uint64_t round, std::size_t worker) const {
    const std::size_t dealt_to = workers_in(round);
    return ((jobs == 0 ? dealt_to : jobs) + dealt_to - 1 - worker) / dealt_to;
  }

  /// This worker's number of jobs in the first `round` rounds, where all take part in each.
  [[nodiscard]] std::uint64_t jobs_until(std::uint64_t round, std::size_t worker) const {
    return (round * jobs_a_round() + workers - 1 - worker) / workers;
  }
};

/// The workers that a round wants: `count` of them from `first` on, around the end.
struct Wanted {
  std::size_t first;
  std::size_t count;
};

/// A fork-join: one thread, the coordinator, releases others, its workers, and waits until all have done their part:
/// round by round, from 1 on. All threads use one object; what a worker has to itself is in it on a line of its own.
///
/// - release(round, wanted): the coordinator's. Releases these workers, which see all that was written before. It may
///   wait until they have come to await this round, as a barrier does.
/// - await(worker, round): returns when the worker is released for this round. Its rounds are those that want it, each
///   once and in their order.
/// - arrive(worker, round): the worker has done its part.
/// - join(round): the coordinator's. Returns when all that the round wanted have arrived, and sees all that they wrote.
/// - stop(): where there is one, ends every wait, now and later. Any thread calls it, again and again until all have
///   ended. Where there is none the coordinator ends the waits of its workers by one more release.
///
/// Where it kChooses a round wants as many workers as it has jobs; otherwise all, and those without a job pass.
template <class C>
concept Barrier = std::constructible_from<C, const Shape&, const engine::Params&> &&
                  requires(C barrier, std::size_t worker, std::uint64_t round, Wanted wanted) {
                    { C::kName } -> std::convertible_to<std::string_view>;  // the same in every language
                    { C::kBlocking } -> std::convertible_to<bool>;
                    { C::kChooses } -> std::convertible_to<bool>;
                    { barrier.release(round, wanted) } -> std::same_as<void>;
                    { barrier.await(worker, round) } -> std::same_as<void>;
                    { barrier.arrive(worker, round) } -> std::same_as<void>;
                    { barrier.join(round) } -> std::same_as<void>;
                  };

template <class C>
concept Stoppable = requires(C barrier) {
  { barrier.stop() } -> std::same_as<void>;
};

/// The calls of body(thread) that a library is to make, each by the thread of this number, the coordinator being 0.
inline constexpr auto kBodies = [](std::size_t thread) { static_cast<void>(thread); };

/// One that brings its workers: threads of a library, which are its own between two calls.
///
/// - call(body): has each thread call body, the coordinator too, and returns when all have.
template <class C>
concept Bringing = requires(C barrier) {
  { barrier.call(kBodies) } -> std::same_as<void>;
};

/// One whose rounds are such calls: fork and join.
template <class C>
concept Forking =
    std::constructible_from<C, const Shape&, const engine::Params&> && Bringing<C> && !Barrier<C> && requires {
      { C::kName } -> std::convertible_to<std::string_view>;
      { C::kBlocking } -> std::convertible_to<bool>;
    };

/// One whose odd rounds may have fewer workers than its even ones, as `Shape::then` says.
///
/// - call(body, threads): as call(body), by the first `threads` threads.
template <class C>
concept Resizing = Forking<C> && requires(C barrier, std::size_t threads) {
  { barrier.call(kBodies, threads) } -> std::same_as<void>;
};

/// The round as a word of 32 bits, which is what the kernel can sleep at.
inline std::uint32_t word_of(std::uint64_t round) { return static_cast<std::uint32_t>(round); }

/// Whether a word that only grows has come so far; it may have wrapped around.
inline bool reached(std::uint32_t word, std::uint32_t wanted) { return static_cast<std::int32_t>(word - wanted) >= 0; }

/// Goes around a wait: another thread may need this very CPU where the barrier is larger than there are CPUs.
class Spinning {
 public:
  explicit Spinning(bool crowded) : crowded_(crowded) {}

  void operator()() {
    platform::pause();
    if (crowded_ && ++polls_ % kPollsAYield == 0) sched_yield();
  }

 private:
  static constexpr std::uint32_t kPollsAYield = 64;

  const bool crowded_;
  std::uint32_t polls_ = 0;
};

/// A word that grows, on a line of its own.
struct alignas(platform::kLinePair) Word {
  std::atomic<std::uint32_t> value{0};
  std::atomic<std::uint32_t> asleep{0};  ///< How many sleep at it, or are about to.
};

}  // namespace threadping::barriers
