#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>
#include <vector>

#include "description.hpp"
#include "experiments/barrier/barrier.hpp"
#include "experiments/load/load.hpp"
#include "experiments/lock/lock.hpp"
#include "experiments/queue/queue.hpp"
#include "experiments/signal/signal.hpp"
#include "experiments/wakeup/wakeup.hpp"
#include "own/adapters.hpp"
#include "own/bare.hpp"
#include "own/concepts.hpp"
#include "own/conformance.hpp"

// A probe of one mechanism, a class of a user's header: threadping writes its main, which considers every class that
// is defined there, and has it compiled.

namespace threadping::own {

/// A class of the header.
struct Candidate {
  std::string_view name;
  bool abstract = false;
  std::vector<Likeness> likenesses;
  std::vector<engine::Experiment> experiments;  ///< The experiments that measure it; none where it meets no concept.
  std::function<void()> check;
  BareLoop bare;  ///< For the first of them.
};

// --- signals ---

template <OwnSignal S>
struct SignalChecked final : AnySignal {
  S signal;
  void publish(std::uint64_t number) override { signal.publish(number); }
  std::uint64_t await(std::uint64_t number) override { return signal.await(number); }
  void stop() override { signal.stop(); }
  [[nodiscard]] std::uint64_t peek() const override { return signal.peek(); }
};

template <OwnSignal S>
void measure_signal(Candidate& candidate) {
  using Signal = SignalOf<S>;
  engine::Mechanism pair = signal::kSleeping.operator()<Signal>();
  engine::Mechanism link = load::kSleeping.operator()<Signal>();
  pair.blocking = link.blocking = is_blocking<S>();
  if (!is_blocking<S>()) pair.lines = signal::kManyLines;
  candidate.experiments = {signal::declared({pair}), load::declared({link})};
  if constexpr (is_blocking<S>())
    candidate.experiments.push_back(wakeup::declared({wakeup::kMechanism.operator()<Signal>()}));
  candidate.check = [] { check_signal([] { return std::make_unique<SignalChecked<S>>(); }); };
  candidate.bare = signal_in_bare_loop<S>;
}

// --- locks ---

template <OwnLock L>
struct LockChecked final : AnyLock {
  LockOf<L> lock;
  void hold(const std::function<void()>& critical) override {
    lock.acquire({});
    critical();
    lock.release({});
  }
};

template <OwnLock L>
void measure_lock(Candidate& candidate) {
  candidate.experiments = {lock::declared({lock::guarded<LockOf<L>>()})};
  candidate.check = [] { check_lock([] { return std::make_unique<LockChecked<L>>(); }); };
  candidate.bare = lock_in_bare_loop<L>;
}

// --- barriers ---

template <OwnBarrier C>
struct BarrierChecked final : AnyBarrier {
  explicit BarrierChecked(std::size_t workers) : shape{.workers = workers}, barrier(shape, no_params()) {}
  const barriers::Shape shape;
  BarrierOf<C> barrier;
  void release(std::uint64_t round) override { barrier.release(round, {.first = 0, .count = shape.workers}); }
  void await(std::size_t worker, std::uint64_t round) override { barrier.await(worker, round); }
  void arrive(std::size_t worker, std::uint64_t round) override { barrier.arrive(worker, round); }
  void join(std::uint64_t round) override { barrier.join(round); }
  void stop() override {
    if constexpr (barriers::Stoppable<BarrierOf<C>>) barrier.stop();
  }
};

template <OwnBarrier C>
void measure_barrier(Candidate& candidate) {
  candidate.experiments = {barrier::declared({barrier::mechanism<BarrierOf<C>>()})};
  candidate.check = [] {
    check_barrier({.make = [](std::size_t workers) { return std::make_unique<BarrierChecked<C>>(workers); },
                   .stops = barriers::Stoppable<BarrierOf<C>>,
                   .is_barrier = !OwnSteps<C>});
  };
  candidate.bare = barrier_in_bare_loop<C>;
}

// --- queues ---

/// Asks again until it may.
template <class Q>
struct PolledChecked final : AnyQueue {
  explicit PolledChecked(std::size_t size) : queue(size) {}
  Q queue;
  bool send(const Letter& letter) override {
    return again([&] { return queue.push(letter); });
  }
  bool take(Letter& letter) override {
    return again([&] { return queue.pop(letter); });
  }

