#pragma once

#include <sched.h>

#include <algorithm>
#include <array>
#include <cstdint>
#include <ctime>
#include <span>
#include <string>
#include <string_view>

#include "engine/params.hpp"
#include "failure.hpp"
#include "platform/pause.hpp"

namespace threadping::waits {

/// Looks again at once: the quickest to see the news, and the greediest. A waiting side keeps asking for the line.
///
/// A wait is a small value that holds its parameters; its Turn is made when a turn begins, where the caller looks at
/// one line only with that line, and called after each look that found nothing new.
struct Spin {
  explicit Spin(const engine::Params& /*params*/) {}

  struct Turn {
    explicit Turn(const Spin& /*wait*/, const void* /*line*/ = nullptr) {}
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
    explicit Turn(const Pause& wait, const void* /*line*/ = nullptr) : pauses(wait.pauses) {}
    void operator()() const {
      for (std::int64_t left = pauses; left > 0; --left) platform::pause();
    }
  };
};

/// Rests between two looks, so that the CPU saves power: with TPAUSE as Pause does, for some hundred nanoseconds
/// in any case; with UMWAIT or MWAITX until the line is written at which it looks, or for some ten
/// microseconds. A line is watched from one look on, and the rest follows the next: no write falls between a look and
/// the rest.
template <class Cpu = platform::Resting>
struct Rest {
  enum class How { tpause, umwait, monitorx } how;

  explicit Rest(const engine::Params& params) : how(how_of(params.text("wait"))) {}

  static How how_of(std::string_view wait) {
    if (wait == "umwait") return How::umwait;
    return wait == "monitorx" ? How::monitorx : How::tpause;
  }

  class Turn {
   public:
    static constexpr std::uint64_t kTicks = 500;
    static constexpr std::uint64_t kMostTicks = 50'000;

    explicit Turn(const Rest& wait, const void* line = nullptr) : how_(wait.how), line_(line) {}

    void operator()() {
      if (how_ == How::tpause) return Cpu::tpause(kTicks);
      watches_ = !watches_;
      if (how_ == How::umwait) return watches_ ? Cpu::umonitor(line_) : Cpu::umwait(kMostTicks);
      return watches_ ? Cpu::monitorx(line_) : Cpu::mwaitx(kMostTicks);
    }

   private:
    How how_;
    const void* line_;
    bool watches_ = false;
  };
};

/// Offers the CPU to any other thread between two looks: a system call each time, but two threads on one CPU take turns
/// without waiting for a time slice to end.
struct Yield {
  explicit Yield(const engine::Params& /*params*/) {}

  struct Turn {
    explicit Turn(const Yield& /*wait*/, const void* /*line*/ = nullptr) {}
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
    explicit Turn(const Backoff& /*wait*/, const void* /*line*/ = nullptr) {}

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

inline constexpr std::array<std::string_view, 7> kWaits{"spin",   "pause",  "yield",   "backoff",
                                                        "tpause", "umwait", "monitorx"};

/// What a CPU needs that waits so, where it lacks it; empty where it can.
inline std::string_view needs(std::string_view wait, const platform::Resting& cpu) {
  if ((wait == "tpause" || wait == "umwait") && !cpu.has_waitpkg) return "a CPU with waitpkg";
  if (wait == "monitorx" && !cpu.has_monitorx) return "a CPU with MONITORX";
  return "";
}

/// The same of this CPU, which is asked once: a hypervisor answers CPUID slowly.
inline std::string_view needs(std::string_view wait) {
  static const platform::Resting here = platform::Resting::here();
  return needs(wait, here);
}

/// Whether a thread with these parameters ever leaves its CPU idle while it waits.
inline bool sleeps(const engine::Params& params) { return !params.has("wait") || params.text("wait") == "backoff"; }

/// The parameters by which a request chooses a wait; a thread that looks at several lines cannot watch one.
inline constexpr engine::ParamInfo kWait{.name = "wait", .choices = std::span(kWaits).first<5>()};
inline constexpr engine::ParamInfo kWaitAtLine{.name = "wait", .choices = kWaits};
inline constexpr engine::ParamInfo kPauses{
    .name = "pauses", .number = 1, .least = 1, .most = 10'000, .only_with = {.param = "wait", .value = "pause"}};

/// Calls `visit` as a template over the wait that these parameters name: `visit.template operator()<Spin>()`.
/// Throws Failure(unsupported) for one that this CPU lacks.
template <class Visit>
auto with_wait(const engine::Params& params, Visit visit) {
  const std::string_view wait = params.text("wait");
  if (const std::string_view needed = needs(wait); !needed.empty())
    throw Failure(ErrorCode::unsupported, "wait=" + std::string(wait) + " needs " + std::string(needed) + ".");
  if (wait == "tpause" || wait == "umwait" || wait == "monitorx") return visit.template operator()<Rest<>>();
  if (wait == "pause") return visit.template operator()<Pause>();
  if (wait == "yield") return visit.template operator()<Yield>();
  if (wait == "backoff") return visit.template operator()<Backoff>();
  return visit.template operator()<Spin>();
}

}  // namespace threadping::waits
