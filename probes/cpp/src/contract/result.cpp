#include "contract/result.hpp"

#include <array>
#include <cmath>

#include "contract/json.hpp"
#include "contract/request.hpp"

namespace threadping::contract {
namespace {

/// 0.01 ns is finer than any clock here; more digits would only be noise to store.
double rounded(double ns) { return std::round(ns * 100) / 100; }

}  // namespace
}  // namespace threadping::contract

// NOLINTBEGIN(misc-use-anonymous-namespace): where they are looked up by their arguments
namespace threadping::platform {

using contract::Json;

static Json json_of(Interrupts interrupts) {
  switch (interrupts) {
    case Interrupts::soft: return "soft-interrupts";
    case Interrupts::trace_points: return "trace-points";
    case Interrupts::unknown: break;
  }
  return nullptr;
}

static Json json_of(const Skew& skew) { return {{"least_ns", skew.least_ns}, {"most_ns", skew.most_ns}}; }

static Json json_of(const Seen& seen) {
  return {
      {"ns", seen.ns},
      {"cpu_before", seen.cpu_before},
      {"cpu", seen.cpu},
      {"cpu_ns", seen.counters.cpu_ns},
      {"run_delay_ns", seen.run_delay_ns},
      {"others_run_delay_ns", seen.others_run_delay_ns},
      {"voluntary_switches", seen.counters.voluntary_switches},
      {"involuntary_switches", seen.counters.involuntary_switches},
      {"minor_faults", seen.counters.minor_faults},
      {"major_faults", seen.counters.major_faults},
      {"interrupts", seen.interrupts},
      {"throttled_ns", seen.throttled_ns},
      {"awake_ns", seen.awake_ns},
      {"others_woken", seen.others_woken},
  };
}

}  // namespace threadping::platform

namespace threadping::contract {

static Json json_of(WarmupEnd ended) {
  switch (ended) {
    case WarmupEnd::steady: return "steady";
    case WarmupEnd::rounds: return "rounds";
    case WarmupEnd::limit: break;
  }
  return "limit";
}

static Json json_of(const ThreadResult& thread) {
  return {
      {"role", thread.role},
      {"cpus_start", thread.cpus_start},
      {"cpus_end", thread.cpus_end},
      {"cpu_ns", thread.counters.cpu_ns},
      {"voluntary_switches", thread.counters.voluntary_switches},
      {"involuntary_switches", thread.counters.involuntary_switches},
      {"migrations", thread.counters.migrations},
      {"minor_faults", thread.counters.minor_faults},
      {"major_faults", thread.counters.major_faults},
  };
}

static Json json_of(Windows::Kind kind) { return kind == Windows::Kind::throughput ? "throughput" : "sampling"; }

static Json json_of(const Ping& ping) {
  return {{"cpus", std::array{ping.cpus.first, ping.cpus.second}},
          {"when", ping.after ? "after" : "before"},
          {"at_ns", ping.at_ns},
          {"ns", ping.ns ? Json(rounded(*ping.ns)) : Json(nullptr)}};
}

static Json json_of(const Pause& pause) { return {{"at_ns", pause.at_ns}, {"ns", pause.ns}, {"name", pause.name}}; }

static Json json_of(const Managed& managed) {
  return {{"compile_ms", managed.compile_ms},
          {"collections", managed.collections},
          {"pauses", managed.pauses},
          {"rested_ns", managed.rested_ns}};
}

static Json json_of(const Distribution& distribution) {
  return {{"unit", distribution.unit},
          {"values", std::views::keys(distribution.counts)},
          {"counts", std::views::values(distribution.counts)},
          {"censored", distribution.censored},
          {"negative", distribution.negative}};
}

static Json json_of(const Outlier& outlier) {
  return {{"of", outlier.of},     {"thread", outlier.thread}, {"at_ns", outlier.at_ns},           {"ns", outlier.ns},
          {"seen", outlier.seen}, {"draw", outlier.draw},     {"weight", rounded(outlier.weight)}};
}

static Json json_of(const Evidence& evidence) {
  return {{"look_ns", rounded(evidence.look_ns)},
          {"looks", evidence.looks},
          {"interrupts", evidence.interrupts},
          {"lacking", evidence.lacking},
          {"outliers", evidence.outliers}};
}

static Json json_of(const Held& held) { return {{"made", held.made}, {"found", held.found}, {"exact", held.exact}}; }
// NOLINTEND(misc-use-anonymous-namespace)

Counts single_count(std::string_view name, const Held& held) { return {{std::string(name), held}}; }

std::string to_json(const Result& result) {
  const Windows& windows = result.windows;
  const Json message = {
      {"schema", kSchema},
      {"experiment", result.experiment},
      {"mechanism", result.mechanism},
      {"threads", result.threads},
      {"home", Json{{"nodes", result.home_nodes}}},
      {"clock",
       {{"name", result.clock_name},
        {"cost_ns", rounded(result.clock.cost_ns)},
        {"resolution_ns", result.clock.resolution_ns},
        {"skew", result.skew}}},
      {"warmup", {{"ops", result.warmup_ops}, {"ns", result.warmup_ns}, {"ended", result.warmup_ended}}},
      {"measured", {{"ops", result.measured_ops}, {"ns", result.measured_ns}, {"cut", result.cut}}},
      {"machine",
       {{"steal_ns", result.machine.steal_ns},
        {"interrupts", result.machine.interrupts},
        {"energy_uj", result.machine.energy_uj}}},
      {"managed", result.managed},
      {"pings", result.pings},
      {"windows",
       {{"warmup", windows.warmup},
        {"line", windows.line},
        {"kind", windows.kind},
        {"every", windows.every},
        {"ns", windows.ns},
        {"ops", windows.ops},
        {"switches", windows.switches},
        {"compile_ms", windows.compile_ms},
        {"cpus", windows.cpus}}},
      {"distributions", result.distributions},
      {"evidence", result.evidence},
      {"counts", result.counts},
  };
  return message.text();
}

std::string to_json(const Failure& failure) {
  const Json message = {{"schema", kSchema},
                        {"error", {{"code", name_of(failure.code())}, {"message", failure.what()}}}};
  return message.text();
}

}  // namespace threadping::contract
