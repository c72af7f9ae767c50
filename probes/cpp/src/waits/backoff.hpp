#pragma once

#include <sched.h>

#include <algorithm>
#include <ctime>

#include "crew/experiment.hpp"
#include "platform/pause.hpp"

namespace threadping::waits {

/// Spins, then yields, then sleeps for ever longer: little latency while the other side is quick, little CPU time when
/// it is not. Agrona's BackoffIdleStrategy with its defaults (DEFAULT_MAX_SPINS, DEFAULT_MAX_YIELDS,
/// DEFAULT_MIN_PARK_PERIOD_NS, DEFAULT_MAX_PARK_PERIOD_NS). Nobody wakes the sleeper: it looks again by itself.
struct Backoff {
  explicit Backoff(const crew::Params& /*params*/) {}

  class Turn {
   public:
    explicit Turn(const Backoff& /*wait*/) {}

    void operator()() {
      if (looks_ < kSpins) {
        platform::pause();
      } else if (looks_ < kSpins + kYields) {
        sched_yield();
      } else {
        const timespec period{.tv_sec = 0, .tv_nsec = park_ns_};
        nanosleep(&period, nullptr);
        park_ns_ = std::min(2 * park_ns_, kLongestPark);
      }
      ++looks_;
    }

   private:
    static constexpr int kSpins = 10;
    static constexpr int kYields = 5;
    static constexpr long kShortestPark = 1'000;
    static constexpr long kLongestPark = 1'000'000;

    int looks_ = 0;
    long park_ns_ = kShortestPark;
  };
};

}  // namespace threadping::waits
