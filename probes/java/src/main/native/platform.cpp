// What the Java probe needs of the C++ probe's platform room, as the native methods of
// threadping.probe.platform.Native. It stands beside that class, since each is nothing without the other; all else
// about pins, counters, clocks and memory is written once, in probes/cpp/src/platform. Nothing here is called in a
// timed loop.
#include <jni.h>
#include <sched.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <array>
#include <charconv>
#include <cstdint>
#include <cstring>
#include <ctime>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <map>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>
#include <variant>
#include <vector>

#include "contract/request.hpp"
#include "engine/looks.hpp"
#include "failure.hpp"
#include "java.hpp"
#include "messages.hpp"
#include "platform/clock.hpp"
#include "platform/counters.hpp"
#include "platform/evidence.hpp"
#include "platform/kernel_texts.hpp"
#include "platform/memory.hpp"
#include "platform/pinning.hpp"
#include "platform/skew.hpp"
#include "platform/threads.hpp"

// HotSpot's, where that is the virtual machine.
extern "C" {
[[gnu::weak, gnu::visibility("default")]] extern const char* gHotSpotVMStructs;
[[gnu::weak, gnu::visibility("default")]] extern std::uint64_t gHotSpotVMStructEntryArrayStride;
[[gnu::weak, gnu::visibility("default")]] extern std::uint64_t gHotSpotVMStructEntryTypeNameOffset;
[[gnu::weak, gnu::visibility("default")]] extern std::uint64_t gHotSpotVMStructEntryFieldNameOffset;
[[gnu::weak, gnu::visibility("default")]] extern std::uint64_t gHotSpotVMStructEntryAddressOffset;
}

