#include <string_view>
#include <vector>

#include "experiments/all.hpp"
#include "experiments/paced/players.hpp"
#include "mechanisms/queues.hpp"
#include "mechanisms/signals.hpp"
#include "mechanisms/signals/counter.hpp"

namespace threadping::paced {
namespace {

using engine::ParamInfo;
using queues::Bare;

constexpr std::array<std::string_view, 2> kSenders{"spin", "sleep"};

/// Of every mechanism, behind its own. The size is small beside ring's: few messages are on their way, and the notes of
/// more would not fit into the sender's caches.
constexpr std::array<ParamInfo, 5> kParams{{
    {.name = "arrivals", .choices = kArrivals},
    {.name = "rate", .number = 10'000, .least = 10, .most = 20'000'000},
    {.name = "burst",
     .number = 10,
     .least = 1,
     .most = 10'000,
     .only_with = {.param = "arrivals", .value = kArrivals[static_cast<std::size_t>(Arrivals::bursts)]}},
    {.name = "sender", .choices = kSenders},
    {.name = "size", .number = 1024, .least = 2, .most = 1'048'576},
}};
template <class S>
constexpr auto kParamsOf = signals::params_with<S>(kParams);

/// What has no parameters of its own but how it waits.
struct Waits {
  static constexpr std::array<ParamInfo, 2> kParams{waits::kWait, waits::kPauses};
};

constexpr std::array<std::string_view, 1> kTimed{"latency"};

template <class L>
std::unique_ptr<engine::Stage> stage_of(const engine::Setup& setup) {
  return std::make_unique<PacedStage<L>>(setup);
}

/// A counter at which the receiver keeps looking, with every wait.
template <class Way>
engine::Mechanism spinning(std::string_view name) {
  return {.name = name,
          .blocking = false,
          .timed = kTimed,
          .lines = 1,
          .params = kParamsOf<signals::Counter<Way, waits::Spin>>,
          .make = [](const engine::Setup& setup) {
            return waits::with_wait(
                setup.params, [&]<class Wait> { return stage_of<SignalLink<signals::Counter<Way, Wait>>>(setup); });
          }};
}

constexpr auto kSleeping = []<class S>() -> engine::Mechanism {
  return {.name = S::kName,
          .blocking = true,
          .timed = kTimed,
          .lines = 1,
          .params = kParamsOf<S>,
          .make = stage_of<SignalLink<S>>};
};

constexpr auto kQueue = []<template <class> class Q>() -> engine::Mechanism {
  constexpr queues::Traits kTraits = Q<Bare>::kTraits;
  engine::Mechanism mechanism{.name = kTraits.name,
                              .blocking = kTraits.blocking,
                              .timed = kTimed,
                              .lines = 1,
                              .params = kParams,
                              .make = nullptr};
  if constexpr (queues::PolledQueue<Q<Bare>>) mechanism.params = kParamsOf<Waits>;
  mechanism.make = [](const engine::Setup& setup) {
    return queues::with_wait<Q<Bare>>(setup.params, [&]<class Waiting> { return stage_of<QueueLink<Waiting>>(setup); });
  };
  return mechanism;
};

constexpr std::array<engine::Role, 2> kRoles{
    {{.name = "sender", .counts = false, .numbers = kIdle}, {.name = "receiver", .counts = true, .numbers = kNumbers}}};

/// A new counter is a line here; a signal that sleeps and a queue, one in mechanisms/.
std::vector<engine::Mechanism> mechanisms() {
  std::vector<engine::Mechanism> all{
      spinning<signals::Cas>("cas-one-line"),         spinning<signals::Add>("add-one-line"),
      spinning<signals::Seqcst>("seqcst-one-line"),   spinning<signals::Release>("release-one-line"),
      spinning<signals::Relaxed>("relaxed-one-line"),
  };
  std::ranges::move(signals::Blocking::each(kSleeping), std::back_inserter(all));
  std::ranges::move(queues::All::each(kQueue), std::back_inserter(all));
  return all;
}

}  // namespace

const engine::Experiment& experiment() {
  static const engine::Experiment paced{
      .name = "paced",
      .roles = kRoles,
      .least_threads = 2,
      .most_threads = 2,
      .windows = contract::Unit::ns,
      .stalled = "No message arrives any more: one was lost.",
      .stream = true,
      .open_loop = true,
      .mechanisms = mechanisms(),
  };
  return paced;
}

}  // namespace threadping::paced
