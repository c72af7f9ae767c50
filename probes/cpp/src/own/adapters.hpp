#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <string_view>

#include "mechanisms/barriers/meeting.hpp"
#include "mechanisms/lock.hpp"
#include "mechanisms/queue.hpp"
#include "mechanisms/queues/one_by_one.hpp"
#include "mechanisms/signal.hpp"
#include "own/concepts.hpp"
#include "waits/pauses.hpp"

// A class of a user's header as the mechanism that experiments are templates of. All is inlined: nothing is added.

namespace threadping::own {

/// In messages about parameters; what it is called otherwise comes with each start.
inline constexpr std::string_view kName = "the mechanism";

/// An own mechanism has none.
inline const engine::Params& no_params() {
  static const engine::Params none(kName, {}, {});
  return none;
}

/// Its cell is the user's object.
template <OwnSignal S>
struct SignalOf {
  static constexpr std::string_view kName = own::kName;
  using Cell = S;

  void publish(Cell& cell, std::uint64_t number) const { cell.publish(number); }
  [[nodiscard]] std::uint64_t await(Cell& cell, std::uint64_t number) const { return cell.await(number); }
  void stop(Cell& cell) const { cell.stop(); }
  [[nodiscard]] std::uint64_t peek(const Cell& cell) const { return cell.peek(); }
};

template <OwnLock L>
class LockOf : public locks::UsedAlike {
 public:
  static constexpr std::string_view kName = own::kName;
  static constexpr bool kBlocking = is_blocking<L>();

  void acquire(Own /*own*/) {
    if constexpr (all(kLockOperations<L>))
      lock_.acquire();
    else
      lock_.lock();
  }
  void release(Own /*own*/) {
    if constexpr (all(kLockOperations<L>))
      lock_.release();
    else
      lock_.unlock();
  }
  /// Together with other readers, where the class lets them in.
  template <class Look>
    requires SharesItself<L>
  void read(Own /*own*/, Look look) {
    lock_.lock_shared();
    look();
    lock_.unlock_shared();
  }

 private:
  L lock_;
};

template <OwnSteps C>
class StepsOf {
 public:
  static constexpr std::string_view kName = own::kName;
  static constexpr bool kBlocking = is_blocking<C>();
  static constexpr bool kChooses = false;

  StepsOf(const barriers::Shape& shape, const engine::Params& /*params*/) : barrier_(shape.workers) {}

  void release(std::uint64_t round, barriers::Wanted /*wanted*/) { barrier_.release(round); }
  void await(std::size_t worker, std::uint64_t round) { barrier_.await(worker, round); }
  void arrive(std::size_t worker, std::uint64_t round) { barrier_.arrive(worker, round); }
  void join(std::uint64_t round) { barrier_.join(round); }
  void stop() { barrier_.stop(); }

 private:
  C barrier_;
};

/// One that has no stop() is ended by one more meeting.
template <class B>
class MeetingOf : public barriers::ByMeeting<MeetingOf<B>> {
 public:
  static constexpr std::string_view kName = own::kName;
  static constexpr bool kBlocking = is_blocking<B>();

  MeetingOf(const barriers::Shape& shape, const engine::Params& /*params*/) : barrier_(shape.workers + 1) {}

  void meet(std::size_t /*thread*/) { barrier_.arrive_and_wait(); }
  void stop()
    requires requires(B b) { b.stop(); }
  {
    barrier_.stop();
  }

 private:
  B barrier_;
};

template <OwnBarrier C>
struct BarrierNamed {
  using Type = MeetingOf<C>;
};
template <OwnSteps C>
struct BarrierNamed<C> {
  using Type = StepsOf<C>;
};
template <OwnBarrier C>
using BarrierOf = BarrierNamed<C>::Type;

template <class Q>
constexpr queues::Traits traits_of(bool blocking) {
  return {.name = kName,
          .blocking = blocking,
          .many_producers = has_many_producers<Q>(),
          .power_of_two = wants_power_of_two<Q>(),
          .full = is_bounded<Q>() ? queues::Full::always : queues::Full::never};
}

template <template <class> class Q>
struct PolledQueueOf {
  template <class M>
  class Of : public queues::OneByOne<Of<M>, M> {
   public:
    static constexpr queues::Traits kTraits = traits_of<Q<M>>(false);

    [[gnu::noinline]] explicit Of(const queues::Shape& shape) : queue_(queues::slots<M>(shape.size)) {
      this->touch(shape.size);
    }

    bool push(auto& /*sender*/, const M& message) { return queue_.push(message); }
    bool pop(auto& /*taker*/, M& message) { return queue_.pop(message); }

   private:
    Q<M> queue_;
  };
};

template <template <class> class Q>
struct WaitingQueueOf {
  template <class M>
  class Of {
   public:
    static constexpr queues::Traits kTraits = traits_of<Q<M>>(true);
    using Message = M;
    struct Sender {};
    struct Taker {};

    Of(const queues::Shape& shape, const engine::Params& /*params*/) : queue_(queues::slots<M>(shape.size)) {}

    static Sender sender(std::uint64_t /*producer*/) { return {}; }
    static Taker taker(std::uint64_t /*consumer*/) { return {}; }

    template <class Write>
    bool send(Sender& /*sender*/, std::uint64_t /*count*/, Write write) {
      Message message;
      write(message, 0);
      return queue_.send(message) && !stopped();
    }

    /// One by one, since it does not say whether there is another: there may be, and nobody looks around meanwhile.
    template <class Handle>
    queues::Taken take(Taker& /*taker*/, std::uint64_t /*most*/, Handle handle) {
      Message message;
      if (!queue_.take(message) || stopped()) return {};
      handle(message);
      return {.count = 1, .found_none = false};
    }

    /// Only where what is in flight is bounded outside it: such a producer asks again and again.
    template <class Until>
    bool await(Until until) {
      waits::Pauses pauses;
      while (!until()) {
        if (stopped()) return false;
        pauses.pause(std::chrono::microseconds(50), stopped_);
      }
      return true;
    }
    static void wake_gated() {}

    void stop() {
      stopped_.store(true, std::memory_order_relaxed);
      queue_.stop();
    }
    [[nodiscard]] bool stopped() const { return stopped_.load(std::memory_order_relaxed); }

   private:
    std::atomic<bool> stopped_{false};
    alignas(platform::kLinePair) Q<M> queue_;
  };
};

}  // namespace threadping::own
