#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>

/// A fork-join: one thread, the coordinator, releases others, its workers, and waits for all: round by round, from 1 on.
class MyBarrier {
 public:
  /// Whether a thread that waits sleeps in the kernel.
  static constexpr bool kBlocking = true;

  /// `workers`: their number, without the coordinator.
  explicit MyBarrier(std::size_t workers) : workers_(workers) {}

  /// The coordinator's: releases all workers, which see all that was written before. It may wait until they have come.
  void release(std::uint64_t round) {
    round_.store(round, std::memory_order_release);
    round_.notify_all();
  }

  /// A worker's, 0, 1, 2, ...: returns once it is released for this round. Each takes part in all of them, in order.
  void await(std::size_t worker, std::uint64_t round) const {
    static_cast<void>(worker);
    wait_until(round_, round);
  }

  /// A worker's: it has done its part.
  void arrive(std::size_t worker, std::uint64_t round) {
    static_cast<void>(worker);
    if (arrived_.fetch_add(1, std::memory_order_acq_rel) + 1 >= round * workers_) arrived_.notify_all();
  }

  /// The coordinator's: returns once all have arrived in this round, and sees all that they wrote.
  void join(std::uint64_t round) const { wait_until(arrived_, round * workers_); }

  /// Ends every wait, now and later. Any thread calls it, again and again until all have ended.
  void stop() {
    for (auto* one : {&round_, &arrived_}) {
      one->store(kStopped);
      one->notify_all();
    }
  }

 private:
  static constexpr std::uint64_t kStopped = std::uint64_t{1} << 62;

  static void wait_until(const std::atomic<std::uint64_t>& number, std::uint64_t wanted) {
    for (std::uint64_t seen = 0; (seen = number.load(std::memory_order_acquire)) < wanted;) number.wait(seen);
  }

  const std::size_t workers_;
  alignas(128) std::atomic<std::uint64_t> round_{0};
  alignas(128) std::atomic<std::uint64_t> arrived_{0};
};
