#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <utility>

#include "message/request.hpp"
#include "platform/pinning.hpp"

namespace threadping::tests {

inline constexpr std::uint64_t kMillisecond = 1'000'000;
inline constexpr std::uint64_t kSecond = 1'000'000'000;
inline constexpr std::uint64_t kHour = 3600 * kSecond;

/// A trial of a few milliseconds, bounded so generously that only a broken one reaches the bound.
inline message::Request quick_request(std::optional<int> ping, std::optional<int> pong) {
  return {
      .experiment = "signal",
      .mechanism = "cas-one-line",
      .params = {},
      .cpus = {ping, pong},
      .pin = message::Pin::thread,
      .lines = 4,
      .warmup = {.rounds = 2, .ops = 100, .limit_ns = 20 * kSecond},
      .measure_ns = 5 * kMillisecond,
      .bound_ns = 30 * kSecond,
      .seed = 7,
  };
}

/// A trial of `lock` with so many threads, each pinned to one of `cpus` in turn, or none where there are none.
inline message::Request lock_request(std::size_t threads, const platform::CpuSet& cpus = {}) {
  message::Request request = quick_request(std::nullopt, std::nullopt);
  request.experiment = "lock";
  request.mechanism = "mutex";
  request.cpus.assign(threads, std::nullopt);
  for (std::size_t thread = 0; thread < threads && !cpus.empty(); ++thread)
    request.cpus[thread] = cpus[thread % cpus.size()];
  return request;
}

/// Two CPUs that we may use, or nothing on a machine with one.
inline std::optional<std::pair<int, int>> two_cpus() {
  const platform::CpuSet cpus = platform::allowed_cpus();
  if (cpus.size() < 2) return std::nullopt;
  return std::pair{cpus.front(), cpus.back()};
}

}  // namespace threadping::tests
