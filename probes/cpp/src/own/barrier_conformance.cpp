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

constexpr std::size_t kMembers = 3;
constexpr std::uint64_t kRounds = 20'000;

/// Rounds of a caller and some members, each of whom now and then comes late.
class Rounds {
 public:
  Rounds(AnyBarrier& barrier, bool is_barrier) : barrier_(barrier), is_barrier_(is_barrier) {}

  void check() {
    std::vector<Together::Part> parts{[this](Operations& done) { call(done); }};
    for (std::size_t member = 0; member < kMembers; ++member)
      parts.emplace_back([this, member](Operations& done) { attend(member, done); });
    Together::run(parts, [this] { return why_stuck(); });
  }

 private:
  /// What a member has done, and what it writes before it arrives.
  struct Attendee {
    std::atomic<std::uint64_t> let_go{0};
    std::atomic<std::uint64_t> arrived{0};
    std::array<std::uint64_t, 8> beside{};
  };

  void call(Operations& done) {
    NowAndThen now(kMembers);
    const std::uint64_t began = platform::now_ns();
    for (std::uint64_t round = 1; round <= last_; ++round, ++done) {
      if (is_enough(round, began)) last_ = std::min<std::uint64_t>(last_, round);
      now.pause();
      beside_.fill(round);
      begun_ = round;
      barrier_.release(round);
      released_ = round;
      now.pause();
      barrier_.gather(round);
      for (std::size_t member = 0; member < kMembers; ++member) refuse_unless_done(member, round);
    }
  }

  /// An operation as its author knows it: a barrier has one for all four.
  [[nodiscard]] std::string named(std::string_view operation, std::uint64_t round, std::size_t member = 0) const {
    const bool of_caller = operation == "release" || operation == "gather";
    const bool is_first = operation == "release" || operation == "await";
    if (is_barrier_)
      return (of_caller ? std::string("the caller's ") : "member " + with_commas(member) + "'s ") +
             (is_first ? "first" : "second") + " arrive_and_wait() of round " + with_commas(round);
    return std::string(operation) + (of_caller ? "(" : "(" + with_commas(member) + ", ") + with_commas(round) + ")";
  }

  void refuse_unless_done(std::size_t member, std::uint64_t round) const {
    const Attendee& one = attendees_[member];
    if (one.arrived < round)
      refuse("Early: " + named("gather", round) + " returned before member " + with_commas(member) +
             " had arrived: two rounds would mix.");
    if (one.beside.front() != round || one.beside.back() != round)
      refuse("What was written before " + named("arrive", round, member) + " was not seen after " +
             named("gather", round) + ": the barrier does not order it.");
  }

  void attend(std::size_t member, Operations& done) {
    NowAndThen now(member);
    Attendee& mine = attendees_[member];
    for (std::uint64_t round = 1; round <= last_; ++round, ++done) {
      now.pause();
      barrier_.await(member, round);
      if (begun_ < round)
        refuse("Early: " + named("await", round, member) + " returned before " + named("release", round) + ".");
      mine.let_go = round;
      if (beside_.front() != round || beside_.back() != round)
        refuse("What was written before " + named("release", round) + " was not seen after " +
               named("await", round, member) + ": the barrier does not order it.");
      now.pause();
      mine.beside.fill(round);
      mine.arrived = round;
      barrier_.arrive(member, round);
    }
  }

  /// Nobody moves: a member was not let go, or the caller does not know that all have arrived.
  [[nodiscard]] std::string why_stuck() const {
    if (released_ == begun_)
      for (std::size_t member = 0; member < kMembers; ++member)
        if (attendees_[member].let_go < begun_)
          return "A wake-up was lost: " + named("release", begun_) + " has returned, and " +
                 named("await", begun_, member) + " has not for some seconds.";
    if (std::ranges::all_of(attendees_, [this](const Attendee& one) { return one.arrived == begun_; }))
      return "A wake-up was lost: all have come to arrive in round " + with_commas(begun_) +
             ", and not all go on: " + named("arrive", begun_) + ", or " + named("gather", begun_) +
             ", has not returned for some seconds.";
    return "Nothing moves any more: " + named("release", begun_) + " has not returned for some seconds.";
  }

  AnyBarrier& barrier_;
  const bool is_barrier_;
  std::array<std::uint64_t, 8> beside_{};
  std::atomic<std::uint64_t> begun_{0};
  std::atomic<std::uint64_t> released_{0};
  std::atomic<std::uint64_t> last_{kRounds};
  std::array<Attendee, kMembers> attendees_{};
};

/// A member that waits to be let go, and a caller that waits for all.
void check_stop(const BarrierUnderTest& of) {
  const auto awaited = of.make(kMembers);
  check_ends("await()", kAwaited, [&] { awaited->stop(); }, [&] { awaited->await(0, 1); });
  const auto gathered = of.make(kMembers);
  check_ends("gather()", kAwaited, [&] { gathered->stop(); }, [&] { gathered->gather(1); });
}

}  // namespace

void check_barrier(const BarrierUnderTest& of) {
  guarded([&] {
    Rounds(*of.make(kMembers), of.is_barrier).check();
    if (of.stops) check_stop(of);
  });
}

}  // namespace threadping::own