 private:
  template <class Try>
  bool again(Try attempt) {
    for (std::uint64_t polls = 1; !attempt(); ++polls)
      if (polls % 64 == 0) sched_yield();
    return true;
  }
};

template <class Q>
struct WaitingChecked final : AnyQueue {
  explicit WaitingChecked(std::size_t size) : queue(size) {}
  Q queue;
  bool send(const Letter& letter) override { return queue.send(letter); }
  bool take(Letter& letter) override { return queue.take(letter); }
  void stop() override { queue.stop(); }
};

template <class Q>
QueueUnderTest under_test() {
  constexpr bool kPolled = all(kPolledOperations<Q, Letter>);
  using Checked = std::conditional_t<kPolled, PolledChecked<Q>, WaitingChecked<Q>>;
  QueueUnderTest found{.make = [](std::size_t size) { return std::make_unique<Checked>(size); },
                       .many_producers = has_many_producers<Q>(),
                       .bounded = is_bounded<Q>(),
                       .fill = nullptr};
  if constexpr (kPolled) {
    found.send = "push()";
    found.take = "pop()";
    found.fill = [](std::size_t size, std::size_t most) {
      const auto queue = std::make_unique<Q>(size);
      std::size_t pushed = 0;
      while (pushed < most && queue->push(Letter{})) ++pushed;
      return pushed;
    };
  }
  return found;
}

template <template <class> class Of>
void measure_queue(Candidate& candidate) {
  candidate.experiments = {queue::declared({queue::kMechanism.template operator()<Of>()}),
                           load::declared({load::kQueue.template operator()<Of>()})};
}

// --- classes of a header ---

class Header {
 public:
  /// A class of it: a signal, a lock or a barrier.
  template <class T>
  void consider(std::string_view name) {
    Candidate& candidate = candidates_.emplace_back(Candidate{name, std::is_abstract_v<T>, {}, {}, {}, {}});
    candidate.likenesses = {{kSignal, kSignalOperations<T>},
                            {kLock, kLockOperations<T>},
                            {kLock, kStandardLockOperations<T>},
                            {kBarrier, kBarrierOperations<T>},
                            {kBarrier, kMeetingOperations<T>}};
    if constexpr (kConcepts<T> == 1) {
      if constexpr (OwnSignal<T>) measure_signal<T>(candidate);
      if constexpr (OwnLock<T>) measure_lock<T>(candidate);
      if constexpr (OwnBarrier<T>) measure_barrier<T>(candidate);
    }
  }

  /// A class template of it, by the message: a queue.
  template <template <class> class Q>
  void consider(std::string_view name) {
    using Bare = Q<queues::Bare>;
    Candidate& candidate = candidates_.emplace_back(Candidate{name, std::is_abstract_v<Bare>, {}, {}, {}, {}});
    candidate.likenesses = {{kQueue, kPolledOperations<Bare>}, {kQueue, kWaitingOperations<Bare>}};
    if constexpr (OwnPolledQueue<Q>) measure_queue<PolledQueueOf<Q>::template Of>(candidate);
    if constexpr (OwnWaitingQueue<Q>) measure_queue<WaitingQueueOf<Q>::template Of>(candidate);
    if constexpr (OwnPolledQueue<Q> || OwnWaitingQueue<Q>) {
      candidate.check = [] { check_queue(under_test<Q<Letter>>()); };
      candidate.bare = queue_in_bare_loop<Bare>;
    }
  }

  [[nodiscard]] const std::vector<Candidate>& candidates() const { return candidates_; }

 private:
  std::vector<Candidate> candidates_;
};

/// The whole probe, `--name NAME describe|check|bare|run ...`: NAME is what the mechanism is called. `file` is the
/// header as the user named it, `flags` what it was compiled with. It ends the process.
[[noreturn]] void run_own(const Header& header, std::string_view file, const Probe& probe, int argc, char** argv);

/// This compiler, with these flags.
inline Probe compiled_with(std::vector<std::string> flags) {
  return {.language = "cpp",
          .version = "",  // the library's
          .toolchain = kCompiler,
          .toolchain_version = kCompilerVersion,
          .flags = std::move(flags)};
}

}  // namespace threadping::own
