#include "contract/result.hpp"

#include <array>
#include <cmath>
#include <nlohmann/json.hpp>

#include "contract/request.hpp"

namespace threadping::contract {
namespace {

using Json = nlohmann::ordered_json;

template <class Value>
Json or_null(const std::optional<Value>& value) {
  return value ? Json(*value) : Json(nullptr);
}

/// A hundredth of a nanosecond is finer than any clock here; more digits would only be noise to store.
double rounded(double ns) { return std::round(ns * 100) / 100; }

Json name_of(platform::Interrupts interrupts) {
  switch (interrupts) {
    case platform::Interrupts::trace_points: return "trace-points";
    case platform::Interrupts::soft: return "soft-interrupts";
    default: return nullptr;
  }
}

Json json_of(const platform::Skew& skew) { return {{"least_ns", skew.least_ns}, {"most_ns", skew.most_ns}}; }

Json json_of(const platform::Seen& seen) {
  return {
      {"ns", seen.ns},
      {"cpu_before", seen.cpu_before},
      {"cpu", seen.cpu},
      {"cpu_ns", seen.counters.cpu_ns},
      {"run_delay_ns", or_null(seen.run_delay_ns)},
      {"others_run_delay_ns", or_null(seen.others_run_delay_ns)},
      {"voluntary_switches", seen.counters.voluntary_switches},
      {"involuntary_switches", seen.counters.involuntary_switches},
      {"minor_faults", seen.counters.minor_faults},
      {"major_faults", seen.counters.major_faults},
      {"interrupts", or_null(seen.interrupts)},
  };
}

}  // namespace

// NOLINTBEGIN(misc-use-anonymous-namespace): where they are looked up by their arguments
static void to_json(Json& json, const ThreadResult& thread) {
  json = {
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

static void to_json(Json& json, Windows::Kind kind) {
  json = kind == Windows::Kind::throughput ? "throughput" : "sampling";
}

static void to_json(Json& json, WarmupEnd ended) {
  constexpr std::array kNames{"steady", "rounds", "limit"};
  json = kNames.at(static_cast<std::size_t>(ended));
}

static void to_json(Json& json, const Distribution& distribution) {
  json = {{"unit", distribution.unit},
          {"values", Json::array()},
          {"counts", Json::array()},
          {"censored", distribution.censored},
          {"negative", distribution.negative}};
  for (const auto& [value, count] : distribution.counts) {
    json["values"].push_back(value);
    json["counts"].push_back(count);
  }
}

static void to_json(Json& json, const Outlier& outlier) {
  json = {{"of", outlier.of},
          {"thread", outlier.thread},
          {"at_ns", outlier.at_ns},
          {"ns", outlier.ns},
          {"seen", outlier.seen ? json_of(*outlier.seen) : Json(nullptr)}};
}

static void to_json(Json& json, const Evidence& evidence) {
  json = {{"look_ns", rounded(evidence.look_ns)},
          {"looks", evidence.looks},
          {"interrupts", name_of(evidence.interrupts)},
          {"lacking", evidence.lacking},
          {"outliers", evidence.outliers}};
}

static void to_json(Json& json, const Held& held) {
  json = {{"made", held.made}, {"found", held.found}, {"exact", held.exact}};
}
// NOLINTEND(misc-use-anonymous-namespace)

std::string to_json(const Result& result) {
  const Windows& windows = result.windows;
  const Json message = {
      {"schema", kSchema},
      {"experiment", result.experiment},
      {"mechanism", result.mechanism},
      {"threads", result.threads},
      {"home", {{"nodes", or_null(result.home_nodes)}}},
      {"clock",
       {{"name", platform::kClockName},
        {"cost_ns", rounded(result.clock.cost_ns)},
        {"resolution_ns", result.clock.resolution_ns},
        {"skew", result.skew ? json_of(*result.skew) : Json(nullptr)}}},
      {"warmup", {{"ops", result.warmup_ops}, {"ns", result.warmup_ns}, {"ended", result.warmup_ended}}},
      {"measured", {{"ops", result.measured_ops}, {"ns", result.measured_ns}, {"cut", result.cut}}},
      {"machine", {{"steal_ns", or_null(result.machine.steal_ns)}, {"interrupts", or_null(result.machine.interrupts)}}},
      {"managed", nullptr},
      {"windows",
       {{"warmup", windows.warmup},
        {"line", windows.line},
        {"kind", windows.kind},
        {"every", windows.every},
        {"ns", windows.ns},
        {"ops", windows.ops},
        {"switches", or_null(windows.switches)},
        {"compile_ms", nullptr}}},
      {"distributions", result.distributions},
      {"evidence", or_null(result.evidence)},
      {"counts", result.counts},
  };
  return message.dump();
}

std::string to_json(const Failure& failure) {
  const Json message = {{"schema", kSchema},
                        {"error", {{"code", name_of(failure.code())}, {"message", failure.what()}}}};
  return message.dump(-1, ' ', false, Json::error_handler_t::replace);
}

}  // namespace threadping::contract
