#pragma once

#include <array>
#include <memory>
#include <span>
#include <string_view>
#include <utility>
#include <vector>

#include "experiments/lock/players.hpp"
#include "experiments/lock/sharing.hpp"

namespace threadping::lock {

inline constexpr std::int64_t kMostSteps = 1'000'000;

/// Steps of work before each increment, inside the lock where there is one, and between two operations of a thread.
inline constexpr std::array<engine::ParamInfo, 2> kParams{{
    {.name = "critical", .most = kMostSteps},
    {.name = "outside", .most = kMostSteps},
}};

/// The parameters of a lock, with the writers: how many of the threads, and what share of their operations.
inline constexpr std::array<engine::ParamInfo, 4> kParamsOfLocks{{
    kParams[0],
    kParams[1],
    {.name = "writers", .number = contract::kMostThreads, .most = contract::kMostThreads},
    {.name = "writes", .number = Writing::kAll, .most = Writing::kAll},
}};

inline constexpr std::uint32_t kLines = 8;
inline constexpr std::array<std::string_view, 1> kAcquire{"acquire"};
inline constexpr std::array<std::string_view, 1> kIncrement{"increment"};

/// The parameters of M, followed by the experiment's.
template <class M, const auto& kMore>
// NOLINTNEXTLINE(readability-redundant-parentheses): those of a call
constexpr auto kParamsOf = engine::params_with<M>(kMore);

/// Threads that only write have loops of their own.
template <locks::Lock L>
engine::Mechanism guarded() {
  return {.name = L::kName,
          .blocking = L::kBlocking,
          .timed = kAcquire,
          .lines = kLines,
          .params = kParamsOf<L, kParamsOfLocks>,
          .make = [](const engine::Setup& setup) -> std::unique_ptr<engine::Stage> {
            if (Writing::is_shared(setup.params)) return std::make_unique<SharingStage<locks::Pair<L>>>(setup);
            return std::make_unique<LockStage<locks::Guarded<L>>>(setup);
          }};
}

template <locks::UnlockedCounter C>
engine::Mechanism unguarded() {
  return {.name = C::kName,
          .blocking = C::kBlocking,
          .timed = kIncrement,
          .lines = kLines,
          .params = kParamsOf<C, kParams>,
          .make = [](const engine::Setup& setup) -> std::unique_ptr<engine::Stage> {
            return std::make_unique<LockStage<locks::Unguarded<C>>>(setup);
          }};
}

inline constexpr std::array<std::string_view, 1> kTallies{"handoffs"};
inline constexpr std::array<engine::Role, 4> kRoles{{
    {.name = "contender", .counts = true, .tallies = kTallies},
    {.name = "reader", .counts = true, .numbers = kWaits},
    {.name = "writer", .counts = true, .numbers = kWaits},
    {.name = "reader-writer", .counts = true, .numbers = kWaits},
}};

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
