#pragma once

#include <array>
#include <string_view>
#include <utility>
#include <vector>

#include "experiments/wakeup/players.hpp"
#include "mechanisms/signal.hpp"

namespace threadping::wakeup {

inline constexpr std::int64_t kLongestPause = 100'000;

/// The bytes that a notifier fills before each call, and the microseconds that it and its waiter pause before; the
/// defaults are the published ones.
inline constexpr std::array<engine::ParamInfo, 3> kParams{{
    {.name = "message-bytes", .number = 4096, .most = 1'048'576},
    {.name = "pause", .number = 1000, .most = kLongestPause},
    {.name = "waiter-pause", .number = 10, .most = kLongestPause},
}};
template <class S>
constexpr auto kParamsOf = engine::params_with<S>(kParams);

inline constexpr std::array<std::string_view, 1> kTallies{"wake-ups"};
inline constexpr std::array<engine::Role, 2> kRoles{
    {{.name = "notifier", .counts = true}, {.name = "waiter", .counts = false, .tallies = kTallies}}};
inline constexpr std::array<std::string_view, 2> kTimed{"call", "wake"};

/// The mechanism of a signal.
inline constexpr auto kMechanism = []<class S>() -> engine::Mechanism {
  return {.name = S::kName,
          .blocking = true,
          .timed = kTimed,
          .lines = 1,
          .params = kParamsOf<S>,
          .make = [](const engine::Setup& setup) -> std::unique_ptr<engine::Stage> {
            return std::make_unique<WakeupStage<S>>(setup);
          }};
};

/// The experiment, with these mechanisms.
inline engine::Experiment declared(std::vector<engine::Mechanism> mechanisms) {
  return {
      .name = "wakeup",
      .roles = kRoles,
      .least_threads = 2,
      .most_threads = contract::kMostThreads,
      .windows = contract::Unit::ns,
      .stalled = "No waiter wakes any more: a call was lost.",
      .stream = true,
      .mechanisms = std::move(mechanisms),
  };
}

}  // namespace threadping::wakeup
