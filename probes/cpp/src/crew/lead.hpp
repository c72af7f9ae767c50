#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "crew/board.hpp"
#include "crew/loops.hpp"
#include "crew/member.hpp"
#include "crew/recorder.hpp"
#include "message/request.hpp"
#include "message/result.hpp"
#include "platform/memory.hpp"

namespace threadping::crew {

/// What a lead works with: the trial, its members' boards, and the loops.
struct Scene {
  const message::Request& request;
  Loops& loops;
  Common& common;
  const platform::Shared<Board>& boards;
  message::Result& result;           ///< To which it adds the warm-up, the windows, and what was measured.
  const std::uint64_t& deadline_ns;  ///< Known when the threads start.
};

/// A result holds no more windows (contract/request.schema.json): some minutes of the quickest operations.
inline constexpr std::size_t kMostWindows = std::size_t{1} << 21;

/// Whoever decides what all members do and opens the windows.
class Lead {
 public:
  explicit Lead(const Scene& scene);
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

  [[nodiscard]] const message::Request& request() const { return scene_.request; }
  [[nodiscard]] message::Windows& windows() const { return scene_.result.windows; }

  Scene scene_;

 private:
  /// The member that this lead is itself; null if it is none.
  [[nodiscard]] virtual Member* self() { return nullptr; }

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

  [[nodiscard]] std::span<Board> followers() {
    return std::span(scene_.boards.begin(), scene_.boards.end()).subspan(self() == nullptr ? 0 : 1);
  }
  template <class Done>
  bool await(Done done);

  std::vector<std::uint32_t> route_;
  platform::CpuSet cpus_;  ///< On which the members may run, once they stand.
  std::uint64_t number_ = 0;
};

/// A lead that is the first member itself: it takes the others along to a line, performs its own operations there
/// against the clock, looks at the time and goes on. Windows are operations of each thread.
std::unique_ptr<Lead> first_thread(const Scene& scene, Member& self, Recorder& recorder);

/// A lead that performs nothing: it opens a window when all members are at work, sleeps, and closes it. It only ever
/// looks at their counts. Windows are stretches of time.
std::unique_ptr<Lead> outsider(const Scene& scene);

}  // namespace threadping::crew
