#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
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

/// Windows in columns: entry i of each is about window i. Those of the warm-up come first.
struct Windows {
  enum class Kind : std::uint8_t { throughput, sampling };

  std::vector<bool> warmup;
  std::vector<std::uint32_t> line;
  std::vector<Kind> kind;
  std::vector<std::uint32_t> every;  ///< One operation in `every` was timed; 0: none.
  std::vector<std::uint64_t> ns;
  std::vector<std::vector<std::uint64_t>> ops;         ///< For each thread a column.
  std::optional<std::vector<std::uint64_t>> switches;  ///< Involuntary ones, of all threads; nullopt: nobody read them.
  std::optional<std::vector<std::uint64_t>> compile_ms = std::nullopt;  ///< nullopt: unknown to the runtime.
  /// The number of CPUs of the threads at its end; nullopt: nobody looked, since each has a CPU of its own.
  std::optional<std::vector<std::uint64_t>> cpus = std::nullopt;
};

/// What it took to signal between two CPUs right before or after the measuring phase.
struct Ping {
  std::pair<int, int> cpus;
  bool after = false;
  std::uint64_t at_ns = 0;   ///< When it ended.
  std::optional<double> ns;  ///< One way; nullopt: it came to no end in its time.
};

/// A stop of all threads by a managed runtime: when it began, how long it was, and what it was for.
struct Pause {
  std::uint64_t at_ns = 0;
  std::uint64_t ns = 0;
  std::string name;
};

/// What a managed runtime did during the measuring phase; nullopt: unknown to it.
struct Managed {
  std::optional<std::uint64_t> compile_ms;
  std::uint64_t collections = 0;
  std::optional<std::vector<Pause>> pauses;  ///< Since it started, in the order in which they began.
  /// While warming up its threads slept so long, so that it could compile; nullopt: when it compiles is unknown.
  std::optional<std::uint64_t> rested_ns;
};

/// Durations, or whole numbers of something: distinct values and how often each occurred.
struct Distribution {
  std::string unit = "ns";
  std::map<std::uint64_t, std::uint64_t> counts;
  std::uint64_t censored = 0;  ///< Durations that a window's edge cut.
  std::uint64_t negative = 0;  ///< Durations between two CPUs that came out below 0.
};
using Distributions = std::map<std::string, Distribution>;

/// One of the longest, or of a random sample: which thread timed it as what, and what was seen around it.
struct Outlier {
  std::string of;  ///< The name of its distribution.
  std::size_t thread = 0;
  std::uint64_t at_ns = 0;  ///< When it began.
  std::uint64_t ns = 0;
  std::optional<platform::Seen> seen;
  std::optional<std::uint64_t> draw =
      std::nullopt;   ///< The stretch of its thread's time in which it began; nullopt: it is alone.
  double weight = 1;  ///< How many outliers it represents; 0: it is not in the sample.
};

/// What was recorded around outliers.
struct Evidence {
  double look_ns = 0;       ///< What a look takes.
  std::uint64_t looks = 0;  ///< How many all threads made while measuring.
  platform::Interrupts interrupts = platform::Interrupts::unknown;
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

/// Counts of one kind. A function of its own, so that no stage of a mechanism has a map's code.
Counts single_count(std::string_view name, const Held& held);

/// How a warm-up ended: when its pace was steady, when its rounds were done and nobody asked for more, or at its limit.
enum class WarmupEnd { steady, rounds, limit };

/// One trial, as contract/result.schema.json words it. Times in nanoseconds.
struct Result {
  std::string experiment;
  std::string mechanism;
  std::vector<ThreadResult> threads;
  std::optional<std::vector<int>> home_nodes;
  const char* clock_name = platform::kClockName;
  platform::ClockQuality clock{};
  std::optional<platform::Skew> skew;  ///< Where readings on different CPUs are held against each other.
  std::uint64_t warmup_ops = 0;
  std::uint64_t warmup_ns = 0;
  WarmupEnd warmup_ended = WarmupEnd::limit;
  std::uint64_t measured_ops = 0;
  std::uint64_t measured_ns = 0;
  bool cut = false;
  platform::MachineCounters machine;
  std::optional<Managed> managed;  ///< nullopt of native code.
  std::vector<Ping> pings;         ///< In the order in which they were taken.
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