namespace {

using namespace threadping;
using namespace threadping::java;

// --- the request ---

/// A request, read as the C++ probe reads its own: names and values in turn, in UTF-8. What is null is not told; of a
/// list each entry is.
jobjectArray request(JNIEnv* env, jclass, jbyteArray message) {
  return tried(env, [&] {
    const contract::Request read = contract::parse_request(text(env, message));
    std::vector<std::string> told;
    const auto tell = [&told](const std::string& name, const auto& value) {
      told.push_back(name);
      if constexpr (std::is_floating_point_v<std::decay_t<decltype(value)>>) {
        std::array<char, 32> digits{};
        told.emplace_back(digits.data(), std::to_chars(digits.begin(), digits.end(), value).ptr);
      } else if constexpr (std::is_integral_v<std::decay_t<decltype(value)>>) {
        told.push_back(std::to_string(value));
      } else {
        told.emplace_back(value);
      }
    };
    tell("experiment", read.experiment);
    tell("mechanism", read.mechanism);
    for (const auto& [name, value] : read.params)
      if (const auto* number = std::get_if<std::int64_t>(&value))
        tell("number " + name, *number);
      else
        tell("text " + name, std::get<std::string>(value));
    for (const auto& cpu : read.cpus) tell("cpu", cpu ? std::to_string(*cpu) : "");
    tell("pin", read.pin == contract::Pin::process ? "process" : "thread");
    tell("lines", read.lines);
    if (read.home)
      for (const int cpu : *read.home) tell("home", cpu);
    tell("warmup.rounds", read.warmup.rounds);
    tell("warmup.ops", read.warmup.ops);
    if (read.warmup.steady) tell("warmup.steady", *read.warmup.steady);
    tell("warmup.limit_ns", read.warmup.limit_ns);
    tell("warmup.look_ns", read.warmup.look_ns);
    tell("warmup.uninterrupted", read.warmup.uninterrupted ? "true" : "false");
    tell("windows.unit", read.windows.unit == contract::Unit::ops ? "OPS" : "NS");
    tell("windows.throughput", read.windows.throughput);
    tell("windows.sampling", read.windows.sampling);
    tell("windows.visits", read.windows.visits);
    tell("windows.chunk_ns", read.windows.chunk_ns);
    tell("windows.clock_share", read.windows.clock_share);
    if (read.outliers) {
      tell("outliers.factor", read.outliers->factor);
      tell("outliers.least_ns", read.outliers->least_ns);
      tell("outliers.most", read.outliers->most);
    }
    tell("measure_ns", read.measure_ns);
    tell("bound_ns", read.bound_ns);
    tell("patience_ns", read.patience_ns);
    tell("seed", read.seed);
    jobjectArray all = env->NewObjectArray(static_cast<jsize>(told.size()), env->FindClass("[B"), nullptr);
    for (std::size_t each = 0; each < told.size(); ++each) {
      jbyteArray letters = bytes(env, told[each]);
      env->SetObjectArrayElement(all, static_cast<jsize>(each), letters);
      env->DeleteLocalRef(letters);
    }
    return all;
  });
}

// --- pins ---

jintArray allowed_cpus(JNIEnv* env, jclass) {
  return tried(env, [&] { return ints(env, platform::allowed_cpus()); });
}

jintArray pin_thread(JNIEnv* env, jclass, jintArray cpus) {
  return tried(env, [&] { return ints(env, platform::pin_this_thread(ints(env, cpus))); });
}

jintArray pin_process(JNIEnv* env, jclass, jintArray cpus) {
  return tried(env, [&] { return ints(env, platform::pin_process(ints(env, cpus))); });
}

/// As glibc before 2.30 has no name for it.
jint task(JNIEnv*, jclass) { return static_cast<jint>(syscall(SYS_gettid)); }

void die_with_parent(JNIEnv*, jclass, jint expected) {
  platform::die_with_parent(expected == kUnknown ? std::nullopt : std::optional<int>(expected));
}

// --- time ---

/// Gives the CPU away for so long; no signal that Java uses cuts it short.
void sleep_for(JNIEnv*, jclass, jlong ns) {
  timespec left{.tv_sec = ns / 1'000'000'000, .tv_nsec = ns % 1'000'000'000};
  while (clock_nanosleep(CLOCK_MONOTONIC, 0, &left, &left) != 0) {
  }
}

/// In which steps a clock moves whose readings are these.
jlong clock_step(JNIEnv* env, jclass, jlongArray readings) {
  std::vector<jlong> all(static_cast<std::size_t>(env->GetArrayLength(readings)));
  env->GetLongArrayRegion(readings, 0, static_cast<jsize>(all.size()), all.data());
  std::map<std::uint64_t, std::size_t> differences;
  for (std::size_t each = 1; each < all.size(); ++each)
    ++differences[static_cast<std::uint64_t>(all[each] - all[each - 1])];
  return static_cast<jlong>(platform::smallest_step(differences));
}

/// Compares the clocks of pairs of CPUs, by the clock that System.nanoTime reads too: what is said of a pair each time
/// holds together. Into `bounds` goes that of the pair which is certainly farthest apart; false where none is known.
jboolean compare_clocks(JNIEnv* env, jclass, jintArray pairs, jlongArray bounds) {
  return tried(env, [&]() -> jboolean {
    static std::map<std::pair<int, int>, std::optional<platform::Skew>> all;
    const std::vector<int> cpus = ints(env, pairs);
    std::optional<platform::Skew> farthest;
    for (std::size_t pair = 0; pair + 1 < cpus.size(); pair += 2) {
      auto& known = all[{cpus[pair], cpus[pair + 1]}];
      known = intersection(known, platform::measure_skew(cpus[pair], cpus[pair + 1]));
      if (known && (!farthest || certain_ns(*known) > certain_ns(*farthest))) farthest = known;
    }
    if (farthest) give(env, bounds, std::array<jlong, 2>{farthest->least_ns, farthest->most_ns});
    return farthest ? JNI_TRUE : JNI_FALSE;
  });
}

// --- memory ---

/// Never given back: a stalled mechanism's threads may still use it.
jlong memory(JNIEnv* env, jclass, jlong bytes) {
  return tried(env, [&] {
    const auto* pages = new platform::Memory(static_cast<std::size_t>(bytes), platform::Sharing::threads);
    return reinterpret_cast<jlong>(pages->start());
  });
}

jintArray nodes(JNIEnv* env, jclass, jlong address) {
  return tried(env, [&]() -> jintArray {
    const auto nodes = platform::nodes_of(reinterpret_cast<const std::byte*>(address));
    return nodes ? ints(env, *nodes) : nullptr;
  });
}

// --- counters ---

using Counters = std::array<jlong, 6>;

Counters counters(const platform::ThreadCounters& of) {
  return {static_cast<jlong>(of.cpu_ns),
          static_cast<jlong>(of.voluntary_switches),
          static_cast<jlong>(of.involuntary_switches),
          static_cast<jlong>(of.minor_faults),
          static_cast<jlong>(of.major_faults),
          known(of.migrations)};
}

/// All but the migrations.
void thread_counters(JNIEnv* env, jclass, jlongArray into) {
  const Counters quick = counters(platform::read_quick_counters());
  give(env, into, std::span(quick).first<5>());
}

jlong migrations(JNIEnv* env, jclass) {
  return tried(env, [&] { return known(platform::read_migrations()); });
}

/// The number after a word at the start of a line of a thread's file, or the first of all; 0 where there is none.
jlong number_in(const std::filesystem::path& file, const std::string& word) {
  std::ifstream lines(file);
  for (std::string line; std::getline(lines, line);)
    if (line.starts_with(word))
      return std::strtoll(line.c_str() + (word.empty() ? 0 : line.find(':') + 1), nullptr, 10);
  return 0;
}

/// What was counted so far for all threads of this process together whose names begin so, by proc(5). One that has
/// ended counts no more.
void counters_of_all(JNIEnv* env, jclass, jstring beginning, jlongArray into) {
  tried(env, [&] {
    const std::string name = text(env, beginning);
    Counters sum{};
    for (const auto& task : std::filesystem::directory_iterator("/proc/self/task")) {
      std::string its_name;
      if (std::ifstream comm(task.path() / "comm"); !std::getline(comm, its_name) || !its_name.starts_with(name))
        continue;
      std::ifstream stat(task.path() / "stat");
      stat.ignore(1 << 10, ')');
      std::vector<std::string> words{std::istream_iterator<std::string>(stat), {}};
      words.resize(10);
      const Counters its{number_in(task.path() / "schedstat", ""),
                         number_in(task.path() / "status", "voluntary_ctxt_switches"),
                         number_in(task.path() / "status", "nonvoluntary_ctxt_switches"),
                         std::strtoll(words[7].c_str(), nullptr, 10),
                         std::strtoll(words[9].c_str(), nullptr, 10),
                         number_in(task.path() / "sched", "se.nr_migrations")};
      for (std::size_t each = 0; each < sum.size(); ++each) sum[each] += its[each];
    }
    give(env, into, sum);
  });
}

/// The machine's steal time on these CPUs, the interrupts of all, and the energy, since the last time.
void machine_counters(JNIEnv* env, jclass, jintArray cpus, jlongArray into) {
  tried(env, [&] {
    static platform::MachineCounters last;
    const platform::MachineCounters now = platform::read_machine_counters(ints(env, cpus));
    const platform::MachineCounters risen = now - last;
    last = now;
    give(env, into, std::array<jlong, 3>{known(risen.steal_ns), known(risen.interrupts), known(risen.energy_uj)});
  });
}

/// Never closed, as an onlooker is not.
jlong idle_states(JNIEnv* env, jclass, jint cpu, jstring root) {
  return tried(env, [&] {
    auto states = std::make_unique<platform::IdleStates>(cpu, text(env, root));
    return states->told() ? reinterpret_cast<jlong>(states.release()) : jlong{0};
  });
}

jlong look_at_idle(JNIEnv*, jclass, jlong address) {
  return static_cast<jlong>(reinterpret_cast<platform::IdleStates*>(address)->look());
}

// --- the virtual machine ---

template <class Value>
Value read(const char* from) {
  Value value;
  std::memcpy(&value, from, sizeof value);
  return value;
}

/// Where HotSpot's performance counters begin, by the table that it exports to debuggers (vmStructs.hpp).
const char* performance_counters() {
  if (&gHotSpotVMStructs == nullptr) return nullptr;
  for (const char* entry = gHotSpotVMStructs;; entry += gHotSpotVMStructEntryArrayStride) {
    const auto* type = read<const char*>(entry + gHotSpotVMStructEntryTypeNameOffset);
    if (type == nullptr) return nullptr;
    const auto* field = read<const char*>(entry + gHotSpotVMStructEntryFieldNameOffset);
    if (std::string_view(type) == "PerfMemory" && std::string_view(field) == "_start")
      return read<const char*>(read<const char*>(entry + gHotSpotVMStructEntryAddressOffset));
  }
}

/// What HotSpot counts of itself, as jstat shows it: nanoseconds of compiling, and how often each collector stopped it.
/// Nothing of another virtual machine, or with -XX:-UsePerfData.
struct JvmCounters {
  const char* compiled_ns = nullptr;
  std::vector<const char*> collections;

