// A program's signal, queue or barrier in threadping's own loops.

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string_view>
#include <vector>

#include "api/probe.hpp"
#include "experiments/barrier/barrier.hpp"
#include "experiments/load/load.hpp"
#include "experiments/signal/signal.hpp"
#include "experiments/wakeup/wakeup.hpp"
#include "threadping_barrier.h"

namespace threadping::api {
namespace {

static_assert(THREADPING_CELL == platform::kLinePair && THREADPING_STOPPED == signals::kStopped);

/// What this thread is about to make a stage of: what the concepts' classes are constructed with does not tell.
struct Making {
  const threadping_signal* signal = nullptr;
  const threadping_queue* queue = nullptr;
  const threadping_barrier* barrier = nullptr;
  const OwnSetup* setup = nullptr;
};
thread_local Making making;

/// What an operation of this thread has said, which has no place for it.
thread_local threadping_failure said{.size = sizeof said, .code = THREADPING_OK, .sentence = {}};

/// Throws it.
void hear() {
  if (said.code == THREADPING_OK) return;
  const threadping_failure why = said;
  said.code = THREADPING_OK;
  refuse(why);
}

/// A signal as mechanisms/signal.hpp wants it.
class OwnSignal {
 public:
  static constexpr std::string_view kName = "own";

  class Cell {
   public:
    Cell() : signal_(*making.signal) {
      if (signal_.open == nullptr) return;
      asked([&](threadping_failure* why) { signal_.open(place(), making.setup->handed(), why); });
    }
    Cell(const Cell&) = delete;
    Cell& operator=(const Cell&) = delete;
    ~Cell() {
      if (signal_.close != nullptr) signal_.close(place());
    }

    void* place() { return place_.data(); }
    [[nodiscard]] const void* place() const { return place_.data(); }

   private:
    alignas(platform::kLinePair) std::array<std::byte, THREADPING_CELL> place_{};
    const threadping_signal& signal_;
  };

  explicit OwnSignal(const engine::Params& /*params*/) : signal_(making.signal) {}

  void publish(Cell& cell, std::uint64_t number) const {
    signal_->publish(cell.place(), number);
    hear();
  }
  [[nodiscard]] std::uint64_t await(Cell& cell, std::uint64_t number) const {
    const std::uint64_t seen = signal_->await(cell.place(), number);
    hear();
    return seen;
  }
  void stop(Cell& cell) const {
    signal_->stop(cell.place());
    hear();
  }
  [[nodiscard]] std::uint64_t peek(const Cell& cell) const {
    const std::uint64_t published = signal_->peek(cell.place());
    hear();
    return published;
  }

 private:
  const threadping_signal* signal_;
};

/// A queue as experiments/load/links.hpp wants it.
class OwnQueue {
 public:
  static constexpr queues::Traits kTraits{.name = "own"};
  struct Sender {};
  struct Taker {};

  OwnQueue(const queues::Shape& shape, const engine::Params& /*params*/)
      : queue_(*making.queue),
        made_(asked([&](threadping_failure* why) { return queue_.open(shape.size, making.setup->handed(), why); })) {}
  OwnQueue(const OwnQueue&) = delete;
  OwnQueue& operator=(const OwnQueue&) = delete;
  ~OwnQueue() {
    if (queue_.close != nullptr) queue_.close(made_);
  }

  static Sender sender() { return {}; }
  static Taker taker() { return {}; }

  void send(Sender& /*sender*/, std::uint64_t number) {
    queue_.send(made_, number);
    hear();
  }

  template <class Look>
  bool receive(Taker& /*taker*/, std::uint64_t taken, Look look) {
    constexpr std::size_t kMost = 64;
    std::array<std::uint64_t, kMost> numbers;
    const std::size_t came = std::min(queue_.take(made_, numbers.data(), kMost), kMost);
    hear();
    for (std::size_t each = 0; each < came; ++each) {
      if (numbers[each] != ++taken) queues::refuse_sequence(queues::id_of(0, taken), queues::id_of(0, numbers[each]));
      look(taken);
    }
    return came > 0;
  }

  void stop() {
    queue_.stop(made_);
    hear();
  }

 private:
  const threadping_queue& queue_;
  void* made_;
};

/// What a program's barriers have in common, whatever their operations are.
class Opened {
 public:
  static constexpr std::string_view kName = "own";
  static constexpr bool kBlocking = true;  // as described

  Opened(const barriers::Shape& shape, const engine::Params& /*params*/)
      : calls_(*making.barrier), made_(asked([&](threadping_failure* why) {
          return calls_.open(static_cast<std::uint32_t>(shape.workers), shape.crowded ? 1 : 0, making.setup->handed(),
                             why);
        })) {}
  Opened(const Opened&) = delete;
  Opened& operator=(const Opened&) = delete;
  ~Opened() {
    if (calls_.close != nullptr) calls_.close(made_);
  }

 protected:
  const threadping_barrier& calls_;
  void* const made_;
};

/// A barrier as mechanisms/barrier.hpp wants it.
class OwnBarrier : public Opened {
 public:
  static constexpr bool kChooses = false;
  using Opened::Opened;

