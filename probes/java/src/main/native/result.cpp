#include "contract/result.hpp"

#include <algorithm>
#include <optional>
#include <string>
#include <vector>

#include "engine/looks.hpp"
#include "java.hpp"
#include "messages.hpp"

namespace threadping::java {
namespace {

std::vector<int> ints_of(const std::vector<Object>& boxed) {
  std::vector<int> numbers;
  for (const Object& each : boxed) numbers.push_back(static_cast<int>(each.value()));
  return numbers;
}

contract::ThreadResult thread_of(const Object& from) {
  const Object counters = from.object("counters", "Lthreadping/probe/platform/ThreadCounters;");
  return {.role = from.text("role"),
          .cpus_start = ints_of(*from.list("cpusStart")),
          .cpus_end = ints_of(*from.list("cpusEnd")),
          .counters = {.cpu_ns = counters.count("cpuNs"),
                       .voluntary_switches = counters.count("voluntarySwitches"),
                       .involuntary_switches = counters.count("involuntarySwitches"),
                       .migrations = counters.maybe("migrations"),
                       .minor_faults = counters.count("minorFaults"),
                       .major_faults = counters.count("majorFaults")}};
}

/// Its columns have no more entries than there are windows.
contract::Windows windows_of(const Object& from) {
  using Kind = contract::Windows::Kind;
  contract::Windows windows;
  windows.ns = from.object("ns", "[J").longs();
  windows.warmup.resize(windows.ns.size());
  std::fill_n(windows.warmup.begin(), from.integer("warmUp"), true);
  for (const int line : from.object("line", "[I").ints()) windows.line.push_back(static_cast<std::uint32_t>(line));
  for (const int every : from.object("every", "[I").ints()) {
    windows.every.push_back(static_cast<std::uint32_t>(every));
    windows.kind.push_back(every > 0 ? Kind::sampling : Kind::throughput);
  }
  for (const Object& thread : from.object("ops", "[[J").elements()) windows.ops.push_back(thread.longs());
  if (const Object switches = from.object("switches", "[J")) windows.switches = switches.longs();
  if (const Object compile_ms = from.object("compileMs", "[J")) windows.compile_ms = compile_ms.longs();
  return windows;
}

contract::Distribution distribution_of(const Object& from) {
  contract::Distribution distribution{
      .unit = from.text("unit"), .counts = {}, .censored = from.count("censored"), .negative = from.count("negative")};
  const std::vector<std::uint64_t> values = from.object("values", "[J").longs();
  const std::vector<std::uint64_t> counts = from.object("counts", "[J").longs();
  for (std::size_t each = 0; each < values.size(); ++each)
    distribution.counts.emplace_hint(distribution.counts.end(), values[each], counts[each]);
  return distribution;
}

contract::Managed managed_of(const Object& from) {
  contract::Managed managed{
      .compile_ms = from.maybe("compileMs"), .collections = from.count("collections"), .pauses = std::nullopt};
  if (const auto pauses = from.list("pauses")) {
    managed.pauses.emplace();
    for (const Object& pause : *pauses)
      managed.pauses->push_back({.at_ns = pause.count("atNs"), .ns = pause.count("ns"), .name = pause.text("name")});
  }
  return managed;
}

/// Does this with each name and value of a Map.
template <class Do>
void each_of(const Object& map, Do with) {
  const Object entries = map.called("entrySet", "()Ljava/util/Set;").called("toArray", "()[Ljava/lang/Object;");
  for (const Object& entry : entries.elements())
    with(entry.called("getKey", "()Ljava/lang/Object;").text(), entry.called("getValue", "()Ljava/lang/Object;"));
}

contract::Result result_of(const Object& from) {
  contract::Result result;
  result.experiment = from.text("experiment");
  result.mechanism = from.text("mechanism");
  std::vector<engine::Looker> lookers;
  result.measured_ns = from.count("measuredNs");
  const auto threads = from.list("threads");
  for (const Object& thread : *threads) {
    const jlong looks = thread.number("looks");
    if (looks != 0 && result.measured_ns > 0)  // otherwise those of a warm-up
      lookers.push_back({.thread = result.threads.size(),
                         .timed = thread.text("timed"),
                         .looks = reinterpret_cast<const engine::Looks*>(looks)});
    result.threads.push_back(thread_of(thread));
  }
  if (const auto nodes = from.list("homeNodes")) result.home_nodes = ints_of(*nodes);
  result.clock_name = "System.nanoTime";
  const Object clock = from.object("clock", "Lthreadping/probe/platform/Clock;");
  result.clock = {.cost_ns = clock.real("costNs"), .resolution_ns = clock.count("resolutionNs")};
  if (const Object skew = from.object("skew", "Lthreadping/probe/platform/Skew;"))
    result.skew = {.least_ns = skew.number("leastNs"), .most_ns = skew.number("mostNs")};
  result.warmup_ops = from.count("warmUpOps");
  result.warmup_ns = from.count("warmUpNs");
  using End = contract::WarmupEnd;
  const std::string ended = from.object("warmUpEnded", "Lthreadping/probe/contract/Result$Ended;")
                                .called("name", "()Ljava/lang/String;")
                                .text();
  result.warmup_ended = ended == "STEADY" ? End::steady : ended == "ROUNDS" ? End::rounds : End::limit;
  result.measured_ops = from.count("measuredOps");
  result.cut = from.flag("cut");
  const Object machine = from.object("machine", "Lthreadping/probe/platform/MachineCounters;");
  result.machine = {.steal_ns = machine.maybe("stealNs"),
                    .interrupts = machine.maybe("interrupts"),
                    .energy_uj = machine.maybe("energyUj")};
  result.managed = managed_of(from);
  result.windows = windows_of(from.object("windows", "Lthreadping/probe/contract/Result$Windows;"));
  each_of(from.object("distributions", "Ljava/util/Map;"), [&](const std::string& name, const Object& distribution) {
    result.distributions[name] = distribution_of(distribution);
  });
  if (from.flag("hasEvidence")) result.evidence = engine::evidence_of(lookers);
  each_of(from.object("counts", "Ljava/util/Map;"), [&](const std::string& name, const Object& held) {
    result.counts[name] = {.made = held.count("made"), .found = held.count("found"), .exact = held.flag("exact")};
  });
  return result;
}

}  // namespace

jbyteArray result(JNIEnv* env, jclass, jobject measured) {
  return tried(env, [&] { return bytes(env, to_json(result_of(Object(env, env->NewLocalRef(measured)))) + "\n"); });
}

}  // namespace threadping::java