  JvmCounters() {
    const char* start = performance_counters();
    if (start == nullptr || read<std::uint32_t>(start) != 0xc0c0feca) return;  // perfMemory.hpp, in this byte order
    const char* entry = start + read<std::int32_t>(start + 24);
    for (auto left = read<std::int32_t>(start + 28); left > 0; --left, entry += read<std::int32_t>(entry)) {
      const std::string_view name(entry + read<std::int32_t>(entry + 4));
      const char* value = entry + read<std::int32_t>(entry + 16);
      if (name == "java.ci.totalTime") compiled_ns = value;
      if (name.starts_with("sun.gc.collector.") && name.ends_with(".invocations")) collections.push_back(value);
    }
  }
};

/// Into `into`, milliseconds of compiling and collections; false where it does not tell.
jboolean jvm_counters(JNIEnv* env, jclass, jlongArray into) {
  static const JvmCounters counters;
  if (counters.compiled_ns == nullptr || counters.collections.empty()) return JNI_FALSE;
  jlong collected = 0;
  for (const char* each : counters.collections) collected += read<jlong>(each);
  give(env, into, std::array<jlong, 2>{read<jlong>(counters.compiled_ns) / 1'000'000, collected});
  return JNI_TRUE;
}

/// Opens a module's package to everybody: as Add-Opens in the jar's manifest would, which costs every trial's start
/// 10 ms.
void open_package(JNIEnv* env, jclass, jobject module, jstring package) {
  jmethodID open = env->GetMethodID(env->GetObjectClass(module), "implAddOpensToAllUnnamed", "(Ljava/lang/String;)V");
  if (open != nullptr) env->CallVoidMethod(module, open, package);
}

// --- looks ---

engine::Looks& looks_at(jlong address) { return *reinterpret_cast<engine::Looks*>(address); }

/// Never freed: they last as long as the trial, and the process is that trial's. `others` is null of a virtual thread.
jlong looks(JNIEnv* env, jclass, jobject wanted, jintArray others, jboolean with_trace_points, jdouble threads_a_cpu) {
  return tried(env, [&] {
    const Object request(env, env->NewLocalRef(wanted));
    auto onlooker = others == nullptr
                        ? nullptr
                        : std::make_unique<platform::Onlooker>(ints(env, others), with_trace_points == JNI_TRUE);
    return reinterpret_cast<jlong>(new engine::Looks({.factor = request.real("factor"),
                                                      .least_ns = request.count("leastNs"),
                                                      .most = static_cast<std::uint64_t>(request.integer("most"))},
                                                     std::move(onlooker), threads_a_cpu));
  });
}

void forget_looks(JNIEnv*, jclass, jlong address) { looks_at(address).forget(); }

jlong begin_looks(JNIEnv*, jclass, jlong address, jlong recorded, jlong median_ns) {
  return static_cast<jlong>(
      looks_at(address).begin(static_cast<std::uint64_t>(recorded), static_cast<std::uint64_t>(median_ns)));
}

jlong look_before(JNIEnv*, jclass, jlong address) {
  engine::Looks& looks = looks_at(address);
  looks.before(platform::now_ns());
  return static_cast<jlong>(looks.due_ns());
}

/// `timings`: when each began and when it ended, in turn.
jlong look_after(JNIEnv* env, jclass, jlong address, jlongArray timings, jint count, jboolean may) {
  engine::Looks& looks = looks_at(address);
  std::vector<engine::Timing> all(static_cast<std::size_t>(count));
  static_assert(sizeof(engine::Timing) == 2 * sizeof(jlong));
  env->GetLongArrayRegion(timings, 0, 2 * count, reinterpret_cast<jlong*>(all.data()));
  looks.after(all, platform::now_ns(), may == JNI_TRUE);
  return static_cast<jlong>(looks.due_ns());
}

/// A native method: JNI's own table takes pointers to char that it never writes to.
template <class Function>
JNINativeMethod method(const char* name, const char* signature, Function* function) {
  return {const_cast<char*>(name), const_cast<char*>(signature), reinterpret_cast<void*>(function)};
}

}  // namespace

