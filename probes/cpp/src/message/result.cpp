#include "message/result.hpp"

#include <cmath>
#include <nlohmann/json.hpp>
#include <utility>

#include "message/request.hpp"

namespace threadping::message {
namespace {

using Json = nlohmann::ordered_json;

template <class Value>
Json or_null(const std::optional<Value>& value) {
  return value ? Json(*value) : Json(nullptr);
}

/// A hundredth of a nanosecond is finer than any clock here; more digits would only be noise to store.
double rounded(double ns) { return std::round(ns * 100) / 100; }

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

Json json_of(const Windows& windows) {
  Json kinds = Json::array();
  for (const Windows::Kind kind : windows.kind) kinds.push_back(kind == Windows::Kind::plain ? "plain" : "timed");
  return {{"every", windows.every},
          {"line", windows.line},
          {"kind", std::move(kinds)},
          {"ns", windows.ns},
          {"ops", windows.ops}};
}

Json json_of(const Distribution& distribution) {
  Json values = Json::array();
  Json counts = Json::array();
  for (const auto& [value, count] : distribution.counts) {
    values.push_back(value);
    counts.push_back(count);
  }
  return {{"values_ns", std::move(values)}, {"counts", std::move(counts)}, {"censored", distribution.censored}};
}

Json json_of(const Held& held) { return {{"made", held.made}, {"found", held.found}, {"exact", held.exact}}; }

/// An object of the values by their names.
template <class Value>
Json json_of(const std::map<std::string, Value>& named) {
  Json all = Json::object();
  for (const auto& [name, value] : named) all[name] = json_of(value);
  return all;
}

}  // namespace

std::string to_json(const Result& result) {
  Json threads = Json::array();
  for (const ThreadResult& thread : result.threads) threads.push_back(json_of(thread));
  const Json message = {
      {"schema", kSchema},
      {"experiment", result.experiment},
      {"mechanism", result.mechanism},
      {"threads", std::move(threads)},
      {"home", {{"nodes", or_null(result.home_nodes)}}},
      {"clock",
       {{"name", platform::kClockName},
        {"cost_ns", rounded(result.clock.cost_ns)},
        {"resolution_ns", result.clock.resolution_ns}}},
      {"warmup", {{"ops", result.warmup_ops}, {"ns", result.warmup_ns}, {"complete", result.warmup_complete}}},
      {"measured", {{"ops", result.measured_ops}, {"ns", result.measured_ns}, {"cut", result.cut}}},
      {"machine", {{"steal_ns", or_null(result.machine.steal_ns)}, {"interrupts", or_null(result.machine.interrupts)}}},
      {"managed", nullptr},
      {"windows", json_of(result.windows)},
      {"distributions", json_of(result.distributions)},
      {"counts", json_of(result.counts)},
  };
  return message.dump();
}

std::string to_json(const Failure& failure) {
  const Json message = {{"schema", kSchema},
                        {"error", {{"code", name_of(failure.code())}, {"message", failure.what()}}}};
  return message.dump(-1, ' ', false, Json::error_handler_t::replace);
}

}  // namespace threadping::message
