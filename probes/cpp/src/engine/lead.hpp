#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <vector>

#include "engine/board.hpp"
#include "engine/member.hpp"

namespace threadping::engine {

/// A trial ends with so many windows, which are 60 MB: some minutes of the quickest operations.
inline constexpr std::size_t kMostWindows = std::size_t{1} << 21;

/// Whoever decides what all members do and opens the windows. To the result it adds the warm-up, the windows, and what
/// was measured.
class Lead {
 public:
  /// `self` is the first member if that is who leads, and null if it is none of them.
  explicit Lead(Scene& scene, Member* self = nullptr);
  Lead(const Lead&) = delete;
  Lead& operator=(const Lead&) = delete;
  virtual ~Lead() = default;

  /// Warms up and measures; false if the bound, or somebody's failure, ended it before its time. Throws Failure.
  bool run();

 protected:
  /// Replaces the order once all have obeyed the one before; false, and nothing was ordered, if the bound passed first.
  bool give(const Order& order);

  /// The same, and waits until all have begun to obey it.
  bool order(const Order& order);

  /// Whether there is time left and nobody has failed.
  [[nodiscard]] bool goes_on() const;

  /// The line of this step: all in an order that the seed shuffles, again and again.
  [[nodiscard]] std::uint32_t line_of(std::size_t step) const { return route_[step % route_.size()]; }

  /// How many members can run at once.
  [[nodiscard]] std::size_t running() const { return std::min(scene_.boards.size(), cpus_.size()); }

  [[nodiscard]] const contract::Request& request() const { return scene_.request; }
  [[nodiscard]] contract::Windows& windows() const { return scene_.result.windows; }

  Scene& scene_;

 private:
  /// What to do between two looks at the members.
  virtual void idle() const = 0;

  /// The operations of all members so far.
  [[nodiscard]] virtual std::uint64_t ops() const = 0;

  /// Works until as much is done as the request wants, and finds out how long things are to take; false if it was
  /// stopped.
  virtual bool warm_up() = 0;

  /// Opens a plain and a timed window on a line; false if they were stopped.
  virtual bool visit(std::size_t step) = 0;

  bool measure();

  /// Has all read their counters, whatever the time.
  void insist(Order::Kind kind);

  /// Waits until all have begun to obey; false if it does not go on until then.
  [[nodiscard]] bool await_obedience() const;

  /// Whether all that are led have come so far with the latest order.
  [[nodiscard]] bool all(const std::atomic<std::uint64_t> Board::* progress) const;

  Member* const self_;
  std::vector<std::uint32_t> route_;
  platform::CpuSet cpus_;  ///< On which the members may run, once they stand.
  std::uint64_t number_ = 0;
};

/// A lead that is the first member itself: it takes the others along to a line, performs its own operations there
/// against the clock, looks at the time and goes on. Windows are operations of each thread.
std::unique_ptr<Lead> first_thread(Scene& scene, Member& self);

/// A lead that performs nothing: it opens a window when all members are at work, sleeps, and closes it. It only ever
/// looks at their counts. Windows are stretches of time.
std::unique_ptr<Lead> outsider(Scene& scene);

}  // namespace threadping::engine
