#include "message/result.hpp"

#include <cmath>
#include <nlohmann/json.hpp>
#include <optional>
#include <utility>

#include "message/request.hpp"

namespace threadping::message {
namespace {

using Json = nlohmann::ordered_json;

Json or_null(const std::optional<std::uint64_t>& value) { return value ? Json(*value) : Json(nullptr); }

Json json_of(const ThreadResult& thread) {
  return {
      {"role", thread.role},
      {"cpus_start", thread.cpus_start},
      {"cpus_end", thread.cpus_end},
      {"cpu_ns", thread.counters.cpu_ns},
      {"voluntary_switches", thread.counters.voluntary_switches},
      {"involuntary_switches", thread.counters.involuntary_switches},
      {"migrations", or_null(thread.counters.migrations)},
      {"minor_faults", thread.counters.minor_faults},
      {"major_faults", thread.counters.major_faults},
  };
}

}  // namespace

double rounded(double ns) { return std::round(ns * 100) / 100; }

Json json_of(const Distribution& distribution) {
  Json values = Json::array();
  Json counts = Json::array();
  for (const auto& [value, count] : distribution) {
    values.push_back(value);
    counts.push_back(count);
  }
  return {{"values_ns", std::move(values)}, {"counts", std::move(counts)}};
}

Json common_json(const Result& result, std::string_view experiment) {
  Json threads = Json::array();
  for (const ThreadResult& thread : result.threads) threads.push_back(json_of(thread));
  return {
      {"schema", kSchema},
      {"experiment", experiment},
      {"mechanism", result.mechanism},
      {"threads", std::move(threads)},
      {"clock",
       {{"name", platform::kClockName},
        {"cost_ns", rounded(result.clock.cost_ns)},
        {"resolution_ns", result.clock.resolution_ns}}},
      {"warmup", {{"ops", result.warmup_ops}, {"ns", result.warmup_ns}, {"complete", result.warmup_complete}}},
      {"measured", {{"ops", result.measured_ops}, {"ns", result.measured_ns}, {"cut", result.cut}}},
      {"machine", {{"steal_ns", or_null(result.machine.steal_ns)}, {"interrupts", or_null(result.machine.interrupts)}}},
      {"managed", nullptr},
  };
}

std::string to_json(const Failure& failure) {
  const Json message = {{"schema", kSchema},
                        {"error", {{"code", name_of(failure.code())}, {"message", failure.what()}}}};
  return message.dump(-1, ' ', false, Json::error_handler_t::replace);
}

}  // namespace threadping::message
