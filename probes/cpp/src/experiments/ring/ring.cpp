#include <array>
#include <string_view>

#include "experiments/all.hpp"
#include "experiments/ring/players.hpp"
#include "mechanisms/queues.hpp"
#include "waits/waits.hpp"

namespace threadping::ring {
namespace {

using namespace queues;  // NOLINT(google-build-using-namespace): the list below is of nothing else

using engine::ParamInfo;

constexpr std::int64_t kLargest = 1'048'576;
constexpr std::int64_t kMostOfARole = contract::kMostThreads - 1;

/// As many by default as in the Disruptor's own OneToOneSequencedThroughputTest. With a sixtyfourth of it the
/// Disruptor's producer, which sleeps where the ring is full, sleeps for longer than the consumer needs to empty it.
constexpr ParamInfo kSize{.name = "size", .number = 65'536, .least = 2, .most = kLargest};
constexpr ParamInfo kPayload{.name = "payload", .most = Large::kMostWords};
constexpr ParamInfo kInFlight{.name = "in-flight", .most = kLargest};
/// A full queue is taken to its end when a trial is over: 65,536 times so many steps take some 80 ms.
constexpr std::int64_t kMostSteps = 1'000;
constexpr ParamInfo kProduce{.name = "produce", .most = kMostSteps};
constexpr ParamInfo kWork{.name = "work", .most = kMostSteps};
constexpr ParamInfo kBatch{.name = "batch", .number = 1, .least = 1, .most = 65'536};
constexpr ParamInfo kProducers{.name = "producers", .number = 1, .least = 1, .most = kMostOfARole};
constexpr ParamInfo kConsumers{.name = "consumers", .number = 1, .least = 1, .most = kMostOfARole};

constexpr std::array kOneToOne{kSize, kPayload, kInFlight, kProduce, kWork, waits::kWait, waits::kPauses};
constexpr std::array kManyToOne{kSize, kPayload, kInFlight, kProduce, kWork, kProducers, waits::kWait, waits::kPauses};
constexpr std::array kOneToMany{kSize,  kPayload,   kInFlight,    kProduce,      kWork,
                                kBatch, kConsumers, waits::kWait, waits::kPauses};
constexpr std::array kSleeping{kSize, kPayload, kInFlight, kProduce, kWork, kProducers};

constexpr std::array<std::string_view, 1> kLatency{"latency"};

constexpr std::span<const ParamInfo> params_of(const Traits& traits) {
  if (traits.blocking) return kSleeping;
  if (traits.batches) return kOneToMany;
  if (traits.many_producers) return kManyToOne;
  return kOneToOne;
}

constexpr auto kMechanism = []<template <class> class Q>() -> engine::Mechanism {
  return {.name = Q<Bare>::kTraits.name,
          .blocking = Q<Bare>::kTraits.blocking,
          .timed = kLatency,
          .lines = 1,
          .params = params_of(Q<Bare>::kTraits),
          .make = [](const engine::Setup& setup) -> std::unique_ptr<engine::Stage> {
            return with_message(setup.params, [&]<class Message> {
              return with_wait<Q<Message>>(setup.params, [&]<class Waits>() -> std::unique_ptr<engine::Stage> {
                return std::make_unique<RingStage<Waits>>(setup);
              });
            });
          }};
};

constexpr std::array<engine::NumberInfo, 1> kNumbers{{{.name = "batch", .unit = "messages"}}};
constexpr std::array<engine::Role, 2> kRoles{
    {{.name = "producer", .counts = false}, {.name = "consumer", .counts = true, .numbers = kNumbers}}};

}  // namespace

const engine::Experiment& experiment() {
  static const engine::Experiment ring{
      .name = "ring",
      .roles = kRoles,
      .least_threads = 2,
      .most_threads = contract::kMostThreads,
      .windows = contract::Unit::ns,
      .stalled = "No message arrives any more: one was lost, or the queue is full and nobody takes from it.",
      .stream = true,
      .mechanisms = All::each(kMechanism),
  };
  return ring;
}

}  // namespace threadping::ring
