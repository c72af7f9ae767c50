#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

#include "message/result.hpp"
#include "platform/memory.hpp"

namespace threadping::crew {

/// What an experiment gives the crew for one trial: its mechanism's cells, one for each line, and the timed loops over
/// them. One call is a whole loop: what it costs to find the mechanism is paid once a loop.
class Loops {
 public:
  Loops() = default;
  Loops(const Loops&) = delete;
  Loops& operator=(const Loops&) = delete;
  virtual ~Loops() = default;

  /// Performs `count` operations of this thread on this line; returns how many it completed, fewer only where stop()
  /// ended a wait. Throws Failure for what it saw wrong.
  virtual std::uint64_t plain(std::size_t thread, std::size_t line, std::uint64_t count) = 0;

  /// The same for as many operations as there are durations (ns), each timed. A chain of them begins at `opened_ns`,
  /// the clock reading that opened the window, so that no interval is hidden.
  virtual std::uint64_t timed(std::size_t thread, std::size_t line, std::uint64_t opened_ns,
                              std::span<std::uint64_t> durations) = 0;

  /// Ends every wait on this line that would not end by itself. Called by any thread at any time, again and again,
  /// since a thread that is just storing may overwrite what it leaves.
  virtual void stop(std::size_t /*line*/) {}

  /// Something that changes with every operation on this line, for any thread at any time; 0 where what the threads
  /// tell of themselves is enough.
  virtual std::uint64_t progress(std::size_t /*line*/) { return 0; }

  /// When all threads have ended and made so many operations together: what is to be held against that. Empty where
  /// stop() left nothing to compare.
  virtual message::Counts counts(std::uint64_t made) = 0;

  /// Where the cells stand.
  [[nodiscard]] virtual const std::byte* memory() const = 0;

  /// Whether all threads but the first are to be processes.
  [[nodiscard]] virtual platform::Sharing sharing() const { return platform::Sharing::threads; }
};

}  // namespace threadping::crew
