#pragma once

#include <atomic>
#include <cstdint>

#include "lock/mechanism.hpp"
#include "platform/pause.hpp"

namespace threadping::lock {

/// Who comes draws a number and waits for its turn (Reed and Kanodia, Synchronization with eventcounts and sequencers,
/// 1979; Mellor-Crummey and Scott, 1991): fair, in the order of arrival. Two words in one line: all waiters read it,
/// and each release takes it from all of them.
///
/// The number drawn needs no ordering; the release store of the next turn publishes what the holder wrote, and the
/// acquiring load that finds its own number sees it. Only the holder writes the turn, so it may add without a locked
/// operation.
class TicketLock : public UsedAlike {
 public:
  using UsedAlike::UsedAlike;

  static constexpr MechanismInfo kInfo{
      .name = "ticket-lock",
      .summary = "Threads draw numbers and wait, with PAUSE, for their turn: first come, first served.",
      .cpu_cost =
          "Burns the CPU of every waiting thread; fair, but with more threads than CPUs the next in line may be "
          "asleep.",
      .blocking = false,
      .timed = kWait,
      .lines = kLines,
      .params = kParams,
  };

  void acquire(Own /*own*/) {
    const std::uint32_t mine = next_.fetch_add(1, std::memory_order_relaxed);
    while (turn_.load(std::memory_order_acquire) != mine) platform::pause();
  }
  void release(Own /*own*/) { turn_.store(turn_.load(std::memory_order_relaxed) + 1, std::memory_order_release); }

 private:
  std::atomic<std::uint32_t> next_ = 0;
  std::atomic<std::uint32_t> turn_ = 0;
};

}  // namespace threadping::lock
