#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "message/request.hpp"
#include "message/result.hpp"
#include "platform/memory.hpp"

namespace threadping::crew {

/// When an operation began and when it ended, by the clock (now_ns).
struct Timing {
  std::uint64_t from_ns = 0;
  std::uint64_t to_ns = 0;

  [[nodiscard]] std::uint64_t ns() const { return to_ns - from_ns; }

  /// Of an operation that is done but tells nothing, such as a wait for something that was there already.
  [[nodiscard]] bool empty() const { return to_ns == 0; }
};

/// What an experiment gives the crew for one trial: its mechanism's cells, one for each line, and the timed loops over
/// them. One call is a whole loop: what it costs to find the mechanism is paid once a loop.
class Loops {
 public:
  Loops() = default;
  Loops(const Loops&) = delete;
  Loops& operator=(const Loops&) = delete;
  virtual ~Loops() = default;

  /// Performs `count` operations of this thread on this line; returns how many it completed, fewer only where stop()
  /// ended a wait, or where all that it waits for have left. Throws Failure for what it saw wrong.
  virtual std::uint64_t plain(std::size_t thread, std::size_t line, std::uint64_t count) = 0;

  /// The same for as many operations as there are timings, each timed. A chain of them begins at `opened_ns`, the clock
  /// reading that opened the window, so that no interval is hidden. Where an outsider leads it may complete more
  /// operations than it gives timings: those that it gives stand in front, and it leaves the rest as they are, empty.
  virtual std::uint64_t timed(std::size_t thread, std::size_t line, std::uint64_t opened_ns,
                              std::span<Timing> timings) = 0;

  /// Whether this thread times whatever comes to it stamped, instead of one operation in so many: where it is to sample
  /// it is then only asked to time, with room for many timings, and each that it gives counts. timed() returns when it
  /// has at least one.
  [[nodiscard]] virtual bool times_all(std::size_t /*thread*/) const { return false; }

  /// What this thread does between two operations, after one that was timed: apart from it, so that what is looked at
  /// after the operation stands close to it. plain() does it itself. True if it took its time.
  virtual bool between(std::size_t /*thread*/, std::size_t /*line*/) { return false; }

  /// This thread has done what it was ordered to do on this line, until it is ordered again: whoever waits for it need
  /// not wait any longer.
  virtual void leave(std::size_t /*thread*/, std::size_t /*line*/) {}

  /// The warm-up is over; called once, while all rest. True if operations take another time from here on.
  virtual bool warmed_up() { return false; }

  /// Measuring begins, just before the counters are read, while all rest: what these loops have recorded so far was the
  /// warm-up's.
  virtual void begin() {}

  /// Which of the experiment's `roles` this thread has: in turn, unless they say otherwise.
  [[nodiscard]] virtual std::size_t role(std::size_t thread, std::size_t roles) const { return thread % roles; }

  /// Whether what this thread completes are the experiment's operations; not of one that only follows another.
  [[nodiscard]] virtual bool counted(std::size_t /*thread*/) const { return true; }

  /// Ends every wait on this line that would not end by itself. Called by any thread at any time, again and again,
  /// since a thread that is just storing may overwrite what it leaves.
  virtual void stop(std::size_t /*line*/) {}

  /// Something that changes with every operation on this line, for any thread at any time; 0 where what the threads
  /// tell of themselves is enough.
  virtual std::uint64_t progress(std::size_t /*line*/) { return 0; }

  /// When all threads have ended and made so many operations together: what is to be held against that. Empty where
  /// stop() left nothing to compare.
  virtual message::Counts counts(std::uint64_t made) = 0;

  /// When all have ended: what these loops recorded themselves, beside what the crew did of what was timed.
  virtual message::Distributions distributions() { return {}; }

  /// Where the cells stand.
  [[nodiscard]] virtual const std::byte* memory() const = 0;

  /// Whether all threads but the first are to be processes.
  [[nodiscard]] virtual platform::Sharing sharing() const { return platform::Sharing::threads; }
};

/// The value of another parameter without which a parameter may not be given.
struct OnlyWith {
  std::string_view param;
  std::string_view value;
};

// GCC warns of a field that a designated initializer leaves out, unless it has an initializer of its own.
// NOLINTBEGIN(readability-redundant-member-init)

/// A parameter of a mechanism: a text if it has choices, a whole number otherwise.
struct ParamInfo {
  std::string_view name;
  std::span<const std::string_view> choices = {};  ///< What a text may be; the first is the default.
  std::int64_t number = 0;                         ///< A number's default,
  std::int64_t least = 0;                          ///< its least
  std::int64_t most = 0;                           ///< and its most.
  OnlyWith only_with = {};                         ///< Empty where it may always be given.
};

/// What a mechanism says of itself that contract/words.json does not know, in a sentence each.
struct Words {
  std::string_view summary;  ///< What it does.
  std::string_view costs;    ///< What it costs the CPU, and when to choose it.
};

class Params;

/// What a trial's loops are made of.
struct Setup {
  const Params& params;
  std::size_t lines;
  std::size_t threads;
};

/// A way for threads to do what an experiment asks, and how its loops are made. Making them throws Failure.
struct Mechanism {
  std::string_view name;  ///< The same in every language.
  bool blocking;          ///< Whether a waiting thread sleeps in the kernel.
  /// For each role the name of the distribution of what it times one by one; the last is for all further roles.
  std::span<const std::string_view> timed;
  std::uint32_t lines;                     ///< How many lines it is measured over unless the request says otherwise.
  std::span<const ParamInfo> params = {};  ///< What a request may set.
  std::optional<Words> words = {};         ///< For one that stands nowhere in contract/words.json.
  std::unique_ptr<Loops> (*make)(const Setup& setup);
};

// NOLINTEND(readability-redundant-member-init)

/// A mechanism's parameters, checked and completed with their defaults.
class Params {
 public:
  /// Throws Failure(unknown_param) for one that the mechanism does not have, and Failure(bad_request) for a value that
  /// it may not take or that goes with another parameter's value only.
  Params(const Mechanism& mechanism, const std::map<std::string, message::Param>& given);

  [[nodiscard]] bool has(std::string_view name) const { return values_.contains(name); }
  [[nodiscard]] std::int64_t number(std::string_view name) const;
  [[nodiscard]] std::string_view text(std::string_view name) const;

 private:
  std::map<std::string, message::Param, std::less<>> values_;
};

/// A question that this probe can answer.
struct Experiment {
  std::string_view name;
  std::span<const std::string_view> roles;
  std::size_t least_threads;
  std::size_t most_threads;
  message::Unit windows;         ///< Who leads: with ops the first thread, with ns an outsider.
  std::string_view stalled;      ///< What to say when nobody moves any more.
  bool in_turn = true;           ///< Whether threads have the roles in order, again and again, in whole crews.
  bool compares_clocks = false;  ///< Whether what one thread reads from the clock is held against another's reading.
  std::vector<Mechanism> mechanisms;  ///< In the order in which they are shown.
};

}  // namespace threadping::crew
