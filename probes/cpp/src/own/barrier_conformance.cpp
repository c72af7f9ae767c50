#include <algorithm>
#include <array>
#include <atomic>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "numbers.hpp"
#include "own/conformance.hpp"
#include "own/watching.hpp"
#include "platform/clock.hpp"

namespace threadping::own {
namespace {

using Operations = std::atomic<std::uint64_t>;

constexpr std::size_t kWorkers = 3;
constexpr std::uint64_t kRounds = 20'000;

/// Rounds of a coordinator and some workers; each of these comes late now and then.
class Rounds {
 public:
  Rounds(AnyBarrier& barrier, bool is_barrier) : barrier_(barrier), is_barrier_(is_barrier) {}

  void check() {
    std::vector<Together::Part> parts{[this](Operations& done) { call(done); }};
    for (std::size_t worker = 0; worker < kWorkers; ++worker)
      parts.emplace_back([this, worker](Operations& done) { attend(worker, done); });
    Together::run(parts, [this] { return why_stuck(); });
  }

 private:
  /// What a worker has done, and what it writes before it arrives.
  struct Attendee {
    std::atomic<std::uint64_t> released{0};
    std::atomic<std::uint64_t> arrived{0};
    std::array<std::uint64_t, 8> payload{};
  };

  void call(Operations& done) {
    NowAndThen now(kWorkers);
    const std::uint64_t began = platform::now_ns();
    for (std::uint64_t round = 1; round <= last_; ++round, ++done) {
      if (is_enough(round, began)) last_ = std::min<std::uint64_t>(last_, round);
      now.pause();
      payload_.fill(round);
      begun_ = round;
      barrier_.release(round);
      released_ = round;
      now.pause();
      barrier_.join(round);
      for (std::size_t worker = 0; worker < kWorkers; ++worker) refuse_unless_done(worker, round);
    }
  }

  /// An operation as its author knows it: a barrier has one for all four.
  [[nodiscard]] std::string named(std::string_view operation, std::uint64_t round, std::size_t worker = 0) const {
    const bool of_coordinator = operation == "release" || operation == "join";
    const bool is_first = operation == "release" || operation == "await";
    if (is_barrier_)
      return (of_coordinator ? std::string("the coordinator's ") : "worker " + with_commas(worker) + "'s ") +
             (is_first ? "first" : "second") + " arrive_and_wait() of round " + with_commas(round);
    return std::string(operation) + (of_coordinator ? "(" : "(" + with_commas(worker) + ", ") + with_commas(round) +
           ")";
  }

  void refuse_unless_done(std::size_t worker, std::uint64_t round) const {
    const Attendee& one = attendees_[worker];
    if (one.arrived < round)
      refuse("Early: " + named("join", round) + " returned before worker " + with_commas(worker) +
             " had arrived: two rounds would mix.");
    if (one.payload.front() != round || one.payload.back() != round)
      refuse("What was written before " + named("arrive", round, worker) + " was not seen after " +
             named("join", round) + ": the barrier does not order it.");
  }

  void attend(std::size_t worker, Operations& done) {
    NowAndThen now(worker);
    Attendee& mine = attendees_[worker];
    for (std::uint64_t round = 1; round <= last_; ++round, ++done) {
      now.pause();
      barrier_.await(worker, round);
      if (begun_ < round)
        refuse("Early: " + named("await", round, worker) + " returned before " + named("release", round) + ".");
      mine.released = round;
      if (payload_.front() != round || payload_.back() != round)
        refuse("What was written before " + named("release", round) + " was not seen after " +
               named("await", round, worker) + ": the barrier does not order it.");
      now.pause();
      mine.payload.fill(round);
      mine.arrived = round;
      barrier_.arrive(worker, round);
    }
  }

  /// Nobody moves: a worker was not released, or the coordinator does not know that all have arrived.
  [[nodiscard]] std::string why_stuck() const {
    if (released_ == begun_)
      for (std::size_t worker = 0; worker < kWorkers; ++worker)
        if (attendees_[worker].released < begun_)
          return "A wake-up was lost: " + named("release", begun_) + " has returned, and " +
                 named("await", begun_, worker) + " has not for some seconds.";
    if (std::ranges::all_of(attendees_, [this](const Attendee& one) { return one.arrived == begun_; }))
      return "A wake-up was lost: all have come to arrive in round " + with_commas(begun_) +
             ", and not all go on: " + named("arrive", begun_) + ", or " + named("join", begun_) +
             ", has not returned for some seconds.";
    return "Nothing moves any more: " + named("release", begun_) + " has not returned for some seconds.";
  }

  AnyBarrier& barrier_;
  const bool is_barrier_;
  std::array<std::uint64_t, 8> payload_{};
  std::atomic<std::uint64_t> begun_{0};
  std::atomic<std::uint64_t> released_{0};
  std::atomic<std::uint64_t> last_{kRounds};
  std::array<Attendee, kWorkers> attendees_{};
};

/// Checks that stop() ends the wait of a worker for its release, and of a coordinator for all.
void check_stop(const BarrierUnderTest& of) {
  const auto awaited = of.make(kWorkers);
  check_ends("await()", kAwaited, [&] { awaited->stop(); }, [&] { awaited->await(0, 1); });
  const auto joined = of.make(kWorkers);
  check_ends("join()", kAwaited, [&] { joined->stop(); }, [&] { joined->join(1); });
}

}  // namespace

void check_barrier(const BarrierUnderTest& of) {
  guarded([&] {
    Rounds(*of.make(kWorkers), of.is_barrier).check();
    if (of.stops) check_stop(of);
  });
}

}  // namespace threadping::own
