#include "platform/futex.hpp"

#include <linux/futex.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <cerrno>
#include <ctime>

namespace threadping::platform {
namespace {

/// The kernel finds a word of one process by its address alone, which is quicker than by its page.
int operation(int futex, Sharing sharing) { return sharing == Sharing::threads ? futex | FUTEX_PRIVATE_FLAG : futex; }

}  // namespace

void futex_wait(std::atomic<std::uint32_t>& word, std::uint32_t value, Sharing sharing) {
  syscall(SYS_futex, &word, operation(FUTEX_WAIT, sharing), value, nullptr, nullptr, 0);
}

bool futex_wait_until(std::atomic<std::uint32_t>& word, std::uint32_t value, Sharing sharing, std::uint64_t until_ns) {
  const timespec until{.tv_sec = static_cast<time_t>(until_ns / 1'000'000'000U),
                       .tv_nsec = static_cast<long>(until_ns % 1'000'000'000U)};
  return syscall(SYS_futex, &word, operation(FUTEX_WAIT_BITSET, sharing), value, &until, nullptr,
                 FUTEX_BITSET_MATCH_ANY) == 0 ||
         errno != ETIMEDOUT;
}

void futex_wake(std::atomic<std::uint32_t>& word, Sharing sharing, int most) {
  syscall(SYS_futex, &word, operation(FUTEX_WAKE, sharing), most, nullptr, nullptr, 0);
}

}  // namespace threadping::platform
