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

/// Polls again at once: the fastest to see the news, and the greediest. A waiting side keeps asking for the line.
///
/// A wait is a small value that holds its parameters; its Turn is made when a turn begins, where the caller polls
/// one line only with that line, and called after each poll that found nothing new.
struct Spin {
  explicit Spin(const engine::Params& /*params*/) {}

  struct Turn {
    explicit Turn(const Spin& /*wait*/, const void* /*line*/ = nullptr) {}
    void operator()() const {}
  };
};

/// Pauses some times between two polls: leaves the line to the writer and the core to its other hardware thread. How
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

/// The names of all waits.
inline constexpr std::array<std::string_view, 7> kWaits{"spin",   "pause",  "yield",   "backoff",
                                                        "tpause", "umwait", "monitorx"};

/// Every wait that takes longer between two polls than it takes to ask which of them it is; so loops are compiled once
/// for all of these.
template <class Cpu = platform::Resting>
struct Rest {
  /// In the order of their names.
  enum class How : std::uint8_t {
    /// Offers the CPU to any other thread between two polls: a system call each time, but two threads on one CPU take
    /// turns without waiting for a time slice to end.
    yield = 2,
    /// Spins, then yields, then sleeps for ever longer: little latency while the other side is quick, little CPU time
    /// when it is not. Agrona's BackoffIdleStrategy with its defaults (DEFAULT_MAX_SPINS, DEFAULT_MAX_YIELDS,
    /// DEFAULT_MIN_PARK_PERIOD_NS, DEFAULT_MAX_PARK_PERIOD_NS). Nobody wakes the thread: it polls again by itself.
    backoff,
    /// Rests the CPU, which saves power, as Pause does, but for some hundred nanoseconds in any case;
    tpause,
    /// or, as the last, until the line is written that it polls, or for some ten microseconds. A line is watched
    /// from one poll on, and the rest follows the next: no write falls between a poll and the rest.
    umwait,
    monitorx,
  } how;

  explicit Rest(const engine::Params& params)
      : how(static_cast<How>(std::ranges::find(kWaits, params.text("wait")) - kWaits.begin())) {}

  class Turn {
   public:
    explicit Turn(const Rest& wait, const void* line = nullptr) : wait_(wait), line_(line) {}

    void operator()() { rest(wait_, line_, polls_++); }

    /// Not inlined, and nothing of it is read before: so a thread that need not wait runs no code of it.
    [[gnu::noinline]] static void rest(const Rest& wait, const void* line, std::uint64_t polls) {
      const bool watches = polls % 2 == 0;
      switch (wait.how) {
        case How::yield: sched_yield(); break;
        case How::backoff: back_off(polls); break;
        case How::tpause: Cpu::tpause(kTicks); break;
        case How::umwait: watches ? Cpu::umonitor(line) : Cpu::umwait(kMostTicks); break;
        case How::monitorx: watches ? Cpu::monitorx(line) : Cpu::mwaitx(kMostTicks); break;
      }
    }

   private:
    static constexpr std::uint64_t kTicks = 500;
    static constexpr std::uint64_t kMostTicks = 50'000;

    static void back_off(std::uint64_t polls) {
      constexpr std::uint64_t kSpins = 10;
      constexpr std::uint64_t kYields = 5;
      constexpr long kShortestPark = 1'000;
      constexpr long kLongestPark = 1'000'000;
      constexpr std::uint64_t kDoublings = 10;  // after which a park is the longest
      if (polls < kSpins) return platform::pause();
      if (polls < kSpins + kYields) return static_cast<void>(sched_yield());
      const std::uint64_t doublings = std::min(polls - kSpins - kYields, kDoublings);
      const timespec park{.tv_sec = 0, .tv_nsec = std::min(kShortestPark << doublings, kLongestPark)};
      nanosleep(&park, nullptr);
    }

    const Rest& wait_;
    const void* line_;
    std::uint64_t polls_ = 0;
  };
};

/// Pause or Rest, as the parameters say, for experiments with many long loops: one more instance of each would take the
/// compiler seconds. Each poll asks which of them it is, also where it pauses.
struct PauseOrRest {
  std::int64_t pauses;  ///< 0: it rests.
  Rest<> rest;

  explicit PauseOrRest(const engine::Params& params)
      : pauses(params.text("wait") == "pause" ? params.number("pauses") : 0), rest(params) {}

  class Turn {
   public:
    explicit Turn(const PauseOrRest& wait, const void* line = nullptr) : wait_(wait), line_(line) {}

    void operator()() { pause_or_rest(wait_, line_, polls_++); }

   private:
    /// Not inlined, for the reason that Rest has.
    [[gnu::noinline]] static void pause_or_rest(const PauseOrRest& wait, const void* line, std::uint64_t polls) {
      if (wait.pauses == 0) return Rest<>::Turn::rest(wait.rest, line, polls);
      for (std::int64_t left = wait.pauses; left > 0; --left) platform::pause();
    }

    const PauseOrRest& wait_;
    const void* line_;
    std::uint64_t polls_ = 0;
  };
};

/// What a CPU needs that waits so, where it lacks it; empty where it can.
inline std::string_view needs(std::string_view wait, const platform::Resting& cpu) {
  if ((wait == "tpause" || wait == "umwait") && !cpu.has_waitpkg) return "a CPU with waitpkg";
  if (wait == "monitorx" && !cpu.has_monitorx) return "a CPU with MONITORX";
  return "";
}

/// What a wait needs that this CPU lacks. CPUID is asked once: a hypervisor answers it slowly.
inline std::string_view needs(std::string_view wait) {
  static const platform::Resting here = platform::Resting::here();
  return needs(wait, here);
}

/// Whether a thread that polls with these parameters ever leaves its CPU idle.
inline bool sleeps(const engine::Params& params) { return params.has("wait") && params.text("wait") == "backoff"; }

/// The parameters by which a request chooses a wait; a thread that polls several lines cannot watch one.
inline constexpr engine::ParamInfo kWait{.name = "wait", .choices = std::span(kWaits).first<5>()};
inline constexpr engine::ParamInfo kWaitAtLine{.name = "wait", .choices = kWaits};
inline constexpr engine::ParamInfo kPauses{
    .name = "pauses", .number = 1, .least = 1, .most = 10'000, .only_with = {.param = "wait", .value = "pause"}};

/// Throws Failure(unsupported) for a wait that this CPU lacks.
inline void refuse_lacking(std::string_view wait) {
  if (const std::string_view needed = needs(wait); !needed.empty())
    throw Failure(ErrorCode::unsupported, "wait=" + std::string(wait) + " needs " + std::string(needed) + ".");
}

/// Calls `visit` as a template over the wait that these parameters name: `visit.template operator()<Spin>()`.
/// Throws Failure(unsupported) for one that this CPU lacks.
template <class Visit>
auto with_wait(const engine::Params& params, Visit visit) {
  const std::string_view wait = params.text("wait");
  refuse_lacking(wait);
  if (wait == "spin") return visit.template operator()<Spin>();
  if (wait == "pause") return visit.template operator()<Pause>();
  return visit.template operator()<Rest<>>();
}

/// As with_wait(), over two types in place of three.
template <class Visit>
auto with_spin_or_other(const engine::Params& params, Visit visit) {
  const std::string_view wait = params.text("wait");
  refuse_lacking(wait);
  if (wait == "spin") return visit.template operator()<Spin>();
  return visit.template operator()<PauseOrRest>();
}

}  // namespace threadping::waits
