#pragma once

#include <atomic>
#include <string_view>

#include "mechanisms/signals/bell.hpp"

namespace threadping::signals {

/// C++20's atomic wait and notify_one: the standard library's futex, which in libstdc++ spins and yields for a while
/// before it sleeps, and whose notify_one makes no system call when nobody waits. An int, because libstdc++ waits for
/// one directly, and for anything wider through a table of proxies that all atomics share.
struct AtomicWait : WithBell<AtomicWait, int> {
  static constexpr std::string_view kName = "atomic-wait";

  static void sleep(const Bell& bell, int rung) { bell.wait(rung, std::memory_order_acquire); }
  static void ring(Bell& bell) {
    bell.fetch_add(1, std::memory_order_seq_cst);
    bell.notify_one();
  }
};

}  // namespace threadping::signals
