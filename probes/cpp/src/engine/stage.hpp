#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>

#include "contract/result.hpp"
#include "engine/samples.hpp"
#include "platform/memory.hpp"

namespace threadping::engine {

/// What a thread is to do next.
struct Task {
  std::uint32_t line = 0;   ///< Where.
  std::uint64_t count = 0;  ///< The number of operations.
  std::uint32_t every = 0;  ///< 0: nobody reads a clock. Otherwise the middle one of each group of this size is timed.
  std::uint64_t opened_ns = 0;  ///< The clock reading that opened the window, where the thread itself opened it.
};

/// A thread's part in an experiment. It is made by its own thread, once that runs on its CPU, so that what
/// it has to itself is near it; one call is a whole loop, and what it costs to find the mechanism is paid once a loop.
class Player {
 public:
  Player() = default;
  Player(const Player&) = delete;
  Player& operator=(const Player&) = delete;
  virtual ~Player() = default;

  /// Performs a task. Gives how many operations it completed: fewer where Stage::stop() ended a wait or where the
  /// stream ended; more where one step of it is several operations. Throws Failure
  /// for what it saw wrong.
  virtual std::uint64_t run(const Task& task, Samples& samples) = 0;

  /// The end of a stream, once, after all else: a thread that sends sends that nothing follows; one that receives takes
  /// until all its senders have. Gives the operations that it completed meanwhile.
  virtual std::uint64_t leave(Samples& /*samples*/) { return 0; }
};

/// How threads that a mechanism brings, as a thread pool does, act as the workers that the engine then does not start:
/// each calls this itself, as long as the mechanism lends it.
class Brought {
 public:
  Brought() = default;
  Brought(const Brought&) = delete;
  Brought& operator=(const Brought&) = delete;
  virtual ~Brought() = default;

  /// Once, ahead of all else, by all of them: pins the calling thread, which is this worker from here on, makes its
  /// player, and returns when the trial begins.
  virtual void set_up(std::size_t thread) = 0;

  /// Takes up a new order if there is one, and has the player perform `count` operations. Gives how many it completed:
  /// none where it failed.
  virtual std::uint64_t perform(std::size_t thread, std::uint64_t count) = 0;
};

/// A mechanism's cells, one for each line, and who acts on them.
class Stage {
 public:
  Stage() = default;
  Stage(const Stage&) = delete;
  Stage& operator=(const Stage&) = delete;
  virtual ~Stage() = default;

  /// Called by the thread itself.
  virtual std::unique_ptr<Player> player(std::size_t thread) = 0;

  /// Whether the mechanism brings this thread: none that is the first. While the first acts these do, or nobody does.
  [[nodiscard]] virtual bool brings(std::size_t /*thread*/) const { return false; }

  /// Announces `brought`, by which these threads act, before there are players.
  virtual void act_by(Brought& /*brought*/) {}

  /// Whether one thread of the kernel acts as this thread throughout. Otherwise a library may replace it between two
  /// calls: then it has no CPU of its own, and nothing that the kernel counts of a thread is reported of it.
  [[nodiscard]] virtual bool lasts(std::size_t /*thread*/) const { return true; }

  /// Which of the experiment's roles this thread has: the first and the second alternate.
  [[nodiscard]] virtual std::size_t role_of(std::size_t thread) const { return thread % 2; }

  /// Whether what one of these threads reads from the clock is held against what the other reads.
  [[nodiscard]] virtual bool compares_clocks(std::size_t /*one*/, std::size_t /*other*/) const { return false; }

  /// Ends every wait on this line that would not end by itself. Called by any thread at any time, again and again,
  /// since a thread that is just storing may overwrite what it leaves.
  virtual void stop(std::size_t /*line*/) {}

  /// Something that changes with every operation on this line, for any thread at any time; 0 where what the threads
  /// report of themselves is enough.
  [[nodiscard]] virtual std::uint64_t progress(std::size_t /*line*/) const { return 0; }

  /// When all threads have ended: what is to be held against the operations of each. Empty where stop() left nothing to
  /// compare.
  [[nodiscard]] virtual contract::Counts counts(std::span<const std::uint64_t> ops) const = 0;

  /// Where the cells are located.
  [[nodiscard]] virtual const std::byte* memory() const = 0;

  /// Whether all threads but the first are to be processes.
  [[nodiscard]] virtual platform::Sharing sharing() const { return platform::Sharing::threads; }
};

}  // namespace threadping::engine
