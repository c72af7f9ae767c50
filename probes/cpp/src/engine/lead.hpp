#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "engine/board.hpp"
#include "engine/pace.hpp"
#include "engine/worker.hpp"

namespace threadping::engine {

/// Maximum number of windows of a trial, 60 MB: some minutes of the fastest operations.
inline constexpr std::size_t kMostWindows = std::size_t{1} << 21;

/// Decides what all workers do and opens the windows. To the result it adds the warm-up, the windows, and what
/// was measured.
class Lead {
 public:
  /// `self` is the first worker if it leads, and null if an outsider does. `stretch`: the number of throughput
  /// windows by which it decides whether the pace is steady.
  Lead(Scene& scene, Worker* self, std::size_t stretch);
  Lead(const Lead&) = delete;
  Lead& operator=(const Lead&) = delete;
  virtual ~Lead() = default;

  /// Warms up and measures; false if the bound, or somebody's failure, ended it before its time. Throws Failure.
  bool run();

 protected:
  /// Replaces the order once all have taken up the one before; false, and nothing was ordered, if the bound passed
  /// first.
  bool give(const Order& order);

  /// Like give(), and waits until all have taken it up.
  bool order(const Order& order);

  /// Whether there is time left and nobody has failed.
  [[nodiscard]] bool goes_on() const;

  /// Whether all that are led have come so far with the latest order.
  [[nodiscard]] bool all(const std::atomic<std::uint64_t> Board::* progress) const;

  /// The line of this step: all in an order that the seed shuffles, again and again.
  [[nodiscard]] std::uint32_t line_of(std::size_t step) const { return route_[step % route_.size()]; }

  /// Adds a window whose ops of each thread these are. The number of their CPUs at its end is known once all have
  /// taken up the next order.
  void add_window(std::uint32_t line, contract::Windows::Kind kind, std::uint32_t every, std::uint64_t ns,
                  std::span<const std::uint64_t> ops);

  /// The involuntary switches of all workers, as of when each took its last order up.
  [[nodiscard]] std::uint64_t switches() const;

  /// The switches until the latest window's order was taken up: those of the window are known once all
  /// have taken up the next.
  void count_switches_from(std::uint64_t before);

  [[nodiscard]] const contract::Request& request() const { return scene_.request; }
  [[nodiscard]] contract::Windows& windows() const { return scene_.result.windows; }
  [[nodiscard]] bool measuring() const { return measuring_; }
  [[nodiscard]] std::size_t stretch() const { return stretch_; }

  Scene& scene_;

 private:
  /// What to do between two looks at the workers.
  virtual void idle() const = 0;

  /// The experiment's operations so far.
  [[nodiscard]] virtual std::uint64_t ops() const = 0;

  /// Finds out how long things are to take; gives how long an operation takes its thread (ns), or nothing if it was
  /// stopped. Begins nothing after `until_ns`.
  virtual std::optional<double> calibrate(std::uint64_t until_ns) = 0;

  /// Has every thread perform `count` operations on this line in one loop; false if it was stopped.
  virtual bool perform(std::uint32_t line, std::uint64_t count) = 0;

  /// What all do who neither warm up nor measure: nothing, or let a stream flow.
  [[nodiscard]] virtual Order between_windows() const { return {}; }

  /// Opens a throughput and a sampling window on a line; false if they were stopped.
  virtual bool visit(std::size_t step) = 0;

  void prepare();
  bool warm_up();
  bool long_rounds(double operation_ns, std::uint64_t end_ns);
  bool await_compilers();
  bool ping();
  void note(std::uint64_t ns, bool throughput, std::uint64_t ops);
  bool measure();

  /// Has all read their counters, whatever the time.
  void insist(Order::Reading reading);

  /// Waits until all have taken up the latest order; false if it does not go on until then.
  [[nodiscard]] bool await_obedience();
  void all_have_taken_it_up();

  /// The number of CPUs on which the workers were when they last reported.
  std::uint64_t count_cpus();

  Worker* const self_;
  const std::size_t stretch_;
  Steadiness steadiness_;
  std::vector<std::uint32_t> route_;
  platform::CpuSet cpus_;  ///< On which the workers may run, once they are set up.
  std::uint64_t number_ = 0;
  std::uint64_t switches_before_ = 0;
  std::uint64_t number_of_window_ = UINT64_MAX;  ///< The order of windows that are not all known yet,
  std::size_t first_unknown_ = 0;                ///< and the first of these.
  std::vector<int> cpus_now_;                    ///< Each worker's CPU, while they are counted.
  bool measuring_ = false;
  contract::Managed upkeep_{};                   ///< As of the latest window.
  std::optional<platform::Activity> compilers_;  ///< As of the latest look, in the warm-up alone,
  std::uint64_t next_look_ns_ = 0;               ///< and from when on it looks again.
  std::uint64_t rested_ns_ = 0;                  ///< So long its threads slept meanwhile,
  std::uint64_t pinged_ns_ = 0;                  ///< and so long, while CPUs were pinged.
};

/// A lead that is the first worker itself: it takes the others along to a line, performs its own operations there
/// against the clock, looks at the time and goes on. Windows are operations of each thread.
std::unique_ptr<Lead> first_thread(Scene& scene, Worker& self);

/// A lead that performs nothing: it opens a window when all workers are at work, sleeps, and closes it. It only ever
/// looks at their counts. Windows are stretches of time; where the experiment is a stream, marks in it.
std::unique_ptr<Lead> outsider(Scene& scene);

}  // namespace threadping::engine
