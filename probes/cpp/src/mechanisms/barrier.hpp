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
  std::size_t members = 1;  ///< Threads but for the caller.
  std::uint64_t jobs = 0;   ///< So many a round, dealt to the members in turn; 0: one for each.
  bool crowded = false;     ///< More threads than CPUs: who spins lets others onto its CPU now and then.

  [[nodiscard]] std::uint64_t jobs_a_round() const { return jobs == 0 ? members : jobs; }

  /// So many of the first rounds' jobs are this member's.
  [[nodiscard]] std::uint64_t jobs_until(std::uint64_t round, std::size_t member) const {
    return (round * jobs_a_round() + members - 1 - member) / members;
  }
};

/// Whom a round wants: so many members from this one on, the first following the last.
struct Wanted {
  std::size_t first;
  std::size_t count;
};

/// A way for one thread, the caller, to let others go, its members, and to wait until all have done their part: round
/// by round, from 1 on. It is one object, which all use; what a member has to itself stands in it on a line of its own.
///
/// - release(round, wanted): the caller's. Lets these members go, who see all that was written before. It may wait
/// until
///   they have come to await this round, as a barrier does.
/// - await(member, round): returns when the member is let go for this round. Its rounds are those that want it, each
///   once and in their order.
/// - arrive(member, round): the member has done its part.
/// - gather(round): the caller's. Returns when all have arrived whom the round wanted, and sees all that they wrote.
/// - stop(): where there is one, ends every wait, now and later. Any thread calls it, again and again until all have
///   ended. Where there is none the caller ends the waits of its members by one more release.
///
/// Where it kChooses a round wants as many members as it has jobs; otherwise all, and those without a job pass.
template <class C>
concept Barrier = std::constructible_from<C, const Shape&, const engine::Params&> &&
                  requires(C barrier, std::size_t member, std::uint64_t round, Wanted wanted) {
                    { C::kName } -> std::convertible_to<std::string_view>;  // the same in every language
                    { C::kBlocking } -> std::convertible_to<bool>;
                    { C::kChooses } -> std::convertible_to<bool>;
                    { barrier.release(round, wanted) } -> std::same_as<void>;
                    { barrier.await(member, round) } -> std::same_as<void>;
                    { barrier.arrive(member, round) } -> std::same_as<void>;
                    { barrier.gather(round) } -> std::same_as<void>;
                  };

template <class C>
concept Stoppable = requires(C barrier) {
  { barrier.stop() } -> std::same_as<void>;
};

/// The calls of body(thread) that a library is to make, each by the thread of this number, the caller being 0.
inline constexpr auto kBodies = [](std::size_t thread) { static_cast<void>(thread); };

/// One that brings its members: threads of a library, which are its own between two calls.
///
/// - call(body): has each thread call body, the caller too, and returns when all have.
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