/// Whatever Java misses here, or has and we do not, is found when the library is loaded and not in a trial.
JNIEXPORT jint JNI_OnLoad(JavaVM* machine, void*) {
  JNIEnv* env = nullptr;
  if (machine->GetEnv(reinterpret_cast<void**>(&env), JNI_VERSION_10) != JNI_OK) return JNI_ERR;
  const std::array methods{
      method("request", "([B)[[B", request),
      method("refuse", "([BLthreadping/probe/engine/Experiment;)V", refuse),
      method("allowedCpus", "()[I", allowed_cpus),
      method("pinThread", "([I)[I", pin_thread),
      method("pinProcess", "([I)[I", pin_process),
      method("task", "()I", task),
      method("dieWithParent", "(I)V", die_with_parent),
      method("sleep", "(J)V", sleep_for),
      method("clockStep", "([J)J", clock_step),
      method("compareClocks", "([I[J)Z", compare_clocks),
      method("memory", "(J)J", memory),
      method("nodes", "(J)[I", nodes),
      method("threadCounters", "([J)V", thread_counters),
      method("migrations", "()J", migrations),
      method("countersOfAll", "(Ljava/lang/String;[J)V", counters_of_all),
      method("machineCounters", "([I[J)V", machine_counters),
      method("jvmCounters", "([J)Z", jvm_counters),
      method("openPackage", "(Ljava/lang/Module;Ljava/lang/String;)V", open_package),
      method("idleStates", "(ILjava/lang/String;)J", idle_states),
      method("lookAtIdle", "(J)J", look_at_idle),
      method("looks", "(Lthreadping/probe/contract/Request$Outliers;[IZD)J", looks),
      method("forgetLooks", "(J)V", forget_looks),
      method("beginLooks", "(JJJ)J", begin_looks),
      method("lookBefore", "(J)J", look_before),
      method("lookAfter", "(J[JIZ)J", look_after),
      method("description",
             "(Ljava/lang/String;Ljava/lang/String;Ljava/lang/String;Ljava/util/List;Ljava/util/List;)[B", description),
      method("result", "(Lthreadping/probe/contract/Result;)[B", result),
  };
  jclass owner = env->FindClass("threadping/probe/platform/Native");
  if (owner == nullptr || env->RegisterNatives(owner, methods.data(), methods.size()) != JNI_OK) return JNI_ERR;
  return JNI_VERSION_10;
}
