#pragma once

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
#include "platform/shared.hpp"

namespace threadping::crew {

/// What a lead works with: the trial, its members' boards, and the loops.
struct Scene {
  const message::Request& request;
  Loops& loops;
  Common& common;
  const platform::Shared<Board>& boards;
  message::Result& result;  ///< To which it adds the warm-up, the windows, and what was measured.
  std::uint64_t deadline_ns;
};

/// Whoever decides what all members do and opens the windows.
class Lead {
 public:
  explicit Lead(const Scene& scene);
  Lead(const Lead&) = delete;
  Lead& operator=(const Lead&) = delete;
  virtual ~Lead() = default;

  /// Warms up and measures; false if the bound, or somebody's failure, ended it before its time. Throws Failure.
  virtual bool run() = 0;

 protected:
  /// Replaces the order once all have obeyed the one before; false, and nothing was ordered, if the bound passed first.
  bool give(const Order& order);

  /// The same, and waits until all have begun to obey it.
  bool order(const Order& order);

  /// Gives the order and waits until all have carried it out, whatever the time: they only read counters.
  void insist(Order::Kind kind);

  /// Whether there is time left and nobody has failed.
  [[nodiscard]] bool goes_on() const;

  /// The line of this step: all in an order that the seed shuffles, again and again.
  [[nodiscard]] std::uint32_t line_of(std::size_t step) const { return route_[step % route_.size()]; }

  /// On which the members may run, once they stand.
  [[nodiscard]] platform::CpuSet cpus() const;

  Scene scene_;

 private:
  /// The members that are ordered about begin with this one.
  [[nodiscard]] virtual std::size_t first_follower() const = 0;

  /// What to do between two looks at the members.
  virtual void idle() const = 0;

  [[nodiscard]] std::span<Board> followers() const {
    return std::span(scene_.boards.begin(), scene_.boards.end()).subspan(first_follower());
  }
  template <class Done>
  bool await(Done done) const;

  std::vector<std::uint32_t> route_;
  std::uint64_t number_ = 0;
};

/// A lead that is the first member itself: it takes the others along to a line, performs its own operations there
/// against the clock, looks at the time and goes on. Windows are operations of each thread.
std::unique_ptr<Lead> first_thread(const Scene& scene, Member& self, Recorder& recorder);

/// A lead that performs nothing: it opens a window when all members are at work, sleeps, and closes it. It only ever
/// looks at their counts. Windows are stretches of time.
std::unique_ptr<Lead> outsider(const Scene& scene);

}  // namespace threadping::crew
