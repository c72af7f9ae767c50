#pragma once

#include <array>
#include <cstddef>
#include <memory>
#include <string_view>
#include <utility>
#include <vector>

#include "experiments/load/players.hpp"
#include "mechanisms/queue.hpp"
#include "mechanisms/signal.hpp"
#include "waits/waits.hpp"

namespace threadping::load {

inline constexpr std::array<std::string_view, 2> kSenders{"spin", "sleep"};

/// The parameters of every mechanism, behind its own. The size is small compared with queue's: few messages are on
/// their way, and the notes of more would not fit into the sender's caches.
inline constexpr std::array<engine::ParamInfo, 6> kParams{{
    {.name = "arrivals", .choices = kArrivals},
    {.name = "rate", .number = 10'000, .least = 10, .most = 20'000'000},
    {.name = "burst",
     .number = 10,
     .least = 1,
     .most = 10'000,
     .only_with = {.param = "arrivals", .value = kArrivals[static_cast<std::size_t>(Arrivals::bursts)]}},
    {.name = "idle",
     .choices = kGaps,
     .only_with = {.param = "arrivals", .value = kArrivals[static_cast<std::size_t>(Arrivals::idle)]}},
    {.name = "sender", .choices = kSenders},
    {.name = "size", .number = 1024, .least = 2, .most = 1'048'576},
}};
template <class S>
constexpr auto kParamsOf = engine::params_with<S>(kParams);

inline constexpr std::array<std::string_view, 1> kTimed{"latency"};

template <class L>
[[gnu::noinline]] std::unique_ptr<engine::Stage> stage_of(const engine::Setup& setup) {
  return std::make_unique<LoadStage<L>>(setup);
}

/// The mechanism of a signal whose awaiter sleeps.
inline constexpr auto kSleeping = []<class S>() -> engine::Mechanism {
  return {.name = S::kName,
          .blocking = true,
          .timed = kTimed,
          .lines = 1,
          .params = kParamsOf<S>,
          .make = stage_of<SignalLink<S>>};
};

/// What has no parameters of its own but how it waits.
struct Waits {
  static constexpr std::array<engine::ParamInfo, 2> kParams{waits::kWait, waits::kPauses};
};

/// The mechanism of a queue, which waits by itself or with every wait.
inline constexpr auto kQueue = []<template <class> class Q>() -> engine::Mechanism {
  constexpr queues::Traits kTraits = Q<queues::Bare>::kTraits;
  engine::Mechanism mechanism{.name = kTraits.name,
                              .blocking = kTraits.blocking,
                              .timed = kTimed,
                              .lines = 1,
                              .params = kParams,
                              .make = nullptr};
  if constexpr (queues::PolledQueue<Q<queues::Bare>>) mechanism.params = kParamsOf<Waits>;
  mechanism.make = [](const engine::Setup& setup) {
    return queues::with_wait<Q<queues::Bare>>(setup.params,
                                              [&]<class Waiting> { return stage_of<QueueLink<Waiting>>(setup); });
  };
  return mechanism;
};

inline constexpr std::array<engine::Role, 2> kRoles{
    {{.name = "sender", .counts = false, .numbers = kIdle}, {.name = "receiver", .counts = true, .numbers = kNumbers}}};

/// The experiment, with these mechanisms.
inline engine::Experiment declared(std::vector<engine::Mechanism> mechanisms) {
  return {
      .name = "load",
      .roles = kRoles,
      .least_threads = 2,
      .most_threads = 2,
      .windows = contract::Unit::ns,
      .stalled = "No message arrives any more: one was lost.",
      .stream = true,
      .open_loop = true,
      .mechanisms = std::move(mechanisms),
  };
}

}  // namespace threadping::load
