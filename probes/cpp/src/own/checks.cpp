// The checks of own/conformance.hpp for probes of other languages.

#include <functional>
#include <memory>

#include "api/needed.hpp"
#include "own/conformance.hpp"
#include "own/watching.hpp"
#include "threadping_checks.h"

namespace threadping::own {
namespace {

static_assert(sizeof(Letter) == THREADPING_LETTER * sizeof(std::uint64_t));

/// What C made, and frees.
using Made = std::unique_ptr<void, void (*)(void*)>;

using api::needed;

/// Ends the process where it has another size than here, or lacks what is needed.
template <class Calls, class... Pointers>
const Calls& checked(const Calls* calls, const api::Needed<Calls, Pointers>&... pointers) {
  if (calls == nullptr || calls->size != sizeof(Calls))
    refuse("It was compiled with a threadping_checks.h of another libthreadping.");
  if (const char* null = api::missing(*calls, pointers...))
    refuse("It has no " + std::string(null) + ": threadping_checks.h says what may be null.");
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
  const auto& of = own::checked(
      calls, own::needed("awaiting", &threadping_checked_signal::awaiting),
      own::needed("make", &threadping_checked_signal::make), own::needed("free", &threadping_checked_signal::free),
      own::needed("publish", &threadping_checked_signal::publish),
      own::needed("await", &threadping_checked_signal::await), own::needed("stop", &threadping_checked_signal::stop),
      own::needed("peek", &threadping_checked_signal::peek));
  own::check_signal([&of] { return std::make_unique<own::CheckedSignal>(of); });
}

void threadping_check_lock(const threadping_checked_lock* calls) {
  const auto& of = own::checked(calls, own::needed("make", &threadping_checked_lock::make),
                                own::needed("free", &threadping_checked_lock::free),
                                own::needed("hold", &threadping_checked_lock::hold));
  own::check_lock([&of] { return std::make_unique<own::CheckedLock>(of); });
}

void threadping_check_queue(const threadping_checked_queue* calls) {
  const auto& of = own::checked(
      calls, own::needed("sending", &threadping_checked_queue::sending),
      own::needed("taking", &threadping_checked_queue::taking),
      own::needed("unbounded", &threadping_checked_queue::unbounded),
      own::needed("make", &threadping_checked_queue::make), own::needed("free", &threadping_checked_queue::free),
      own::needed("send", &threadping_checked_queue::send), own::needed("take", &threadping_checked_queue::take),
      own::needed("stop", &threadping_checked_queue::stop));
  own::QueueUnderTest queue{.make = [&of](std::size_t size) { return std::make_unique<own::CheckedQueue>(of, size); },
                            .many_producers = of.many_producers != 0,
                            .bounded = of.bounded != 0,
                            .fill = of.fill};
  queue.send = of.sending;
  queue.take = of.taking;
  queue.unbounded = of.unbounded;
  own::check_queue(queue);
}
