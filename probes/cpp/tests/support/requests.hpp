#pragma once

#include <algorithm>
#include <cstddef>
#include <optional>
#include <utility>
#include <vector>

#include "contract/request.hpp"
#include "engine/experiment.hpp"

namespace threadping::tests {

inline constexpr std::uint64_t kMillisecond = 1'000'000;
inline constexpr std::uint64_t kSecond = 1'000'000'000;
inline constexpr std::uint64_t kHour = 3600 * kSecond;

/// For each thread its CPU, or none.
using Cpus = std::vector<std::optional<int>>;

inline Cpus unpinned(std::size_t threads) { return Cpus(threads); }

/// Each thread on one of `cpus`, round robin.
inline Cpus pinned(std::size_t threads, const platform::CpuSet& cpus) {
  Cpus all;
  for (std::size_t thread = 0; thread < threads; ++thread) all.emplace_back(cpus[thread % cpus.size()]);
  return all;
}

/// Two CPUs that we may use, or nothing on a machine with one.
inline std::optional<std::pair<int, int>> two_cpus() {
  const platform::CpuSet cpus = platform::allowed_cpus();
  if (cpus.size() < 2) return std::nullopt;
  return std::pair{cpus.front(), cpus.back()};
}

/// A request for this number of threads, and for nothing in particular.
inline contract::Request request_of(std::size_t threads) {
  contract::Request request;
  request.cpus = unpinned(threads);
  return request;
}

/// None, but for what tells how long an operation takes.
inline contract::WarmupRequest no_warmup(std::uint64_t look_ns = kMillisecond) {
  return {.rounds = 0, .ops = 1, .steady = std::nullopt, .limit_ns = 0, .look_ns = look_ns, .uninterrupted = false};
}

/// Some operations, in time also on a busy machine.
inline contract::WarmupRequest short_warmup() {
  return {.rounds = 2,
          .ops = 20,
          .steady = std::nullopt,
          .limit_ns = 20 * kSecond,
          .look_ns = kMillisecond / 5,
          .uninterrupted = false};
}

/// A trial of a few milliseconds of the experiment's first mechanism, bounded so generously that only a broken one
/// reaches the bound. It does not warm up: a lead allocates all windows that fit into the limit of a warm-up.
inline contract::Request quick_request(const engine::Experiment& experiment, const Cpus& cpus) {
  const bool in_ops = experiment.windows == contract::Unit::ops;
  return {
      .experiment = std::string(experiment.name),
      .mechanism = std::string(experiment.mechanisms.front().name),
      .params = {},
      .cpus = {cpus.begin(),
               cpus.begin() + static_cast<std::ptrdiff_t>(std::min(cpus.size(), experiment.most_threads))},
      .pin = contract::Pin::thread,
      .lines = experiment.stream ? 1U : 4U,
      .home = std::nullopt,
      .warmup = no_warmup(kMillisecond / 5),
      .windows = {.unit = experiment.windows,
                  .throughput = in_ops ? 1000 : 2 * kMillisecond,
                  .sampling = in_ops ? 300 : kMillisecond,
                  .visits = 5,
                  .chunk_ns = 20'000,
                  .clock_share = 0.02},
      .outliers = std::nullopt,
      .pings = {},
      .measure_ns = 5 * kMillisecond,
      .bound_ns = 30 * kSecond,
      .patience_ns = 10 * kSecond,
      .seed = 7,
  };
}

/// A warm-up that only its limit ends.
inline contract::WarmupRequest endless_warmup(std::uint64_t limit_ns) {
  return {.rounds = 1'000'000,
          .ops = 1'000'000'000'000,
          .steady = std::nullopt,
          .limit_ns = limit_ns,
          .look_ns = kMillisecond / 5,
          .uninterrupted = false};
}

}  // namespace threadping::tests
