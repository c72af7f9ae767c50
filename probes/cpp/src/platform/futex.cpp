#include "platform/futex.hpp"

#include <linux/futex.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <ctime>
#include <string>

#include "failure.hpp"

namespace threadping::platform {
namespace {

/// The kernel finds a word of one process by its address alone, which is faster than by its page.
int operation(int futex, Sharing sharing) { return sharing == Sharing::threads ? futex | FUTEX_PRIVATE_FLAG : futex; }

/// Where the kernel does neither let it sleep nor say that it need not: a waiting thread would poll for ever.
[[noreturn, gnu::cold]] void refuse(const char* what) {
  throw Failure(ErrorCode::internal, std::string("The kernel does not ") + what + " by futex(2) (" +
                                         std::strerror(errno) +
                                         "): threads cannot wait for each other here. A sandbox may forbid it.");
}

/// The word was another by then, or a signal came.
bool need_not_sleep() { return errno == EAGAIN || errno == EINTR; }

}  // namespace

void futex_wait(std::atomic<std::uint32_t>& word, std::uint32_t value, Sharing sharing) {
  if (syscall(SYS_futex, &word, operation(FUTEX_WAIT, sharing), value, nullptr, nullptr, 0) != 0 && !need_not_sleep())
    refuse("let a thread sleep");
}

bool futex_wait_until(std::atomic<std::uint32_t>& word, std::uint32_t value, Sharing sharing, std::uint64_t until_ns) {
  const timespec until{.tv_sec = static_cast<time_t>(until_ns / 1'000'000'000U),
                       .tv_nsec = static_cast<long>(until_ns % 1'000'000'000U)};
  if (syscall(SYS_futex, &word, operation(FUTEX_WAIT_BITSET, sharing), value, &until, nullptr,
              FUTEX_BITSET_MATCH_ANY) == 0 ||
      need_not_sleep())
    return true;
  if (errno != ETIMEDOUT) refuse("let a thread sleep");
  return false;
}

void futex_wake(std::atomic<std::uint32_t>& word, Sharing sharing, int most) {
  if (syscall(SYS_futex, &word, operation(FUTEX_WAKE, sharing), most, nullptr, nullptr, 0) < 0) refuse("wake a thread");
}

}  // namespace threadping::platform
