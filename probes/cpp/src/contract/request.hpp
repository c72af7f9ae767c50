#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <variant>
#include <vector>

#include "platform/pinning.hpp"

namespace threadping::contract {

/// The version of the contract that this probe speaks.
inline constexpr std::int64_t kSchema = 4;

inline constexpr std::size_t kMostThreads = 4096;

using Param = std::variant<std::int64_t, std::string>;

/// `rounds` rounds of `ops` operations, and until the pace is steady; ended in any case at `limit_ns`. A stretch of
/// `look_ns` tells how long an operation takes.
struct WarmupRequest {
  std::uint64_t rounds = 0;
  std::uint64_t ops = 1;
  std::optional<double> steady = std::nullopt;  ///< The share by which two stretches may differ; nullopt: nobody asks.
  std::uint64_t limit_ns = 0;
  std::uint64_t look_ns = 1;
  bool uninterrupted = false;  ///< Each round is one loop.
};

/// What windows are measured in: operations of each thread, or nanoseconds.
enum class Unit { ops, ns };

/// How long windows are, and what belongs to them (contract/request.schema.json).
struct WindowsRequest {
  Unit unit = Unit::ops;
  std::uint64_t throughput = 1;
  std::uint64_t sampling = 1;
  std::uint64_t visits = 1;
  std::uint64_t chunk_ns = 1;
  double clock_share = 1;
};

/// Operations that are examined as outliers: those that take at least `least_ns` and at least `factor` times its
/// thread's median; each thread keeps the `most` longest.
struct OutliersRequest {
  double factor = 1;
  std::uint64_t least_ns = 1;
  std::uint64_t most = 1;
};

/// What is pinned: each measuring thread to its own CPU, or the whole process to all of them.
enum class Pin { thread, process };

/// One trial, as contract/request.schema.json words it.
struct Request {
  std::string experiment;
  std::string mechanism;
  std::map<std::string, Param> params;
  std::vector<std::optional<int>> cpus;  ///< One for each thread; nullopt is not pinned.
  Pin pin = Pin::thread;
  std::uint32_t lines = 1;
  std::optional<platform::CpuSet> home;  ///< On which the cells are made; nullopt: wherever.
  WarmupRequest warmup;
  WindowsRequest windows;
  std::optional<OutliersRequest> outliers = std::nullopt;  ///< nullopt: nothing is looked into.
  std::vector<std::pair<int, int>> pings;  ///< Pairs of CPUs that are pinged before and after measuring.
  std::uint64_t measure_ns = 0;
  std::uint64_t bound_ns = 0;
  std::uint64_t patience_ns = 0;
  std::uint64_t seed = 0;
};

/// The CPUs that `request` names for its threads, each once, ascending.
platform::CpuSet cpus_named(const Request& request);

/// Reads a request strictly: everything that the contract requires, within its limits, and nothing else. Throws
/// Failure(bad_request) with a sentence that names the field.
Request parse_request(std::string_view text);

}  // namespace threadping::contract
