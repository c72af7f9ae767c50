#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "platform/pinning.hpp"

namespace threadping::message {

inline constexpr std::int64_t kSchema = 1;
inline constexpr std::size_t kMostThreads = 4096;

using Param = std::variant<std::int64_t, std::string>;

/// `rounds` rounds of `ops` hand-overs, ended early at `limit_ns`.
struct WarmupRequest {
  std::uint64_t rounds = 0;
  std::uint64_t ops = 1;
  std::uint64_t limit_ns = 0;
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
  WarmupRequest warmup;
  std::uint64_t measure_ns = 0;
  std::uint64_t bound_ns = 0;
  std::uint64_t seed = 0;
};

/// The CPUs that `request` names, each once, ascending.
platform::CpuSet cpus_named(const Request& request);

/// Throws Failure(bad_request) where the whole process is to be pinned and some threads have a CPU, others none.
void refuse_half_a_pin(const Request& request);

/// Reads a request strictly: everything that the contract requires, within its limits, and nothing else. Throws
/// Failure(bad_request) with a sentence that names the field.
Request parse_request(std::string_view text);

}  // namespace threadping::message
