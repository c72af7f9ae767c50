#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
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

struct PartialBlock {
  std::uint32_t line = 0;
  std::uint32_t round_trips = 0;
  std::uint64_t ns = 0;
};

/// One trial's figures, as contract/result.schema.json words them. Times in nanoseconds.
struct Result {
  std::string experiment;
  std::string mechanism;
  std::vector<ThreadResult> threads;
  platform::ClockQuality clock{};
  std::uint64_t warmup_ops = 0;
  std::uint64_t warmup_ns = 0;
  bool warmup_complete = true;
  std::uint64_t measured_ops = 0;
  std::uint64_t measured_ns = 0;
  bool cut = false;
  std::uint32_t block_round_trips = 1;
  std::vector<std::vector<double>> lines;  ///< For each line the mean round trip of each block, in order.
  std::optional<PartialBlock> partial;
  std::map<std::uint64_t, std::uint64_t> singles;  ///< Round trip to how often it occurred.
  platform::MachineCounters machine;
};

/// The result message.
std::string to_json(const Result& result);

/// The error message.
std::string to_json(const Failure& failure);

}  // namespace threadping::message
