// The checks of own/conformance.hpp for probes of other languages.

#include <functional>
#include <memory>

#include "own/conformance.hpp"
#include "own/watching.hpp"
#include "threadping_checks.h"

namespace threadping::own {
namespace {

static_assert(sizeof(Letter) == THREADPING_LETTER * sizeof(std::uint64_t));

/// What C made, and frees.
using Made = std::unique_ptr<void, void (*)(void*)>;

template <class Calls>
const Calls& sized(const Calls* calls) {
  if (calls->size != sizeof(Calls)) refuse("It was compiled with a threadping_checks.h of another libthreadping.");
  return *calls;
}

class CheckedSignal final : public AnySignal {
 public:
  explicit CheckedSignal(const threadping_checked_signal& calls) : calls_(calls), made_(calls.make(), calls.free) {
    awaiting = calls.awaiting;
  }
  void publish(std::uint64_t number) override { calls_.publish(made_.get(), number); }
  std::uint64_t await(std::uint64_t number) override { return calls_.await(made_.get(), number); }
  void stop() override { calls_.stop(made_.get()); }
  [[nodiscard]] std::uint64_t peek() const override { return calls_.peek(made_.get()); }

 private:
  const threadping_checked_signal& calls_;
  Made made_;
};

class CheckedLock final : public AnyLock {
 public:
  explicit CheckedLock(const threadping_checked_lock& calls) : calls_(calls), made_(calls.make(), calls.free) {}
  void hold(const std::function<void()>& critical) override {
    std::function<void()> call = critical;
    calls_.hold(made_.get(), [](void* of) { (*static_cast<std::function<void()>*>(of))(); }, &call);
  }

 private:
  const threadping_checked_lock& calls_;
  Made made_;
};

class CheckedQueue final : public AnyQueue {
 public:
  CheckedQueue(const threadping_checked_queue& calls, std::size_t size)
      : calls_(calls), made_(calls.make(size, calls.many_producers != 0 ? kProducers : 1), calls.free) {}
  bool send(const Letter& letter) override { return calls_.send(made_.get(), &letter.id) != 0; }
  bool take(Letter& letter) override { return calls_.take(made_.get(), &letter.id) != 0; }
  void stop() override { calls_.stop(made_.get()); }

 private:
  const threadping_checked_queue& calls_;
  Made made_;
};

}  // namespace
}  // namespace threadping::own

namespace own = threadping::own;

void threadping_refuse(const char* sentence) { own::refuse(sentence); }

void threadping_check_signal(const threadping_checked_signal* calls) {
  own::check_signal([&of = own::sized(calls)] { return std::make_unique<own::CheckedSignal>(of); });
}

void threadping_check_lock(const threadping_checked_lock* calls) {
  own::check_lock([&of = own::sized(calls)] { return std::make_unique<own::CheckedLock>(of); });
}

void threadping_check_queue(const threadping_checked_queue* calls) {
  const auto& of = own::sized(calls);
  own::QueueUnderTest queue{.make = [&of](std::size_t size) { return std::make_unique<own::CheckedQueue>(of, size); },
                            .many_producers = of.many_producers != 0,
                            .bounded = of.bounded != 0,
                            .fill = of.fill};
  queue.send = of.sending;
  queue.take = of.taking;
  queue.unbounded = of.unbounded;
  own::check_queue(queue);
}
