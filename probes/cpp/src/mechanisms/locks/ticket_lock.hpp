#pragma once

#include <atomic>
#include <cstdint>

#include "mechanisms/lock.hpp"
#include "platform/pause.hpp"

namespace threadping::locks {

/// Who comes draws a number and waits for its turn (Reed and Kanodia, Synchronization with eventcounts and sequencers,
/// 1979; Mellor-Crummey and Scott, 1991): fair, in the order of arrival. Two words in one line: all waiters read it,
/// and each release takes it from all of them.
///
/// The number drawn needs no ordering; the release store of the next turn publishes what the holder wrote, and the
/// acquiring load that finds its own number sees it. Only the holder writes the turn, so it may add without a locked
/// operation.
class TicketLock : public UsedAlike {
 public:
  static constexpr std::string_view kName = "ticket-lock";
  static constexpr bool kBlocking = false;

  void acquire(Own /*own*/) {
    const std::uint32_t mine = next_.fetch_add(1, std::memory_order_relaxed);
    while (turn_.load(std::memory_order_acquire) != mine) platform::pause();
  }
  void release(Own /*own*/) { turn_.store(turn_.load(std::memory_order_relaxed) + 1, std::memory_order_release); }

 private:
  std::atomic<std::uint32_t> next_ = 0;
  std::atomic<std::uint32_t> turn_ = 0;
};

}  // namespace threadping::locks
