#pragma once

#include <atomic>
#include <cstdint>

#include "platform/memory.hpp"

namespace threadping::platform {

/// Sleeps while `word` is `value`; may wake for no reason, as futex(2) may. Throws Failure(internal), as all of these
/// do, where the kernel refuses.
void futex_wait(std::atomic<std::uint32_t>& word, std::uint32_t value, Sharing sharing);

/// Like futex_wait(), until this time of the clock (now_ns) at the latest; false if it has passed.
bool futex_wait_until(std::atomic<std::uint32_t>& word, std::uint32_t value, Sharing sharing, std::uint64_t until_ns);

/// Wakes at most `most` threads that sleep at `word`.
void futex_wake(std::atomic<std::uint32_t>& word, Sharing sharing, int most = 1);

/// Lets one thread sleep until another, or another process that shares this, rings, or a time has passed.
class Bell {
 public:
  void ring() {
    ++rings_;
    futex_wake(rings_, Sharing::processes);
  }

  /// Sleeps until `done`, which is asked again at every ring; false if it was not so by then.
  template <class Done>
  [[nodiscard]] bool await(Done done, std::uint64_t until_ns) {
    while (true) {
      const std::uint32_t heard = rings_;
      if (done()) return true;
      if (!futex_wait_until(rings_, heard, Sharing::processes, until_ns)) return done();
    }
  }

 private:
  std::atomic<std::uint32_t> rings_ = 0;
};

}  // namespace threadping::platform
