#pragma once

#include <sched.h>

#include <algorithm>
#include <array>
#include <cstdint>
#include <ctime>
#include <string>
#include <string_view>

#include "engine/params.hpp"
#include "failure.hpp"
#include "platform/pause.hpp"

namespace threadping::waits {

/// Looks again at once: the quickest to see the news, and the greediest. A waiting side keeps asking for the line.
///
/// A wait is a small value that holds its parameters; its Turn is made when a turn begins, and called after each look
/// that found nothing new.
struct Spin {
  explicit Spin(const engine::Params& /*params*/) {}

  struct Turn {
    explicit Turn(const Spin& /*wait*/) {}
    void operator()() const {}
  };
};

/// Pauses some times between two looks: leaves the line to the writer and the core to its other hardware thread. How
/// long a PAUSE takes is the CPU's: some ten cycles before Intel's Skylake, some 140 since (Intel 64 and IA-32
/// Architectures Optimization Reference Manual, "Pause Latency in Skylake").
struct Pause {
  std::int64_t pauses;

  explicit Pause(const engine::Params& params) : pauses(params.number("pauses")) {}

  struct Turn {
    std::int64_t pauses;
    explicit Turn(const Pause& wait) : pauses(wait.pauses) {}
    void operator()() const {
      for (std::int64_t left = pauses; left > 0; --left) platform::pause();
    }
  };
};

/// Rests between two looks, for some hundred nanoseconds whatever happens meanwhile: as Pause, but the CPU saves power.
struct Tpause {
  explicit Tpause(const engine::Params& /*params*/) {}

  struct Turn {
    static constexpr std::uint64_t kTicks = 500;
    explicit Turn(const Tpause& /*wait*/) {}
    void operator()() const { platform::tpause(kTicks); }
  };
};

/// Offers the CPU to any other thread between two looks: a system call each time, but two threads on one CPU take turns
/// without waiting for a time slice to end.
struct Yield {
  explicit Yield(const engine::Params& /*params*/) {}

  struct Turn {
    explicit Turn(const Yield& /*wait*/) {}
    void operator()() const { sched_yield(); }
  };
};

/// Spins, then yields, then sleeps for ever longer: little latency while the other side is quick, little CPU time when
/// it is not. Agrona's BackoffIdleStrategy with its defaults (DEFAULT_MAX_SPINS, DEFAULT_MAX_YIELDS,
/// DEFAULT_MIN_PARK_PERIOD_NS, DEFAULT_MAX_PARK_PERIOD_NS). Nobody wakes the sleeper: it looks again by itself.
struct Backoff {
  explicit Backoff(const engine::Params& /*params*/) {}

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

inline constexpr std::array<std::string_view, 5> kWaits{"spin", "pause", "yield", "backoff", "tpause"};

/// Why this CPU cannot wait so, in a sentence; empty where it can.
inline std::string_view lacking(std::string_view wait) {
  return wait == "tpause" && !platform::has_tpause() ? "This CPU has no TPAUSE (waitpkg)." : "";
}

/// The parameters by which a request chooses a wait.
inline constexpr engine::ParamInfo kWait{.name = "wait", .choices = kWaits};
inline constexpr engine::ParamInfo kPauses{
    .name = "pauses", .number = 1, .least = 1, .most = 10'000, .only_with = {.param = "wait", .value = "pause"}};

/// Calls `visit` as a template over the wait that these parameters name: `visit.template operator()<Spin>()`.
/// Throws Failure(unsupported) for one that this CPU lacks.
template <class Visit>
auto with_wait(const engine::Params& params, Visit visit) {
  const std::string_view wait = params.text("wait");
  if (const std::string_view why = lacking(wait); !why.empty()) throw Failure(ErrorCode::unsupported, std::string(why));
  if (wait == "tpause") return visit.template operator()<Tpause>();
  if (wait == "pause") return visit.template operator()<Pause>();
  if (wait == "yield") return visit.template operator()<Yield>();
  if (wait == "backoff") return visit.template operator()<Backoff>();
  return visit.template operator()<Spin>();
}

}  // namespace threadping::waits
