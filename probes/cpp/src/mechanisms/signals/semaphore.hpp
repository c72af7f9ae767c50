#pragma once

#include <semaphore.h>

#include <cerrno>
#include <string_view>

#include "mechanisms/signals/tokens.hpp"
#include "platform/memory.hpp"

namespace threadping::signals {

/// The permits of a POSIX semaphore (sem_post, sem_wait).
class Permits {
 public:
  explicit Permits(platform::Sharing sharing) {
    sem_init(&permits_, sharing == platform::Sharing::processes ? 1 : 0, 0);
  }
  Permits(const Permits&) = delete;
  Permits& operator=(const Permits&) = delete;
  ~Permits() { sem_destroy(&permits_); }

  void give() { sem_post(&permits_); }
  void take() {
    while (sem_wait(&permits_) != 0 && errno == EINTR) {
    }
  }

 private:
  sem_t permits_{};
};

/// A POSIX semaphore, which has a permit for each number.
struct Semaphore : WithTokens<Permits> {
  static constexpr std::string_view kName = "semaphore";
  static constexpr bool kBetweenProcesses = true;
};

}  // namespace threadping::signals