  void release(std::uint64_t round, barriers::Wanted /*all*/) {
    calls_.release(made_, round);
    hear();
  }
  void await(std::size_t worker, std::uint64_t round) {
    calls_.await(made_, static_cast<std::uint32_t>(worker), round);
    hear();
  }
  void arrive(std::size_t worker, std::uint64_t round) {
    calls_.arrive(made_, static_cast<std::uint32_t>(worker), round);
    hear();
  }
  void join(std::uint64_t round) {
    calls_.join(made_, round);
    hear();
  }
};

/// One that can be stopped.
class OwnStoppableBarrier : public OwnBarrier {
 public:
  using OwnBarrier::OwnBarrier;

  void stop() {
    calls_.stop(made_);
    hear();
  }
};

/// One that brings its threads.
class OwnFork : public Opened {
 public:
  using Opened::Opened;

  static std::vector<engine::ParamInfo> params() { return {}; }

  template <class Body>
  void call(Body body) {
    calls_.call(made_, [](void* of, std::uint32_t thread) { (*static_cast<Body*>(of))(thread); }, &body);
    hear();
  }
};

/// An experiment's mechanism as described; `base` is what any of its kind is there.
engine::Mechanism own(Descriptions& descriptions, const engine::Mechanism& described, engine::Mechanism base,
                      std::span<const engine::ParamInfo> more, const Making& made_of) {
  engine::Mechanism own = described;
  std::vector<engine::ParamInfo> params(described.params.begin(), described.params.end());
  params.insert(params.end(), more.begin(), more.end());
  own.params = descriptions.keep(std::move(params));
  own.timed = base.timed;
  own.make = [make = std::move(base.make), own, made_of](const engine::Setup& setup) {
    const OwnSetup handed(setup, std::string(own.name), std::nullopt);
    making = made_of;
    making.setup = &handed;
    return make(setup);
  };
  return own;
}

constexpr std::array<engine::ParamInfo, 0> kNoMore{};

}  // namespace
}  // namespace threadping::api

void threadping_operation_failed(threadping_code code, const char* sentence) {
  threadping_fail(&threadping::api::said, code, sentence);
}

void threadping_add_signal(threadping_probe* probe, const threadping_signal* signal) {
  threadping::api::add(*probe, [&](threadping::api::Descriptions& descriptions) {
    using threadping::api::needed;
    const auto described = descriptions.mechanism(
        threadping::api::checked(signal, "threadping_signal", needed("description", &threadping_signal::description),
                                 needed("publish", &threadping_signal::publish),
                                 needed("await", &threadping_signal::await), needed("stop", &threadping_signal::stop),
                                 needed("peek", &threadping_signal::peek))
            .description);
    const auto own = [&](threadping::engine::Mechanism base, const auto& more) {
      return threadping::api::own(descriptions, described, std::move(base), more, {.signal = signal});
    };
    using threadping::api::OwnSignal;
    if (!probe->has("signal", described.name))
      probe->add(threadping::signal::declared(
          {own(threadping::signal::kSleeping.operator()<OwnSignal>(), threadping::api::kNoMore)}));
    if (described.blocking)
      probe->add(threadping::wakeup::declared(
          {own(threadping::wakeup::kMechanism.operator()<OwnSignal>(), threadping::wakeup::kParams)}));
    probe->add(threadping::load::declared(
        {own(threadping::load::kSleeping.operator()<OwnSignal>(), threadping::load::kParams)}));
  });
}

void threadping_add_queue(threadping_probe* probe, const threadping_queue* queue) {
  threadping::api::add(*probe, [&](threadping::api::Descriptions& descriptions) {
    using threadping::api::needed;
    const auto described = descriptions.mechanism(
        threadping::api::checked(queue, "threadping_queue", needed("description", &threadping_queue::description),
                                 needed("open", &threadping_queue::open), needed("send", &threadping_queue::send),
                                 needed("take", &threadping_queue::take), needed("stop", &threadping_queue::stop))
            .description);
    threadping::engine::Mechanism base = described;
    base.timed = threadping::load::kTimed;
    base.make = threadping::load::stage_of<threadping::api::OwnQueue>;
    probe->add(threadping::load::declared(
        {threadping::api::own(descriptions, described, std::move(base), threadping::load::kParams, {.queue = queue})}));
  });
}

void threadping_add_barrier(threadping_probe* probe, const threadping_barrier* barrier) {
  threadping::api::add(*probe, [&](threadping::api::Descriptions& descriptions) {
    using threadping::api::checked;
    using threadping::api::needed;
    checked(barrier, "threadping_barrier", needed("description", &threadping_barrier::description),
            needed("open", &threadping_barrier::open));
    if (barrier->call == nullptr)
      checked(barrier, "threadping_barrier", needed("release", &threadping_barrier::release),
              needed("await", &threadping_barrier::await), needed("arrive", &threadping_barrier::arrive),
              needed("join", &threadping_barrier::join));
    const auto described = descriptions.mechanism(barrier->description);
    const auto add_as = [&]<class C> {
      probe->add(threadping::barrier::declared(
          {threadping::api::own(descriptions, described, threadping::barrier::mechanism<C>(),
                                threadping::barrier::params_of<C>(), {.barrier = barrier})}));
    };
    if (barrier->call != nullptr)
      add_as.operator()<threadping::api::OwnFork>();
    else if (barrier->stop != nullptr)
      add_as.operator()<threadping::api::OwnStoppableBarrier>();
    else
      add_as.operator()<threadping::api::OwnBarrier>();
  });
}
