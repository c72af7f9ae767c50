#pragma once

#include <atomic>
#include <condition_variable>
#include <cstdint>
#include <deque>
#include <mutex>

#include "engine/params.hpp"
#include "mechanisms/queue.hpp"

namespace threadping::queues {

/// What everybody writes first: a std::deque under a std::mutex, a condition variable for a consumer that finds it
/// empty and one for a producer that finds it full. It signals after it has released the lock. The deque takes memory
/// and gives it back as messages pass through it.
///
/// The writes that must be seen are the messages; the lock orders them.
template <class M>
class MutexDeque {
 public:
  static constexpr Traits kTraits{.name = "mutex-deque", .blocking = true, .many_producers = true};
  using Message = M;
  struct Sender {};
  struct Taker {};

  MutexDeque(const Shape& shape, const engine::Params& /*params*/)
      : size_(slots<M>(shape.size)), bounds_flight_(shape.in_flight > 0) {}

  static Sender sender(std::uint64_t /*producer*/) { return {}; }
  static Taker taker(std::uint64_t /*consumer*/) { return {}; }

  template <class Write>
  bool send(Sender& /*sender*/, std::uint64_t /*count*/, Write write) {
    Message message;
    write(message, 0);
    {
      std::unique_lock lock(mutex_);
      not_full_.wait(lock, [&] { return messages_.size() < size_ || stopped(); });
      if (stopped()) return false;
      messages_.push_back(message);
    }
    has_message_.notify_one();
    return true;
  }

  /// Waits for the first and takes one by one until it finds it empty.
  template <class Handle>
  Taken take(Taker& /*taker*/, std::uint64_t most, Handle handle) {
    Message message;
    Taken taken;
    while (taken.count < most && pop(message, taken)) {
      handle(message);
      ++taken.count;
    }
    return taken;
  }

  template <class Until>
  bool await(Until until) {
    std::unique_lock lock(mutex_);
    has_taken_.wait(lock, [&] { return until() || stopped(); });
    return until();
  }

  /// What was taken was published without the lock; with the lock, a thread that polled before then is asleep by now.
  void wake_gated() {
    if (!bounds_flight_) return;
    {
      const std::scoped_lock lock(mutex_);
    }
    has_taken_.notify_all();
  }

  void stop() {
    {
      const std::scoped_lock lock(mutex_);
      stopped_.store(true, std::memory_order_relaxed);
    }
    has_message_.notify_all();
    not_full_.notify_all();
    has_taken_.notify_all();
  }
  [[nodiscard]] bool stopped() const { return stopped_.load(std::memory_order_relaxed); }

 private:
  /// Waits where nothing was taken before.
  bool pop(Message& message, Taken& before) {
    {
      std::unique_lock lock(mutex_);
      if (before.count == 0) {
        before.found_none = messages_.empty();
        has_message_.wait(lock, [&] { return !messages_.empty() || stopped(); });
      }
      if (messages_.empty() || stopped()) return false;
      message = messages_.front();
      messages_.pop_front();
    }
    not_full_.notify_one();
    return true;
  }

  const std::uint64_t size_;
  const bool bounds_flight_;
  std::mutex mutex_;
  std::condition_variable has_message_;
  std::condition_variable not_full_;
  std::condition_variable has_taken_;  ///< For producers with too many in flight.
  std::deque<Message> messages_;
  std::atomic<bool> stopped_{false};
};

}  // namespace threadping::queues
