#pragma once

#include <array>
#include <memory>
#include <span>
#include <string_view>
#include <utility>
#include <vector>

#include "experiments/queue/players.hpp"
#include "mechanisms/message.hpp"
#include "waits/waits.hpp"

namespace threadping::queue {

using engine::ParamInfo;

inline constexpr std::int64_t kLargest = 1'048'576;
inline constexpr std::int64_t kMostOfARole = contract::kMostThreads - 1;

/// The default is that of the Disruptor's own OneToOneSequencedThroughputTest. With a sixtyfourth of it the
/// Disruptor's producer, which sleeps where the ring is full, sleeps for longer than the consumer needs to empty it.
inline constexpr ParamInfo kSize{.name = "size", .number = 65'536, .least = 2, .most = kLargest};
inline constexpr ParamInfo kMessageBytes{
    .name = "message-bytes", .number = sizeof(Bare), .least = sizeof(Bare), .most = sizeof(Large)};
inline constexpr ParamInfo kDepth{.name = "depth", .most = kLargest};
/// A full queue is taken to its end when a trial is over: 65,536 times this number of steps take some 80 ms.
inline constexpr std::int64_t kMostSteps = 1'000;
inline constexpr ParamInfo kProducerWork{.name = "producer-work", .most = kMostSteps};
inline constexpr ParamInfo kConsumerWork{.name = "consumer-work", .most = kMostSteps};
inline constexpr ParamInfo kBatch{.name = "batch", .number = 1, .least = 1, .most = 65'536};
inline constexpr ParamInfo kProducers{.name = "producers", .number = 1, .least = 1, .most = kMostOfARole};
inline constexpr ParamInfo kConsumers{.name = "consumers", .number = 1, .least = 1, .most = kMostOfARole};

inline constexpr std::array kOneToOne{kSize,         kMessageBytes, kDepth,        kProducerWork,
                                      kConsumerWork, waits::kWait,  waits::kPauses};
inline constexpr std::array kManyToOne{kSize,         kMessageBytes, kDepth,       kProducerWork,
                                       kConsumerWork, kProducers,    waits::kWait, waits::kPauses};
inline constexpr std::array kOneToMany{kSize,  kMessageBytes, kDepth,       kProducerWork, kConsumerWork,
                                       kBatch, kConsumers,    waits::kWait, waits::kPauses};
inline constexpr std::array kSleepingOneToOne{kSize, kMessageBytes, kDepth, kProducerWork, kConsumerWork};
inline constexpr std::array kSleeping{kSize, kMessageBytes, kDepth, kProducerWork, kConsumerWork, kProducers};

inline constexpr std::array<std::string_view, 1> kLatency{"latency"};

constexpr std::span<const ParamInfo> params_of(const Traits& traits) {
  if (traits.blocking && traits.many_producers) return kSleeping;
  if (traits.blocking) return kSleepingOneToOne;
  if (traits.batches) return kOneToMany;
  if (traits.many_producers) return kManyToOne;
  return kOneToOne;
}

inline constexpr auto kMechanism = []<template <class> class Q>() -> engine::Mechanism {
  return {.name = Q<Bare>::kTraits.name,
          .blocking = Q<Bare>::kTraits.blocking,
          .timed = kLatency,
          .lines = 1,
          .params = params_of(Q<Bare>::kTraits),
          .make = [](const engine::Setup& setup) -> std::unique_ptr<engine::Stage> {
            return with_message(setup.params, [&]<class Message> {
              return with_wait<Q<Message>>(setup.params, [&]<class Waits>() -> std::unique_ptr<engine::Stage> {
                return std::make_unique<QueueStage<Waits>>(setup);
              });
            });
          }};
};

inline constexpr std::array<engine::NumberInfo, 1> kNumbers{{{.name = "batch", .unit = "messages"}}};
inline constexpr std::array<engine::Role, 2> kRoles{
    {{.name = "producer", .counts = false}, {.name = "consumer", .counts = true, .numbers = kNumbers}}};

/// The experiment, with these mechanisms.
inline engine::Experiment declared(std::vector<engine::Mechanism> mechanisms) {
  return {
      .name = "queue",
      .roles = kRoles,
      .least_threads = 2,
      .most_threads = contract::kMostThreads,
      .windows = contract::Unit::ns,
      .stalled = "No message arrives any more: one was lost, or the queue is full and nobody takes from it.",
      .stream = true,
      .mechanisms = std::move(mechanisms),
  };
}

}  // namespace threadping::queue
