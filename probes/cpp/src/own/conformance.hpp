#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <string>

#include "mechanisms/message.hpp"

// The contract of a mechanism, checked before it is measured: each check ends the process with the first breach that it
// saw, in a sentence, or comes back. A check takes a second or two; where nothing moves for some seconds it says
// so. None of it can prove that a mechanism is right.

namespace threadping::own {

/// What is sent: all its words are its id's.
using Letter = queues::Small;

/// The number of threads that send at once to a queue of many producers.
inline constexpr std::size_t kProducers = 3;

class AnySignal {
 public:
  AnySignal() = default;
  AnySignal(const AnySignal&) = delete;
  AnySignal& operator=(const AnySignal&) = delete;
  virtual ~AnySignal() = default;
  virtual void publish(std::uint64_t number) = 0;
  virtual std::uint64_t await(std::uint64_t number) = 0;
  virtual void stop() = 0;
  [[nodiscard]] virtual std::uint64_t peek() const = 0;

  std::string awaiting = "await";  ///< What await() is called where it is written.
};

class AnyLock {
 public:
  AnyLock() = default;
  AnyLock(const AnyLock&) = delete;
  AnyLock& operator=(const AnyLock&) = delete;
  virtual ~AnyLock() = default;
  virtual void hold(const std::function<void()>& critical) = 0;
};

class AnyBarrier {
 public:
  AnyBarrier() = default;
  AnyBarrier(const AnyBarrier&) = delete;
  AnyBarrier& operator=(const AnyBarrier&) = delete;
  virtual ~AnyBarrier() = default;
  virtual void release(std::uint64_t round) = 0;
  virtual void await(std::size_t worker, std::uint64_t round) = 0;
  virtual void arrive(std::size_t worker, std::uint64_t round) = 0;
  virtual void join(std::uint64_t round) = 0;
  virtual void stop() {}  ///< For a signal that can be stopped.
};

/// What is known of a barrier: how it is made for a number of workers, whether stop() ends its waits, and whether it
/// has arrive_and_wait() alone.
struct BarrierUnderTest {
  std::function<std::unique_ptr<AnyBarrier>(std::size_t workers)> make;
  bool stops;
  bool is_barrier = false;
};

/// One that waits, and one that waits for nothing made wait by asking again.
class AnyQueue {
 public:
  AnyQueue() = default;
  AnyQueue(const AnyQueue&) = delete;
  AnyQueue& operator=(const AnyQueue&) = delete;
  virtual ~AnyQueue() = default;
  virtual bool send(const Letter& letter) = 0;
  virtual bool take(Letter& letter) = 0;
  virtual void stop() {}  ///< For a queue that waits.
};

/// What is known of a queue: what its operations are called, and what it says of itself.
struct QueueUnderTest {
  std::function<std::unique_ptr<AnyQueue>(std::size_t size)> make;
  bool many_producers;
  bool bounded;
  /// For a queue that does not wait: pushes until it is full, at most `most` times; gives how often.
  std::function<std::size_t(std::size_t size, std::size_t most)> fill;

  // What is said of it: what its operations are called, and how it says that it is never full.
  std::string send = "send()";
  std::string take = "take()";
  std::string unbounded = "static constexpr bool kBounded = false;";

  [[nodiscard]] bool waits() const { return fill == nullptr; }
};

void check_signal(const std::function<std::unique_ptr<AnySignal>()>& make);
void check_lock(const std::function<std::unique_ptr<AnyLock>()>& make);
void check_queue(const QueueUnderTest& of);
void check_barrier(const BarrierUnderTest& of);

}  // namespace threadping::own
