#pragma once

#include <cstdint>
#include <map>
#include <nlohmann/json_fwd.hpp>
#include <string>
#include <string_view>
#include <vector>

#include "failure.hpp"
#include "platform/clock.hpp"
#include "platform/counters.hpp"
#include "platform/pinning.hpp"

namespace threadping::message {

struct ThreadResult {
  std::string role;
  platform::CpuSet cpus_start;
  platform::CpuSet cpus_end;
  platform::ThreadCounters counters;  ///< Over the measuring phase.
};

/// What the results of all experiments have in common, as contract/result.schema.json words it. Times in nanoseconds.
struct Result {
  std::string mechanism;
  std::vector<ThreadResult> threads;
  platform::ClockQuality clock{};
  std::uint64_t warmup_ops = 0;
  std::uint64_t warmup_ns = 0;
  bool warmup_complete = true;
  std::uint64_t measured_ops = 0;
  std::uint64_t measured_ns = 0;
  bool cut = false;
  platform::MachineCounters machine;
};

/// Distinct values and how often each occurred.
using Distribution = std::map<std::uint64_t, std::uint64_t>;

/// The message of `experiment` with what the results of all experiments have in common.
nlohmann::ordered_json common_json(const Result& result, std::string_view experiment);
nlohmann::ordered_json json_of(const Distribution& distribution);

/// A hundredth of a nanosecond is finer than any clock here; more digits would only be noise to store.
double rounded(double ns);

/// The error message.
std::string to_json(const Failure& failure);

}  // namespace threadping::message
