#pragma once

#include <array>
#include <memory>
#include <span>
#include <string_view>
#include <utility>
#include <vector>

#include "experiments/lock/players.hpp"

namespace threadping::lock {

inline constexpr std::int64_t kMostSteps = 1'000'000;

/// Steps of work before each increment, inside the lock where there is one, and between two operations of a thread.
inline constexpr std::array<engine::ParamInfo, 2> kParams{{
    {.name = "critical", .most = kMostSteps},
    {.name = "outside", .most = kMostSteps},
}};

inline constexpr std::uint32_t kLines = 8;
inline constexpr std::array<std::string_view, 1> kAcquire{"acquire"};
inline constexpr std::array<std::string_view, 1> kIncrement{"increment"};

/// Of M, and behind them those of the experiment.
template <class M>
constexpr auto kParamsOf = engine::params_with<M>(kParams);

template <class Cell, class M>
engine::Mechanism mechanism(std::string_view name, bool blocking, std::span<const std::string_view> timed) {
  return {.name = name,
          .blocking = blocking,
          .timed = timed,
          .lines = kLines,
          .params = kParamsOf<M>,
          .make = [](const engine::Setup& setup) -> std::unique_ptr<engine::Stage> {
            return std::make_unique<LockStage<Cell>>(setup);
          }};
}

template <locks::Lock L>
engine::Mechanism guarded() {
  return mechanism<locks::Guarded<L>, L>(L::kName, L::kBlocking, kAcquire);
}

template <locks::UnlockedCounter C>
engine::Mechanism unguarded() {
  return mechanism<locks::Unguarded<C>, C>(C::kName, C::kBlocking, kIncrement);
}

inline constexpr std::array<std::string_view, 1> kTallies{"hand-overs"};
inline constexpr std::array<engine::Role, 1> kRoles{{{.name = "worker", .counts = true, .tallies = kTallies}}};

/// The experiment, with these mechanisms.
inline engine::Experiment declared(std::vector<engine::Mechanism> mechanisms) {
  return {
      .name = "lock",
      .roles = kRoles,
      .least_threads = 1,
      .most_threads = contract::kMostThreads,
      .windows = contract::Unit::ns,
      .stalled = "No thread gets the lock any more: a release was lost, or the lock deadlocks.",
      .mechanisms = std::move(mechanisms),
  };
}

}  // namespace threadping::lock
