#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "failure.hpp"
#include "platform/clock.hpp"
#include "platform/counters.hpp"
#include "platform/evidence.hpp"
#include "platform/pinning.hpp"
#include "platform/skew.hpp"

namespace threadping::contract {

struct ThreadResult {
  std::string role;
  platform::CpuSet cpus_start;
  platform::CpuSet cpus_end;
  platform::ThreadCounters counters;  ///< Over the measuring phase.
};

/// Windows in columns: entry i of each is about window i.
struct Windows {
  enum class Kind : std::uint8_t { plain, timed };

  std::uint32_t every = 1;  ///< In a timed window, one operation in so many is timed.
  std::vector<std::uint32_t> line;
  std::vector<Kind> kind;
  std::vector<std::uint64_t> ns;
  std::vector<std::vector<std::uint64_t>> ops;  ///< For each thread a column.
};

/// Durations: distinct values (ns) and how often each occurred, and how many windows' edges cut. Or whole numbers of
/// something else, as its name says.
struct Distribution {
  std::map<std::uint64_t, std::uint64_t> counts;
  std::uint64_t censored = 0;
};
using Distributions = std::map<std::string, Distribution>;

/// One of the longest: which thread timed it as what, and what was seen around it.
struct Outlier {
  std::string of;  ///< The name of its distribution.
  std::size_t thread = 0;
  std::uint64_t at_ns = 0;  ///< When it began.
  std::uint64_t ns = 0;
  std::optional<platform::Seen> seen;
};

/// What was looked at around what took long.
struct Evidence {
  double look_ns = 0;  ///< What a look takes.
  platform::Interrupts interrupts = platform::Interrupts::untold;
  std::vector<std::string> lacking;  ///< What more rights would show, a sentence each.
  std::vector<Outlier> outliers;     ///< In the order in which they began.
};

/// What was made and what was found; where `exact`, they must be equal.
struct Held {
  std::uint64_t made = 0;
  std::uint64_t found = 0;
  bool exact = true;
};
using Counts = std::map<std::string, Held>;

/// One trial, as contract/result.schema.json words it. Times in nanoseconds.
struct Result {
  std::string experiment;
  std::string mechanism;
  std::vector<ThreadResult> threads;
  std::optional<std::vector<int>> home_nodes;
  platform::ClockQuality clock{};
  std::optional<platform::Skew> skew;  ///< Where readings on different CPUs are held against each other.
  std::uint64_t warmup_ops = 0;
  std::uint64_t warmup_ns = 0;
  bool warmup_complete = false;
  std::uint64_t measured_ops = 0;
  std::uint64_t measured_ns = 0;
  bool cut = false;
  platform::MachineCounters machine;
  Windows windows;
  Distributions distributions;
  std::optional<Evidence> evidence;
  Counts counts;
};

/// The result message.
std::string to_json(const Result& result);

/// The error message.
std::string to_json(const Failure& failure);

}  // namespace threadping::contract
