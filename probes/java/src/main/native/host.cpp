#include "host.hpp"

#include <array>
#include <cstring>
#include <string_view>
#include <system_error>
#include <utility>

#include "platform/futex.hpp"
#include "platform/pinning.hpp"

// HotSpot's, where that is the virtual machine.
extern "C" {
[[gnu::weak, gnu::visibility("default")]] extern const char* gHotSpotVMStructs;
[[gnu::weak, gnu::visibility("default")]] extern std::uint64_t gHotSpotVMStructEntryArrayStride;
[[gnu::weak, gnu::visibility("default")]] extern std::uint64_t gHotSpotVMStructEntryTypeNameOffset;
[[gnu::weak, gnu::visibility("default")]] extern std::uint64_t gHotSpotVMStructEntryFieldNameOffset;
[[gnu::weak, gnu::visibility("default")]] extern std::uint64_t gHotSpotVMStructEntryAddressOffset;
}

namespace threadping::java {
namespace {

/// Of the threads that carry virtual ones: workers of the first ForkJoinPool that numbers itself, and this process has
/// no other.
constexpr const char* kCarriers = "ForkJoinPool-1-";

// --- what HotSpot counts of itself ---

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

/// As jstat shows it: nanoseconds of compiling, and how often each collector stopped it. Nothing of another virtual
/// machine, or with -XX:-UsePerfData.
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

// --- what workers call of their C++ halves ---

Part& part_at(jlong address) { return *reinterpret_cast<Part*>(address); }
engine::Worker& worker_at(jlong address) { return part_at(address).worker; }

jlong due_of(engine::Worker& worker) {
  return static_cast<jlong>(std::min<std::uint64_t>(worker.recorder().due_ns(), INT64_MAX));
}

void stand(JNIEnv* env, jclass, jlong self) {
  tried(env, [&] { worker_at(self).stand(); });
}

void lead(JNIEnv*, jclass, jlong self) { part_at(self).host.lead(part_at(self)); }

void await_order(JNIEnv*, jclass, jlong self, jlong number) {
  worker_at(self).scene().orders->sleep(static_cast<std::uint64_t>(number));
}

jlong take_up(JNIEnv* env, jclass, jlong self, jlong number, jlongArray into) {
  engine::Worker& worker = worker_at(self);
  return tried(env, [&] {
    const engine::Order order = worker.take_up(static_cast<std::uint64_t>(number));
    const std::uint64_t chunk = order.chunk > 0 ? engine::Worker::chunk_of(order).count : 0;
    give(env, into,
         std::array<jlong, 6>{order.leave, order.line, static_cast<jlong>(order.count), order.whole,
                              static_cast<jlong>(chunk), order.every});
    return due_of(worker);
  });
}

jboolean take_visit(JNIEnv* env, jclass, jlong self, jlongArray into) {
  const Part& part = part_at(self);
  if (part.asked == Part::kNoMore) return JNI_FALSE;
  const engine::Visit& visit = part.visit;
  give(env, into,
       std::array<jlong, 5>{part.line, static_cast<jlong>(visit.lead_in), static_cast<jlong>(visit.throughput),
                            static_cast<jlong>(visit.sampling), visit.whole});
  return JNI_TRUE;
}

engine::Visited visited_in(JNIEnv* env, jlongArray array) {
  std::array<jlong, 4> in{};
  env->GetLongArrayRegion(array, 0, in.size(), in.data());
  return {.throughput_ns = static_cast<std::uint64_t>(in[0]),
          .throughput = static_cast<std::uint64_t>(in[1]),
          .sampling_ns = static_cast<std::uint64_t>(in[2]),
          .sampling = static_cast<std::uint64_t>(in[3])};
}

void visited(JNIEnv* env, jclass, jlong self, jlongArray array) {
  Part& part = part_at(self);
  part.visited = visited_in(env, array);
  ++part.answered;
  platform::futex_wake(part.answered, platform::Sharing::threads);
}

jlong look_before(JNIEnv*, jclass, jlong self) {
  worker_at(self).recorder().about_to_time();
  return due_of(worker_at(self));
}

/// Copied without a collection in between, which takes less than a copy that allows one.
jlong take(JNIEnv* env, jclass, jlong self, jlongArray from_ns, jlongArray to_ns, jint timed, jintArray index,
           jlongArray numbers, jint numbered, jlongArray made, jlongArray found, jboolean may_look) {
  engine::Recorder& recorder = worker_at(self).recorder();
  if (timed > 0) {
    const auto* from = static_cast<const jlong*>(env->GetPrimitiveArrayCritical(from_ns, nullptr));
    const auto* to = static_cast<const jlong*>(env->GetPrimitiveArrayCritical(to_ns, nullptr));
    const auto places = recorder.places();
    for (std::size_t each = 0; each < static_cast<std::size_t>(timed); ++each)
      places[each] = {.from_ns = static_cast<std::uint64_t>(from[each]), .to_ns = static_cast<std::uint64_t>(to[each])};
    recorder.filled(static_cast<std::size_t>(timed));
    env->ReleasePrimitiveArrayCritical(to_ns, const_cast<jlong*>(to), JNI_ABORT);
    env->ReleasePrimitiveArrayCritical(from_ns, const_cast<jlong*>(from), JNI_ABORT);
  }
  if (numbered > 0) {
    const auto* which = static_cast<const jint*>(env->GetPrimitiveArrayCritical(index, nullptr));
    const auto* values = static_cast<const jlong*>(env->GetPrimitiveArrayCritical(numbers, nullptr));
    for (std::size_t each = 0; each < static_cast<std::size_t>(numbered); ++each)
      recorder.number(static_cast<std::size_t>(which[each]), static_cast<std::uint64_t>(values[each]));
    env->ReleasePrimitiveArrayCritical(numbers, const_cast<jlong*>(values), JNI_ABORT);
    env->ReleasePrimitiveArrayCritical(index, const_cast<jint*>(which), JNI_ABORT);
  }
  std::array<std::array<jlong, engine::Samples::kMostTallies>, 2> tallies{};
  env->GetLongArrayRegion(made, 0, tallies[0].size(), tallies[0].data());
  env->GetLongArrayRegion(found, 0, tallies[1].size(), tallies[1].data());
  for (std::size_t pair = 0; pair < engine::Samples::kMostTallies; ++pair)
    recorder.tally(pair, static_cast<std::uint64_t>(tallies[0][pair]), static_cast<std::uint64_t>(tallies[1][pair]));
  recorder.take(may_look == JNI_TRUE);
  return due_of(worker_at(self));
}

void fail(JNIEnv* env, jclass, jlong self, jint code, jstring sentence) {
  worker_at(self).board().attempt([&] { throw Failure(static_cast<ErrorCode>(code), text(env, sentence)); });
}

/// Whoever leads for it has come to its end too: that uses the trial no less.
void end(JNIEnv*, jclass, jlong self) {
  Part& part = part_at(self);
  if (part.lead.joinable()) part.lead.join();
  part.worker.end();
}

}  // namespace

// --- the stage ---

JavaStage::JavaStage(JNIEnv* env, jobject stage, std::size_t threads)
    : env_(env),
      stage_(env, stage),
      compares_clocks_(stage_.method("comparesClocks", "(II)Z")),
      stop_(stage_.method("stop", "(I)V")),
      progress_(stage_.method("progress", "(I)J")) {
  jmethodID role_of = stage_.method("roleOf", "(I)I");
  for (std::size_t thread = 0; thread < threads; ++thread)
    roles_.push_back(static_cast<std::size_t>(env->CallIntMethod(stage_.self(), role_of, static_cast<jint>(thread))));
  refuse_thrown(env);
}

bool JavaStage::compares_clocks(std::size_t one, std::size_t other) const {
  return env_->CallBooleanMethod(stage_.self(), compares_clocks_, static_cast<jint>(one), static_cast<jint>(other)) ==
         JNI_TRUE;
}

void JavaStage::stop(std::size_t line) { env_->CallVoidMethod(stage_.self(), stop_, static_cast<jint>(line)); }

std::uint64_t JavaStage::progress(std::size_t line) const {
  return static_cast<std::uint64_t>(env_->CallLongMethod(stage_.self(), progress_, static_cast<jint>(line)));
}

contract::Counts JavaStage::counts(std::span<const std::uint64_t> ops) const {
  jlongArray array = env_->NewLongArray(static_cast<jsize>(ops.size()));
  env_->SetLongArrayRegion(array, 0, static_cast<jsize>(ops.size()), reinterpret_cast<const jlong*>(ops.data()));
  const Object map(env_, env_->CallObjectMethod(stage_.self(), stage_.method("counts", "([J)Ljava/util/Map;"), array));
  refuse_thrown(env_);
  contract::Counts counts;
  const Object entries = map.called("entrySet", "()Ljava/util/Set;").called("toArray", "()[Ljava/lang/Object;");
  for (const Object& entry : entries.elements()) {
    const Object held = entry.called("getValue", "()Ljava/lang/Object;");
    counts[entry.called("getKey", "()Ljava/lang/Object;").text()] = {
        .made = held.count("made"), .found = held.count("found"), .exact = held.flag("exact")};
  }
  return counts;
}

const std::byte* JavaStage::memory() const {
  return reinterpret_cast<const std::byte*>(env_->CallLongMethod(stage_.self(), stage_.method("memory", "()J")));
}

// --- its threads ---

JavaHost::JavaHost(JNIEnv* env, const JavaStage& stage, bool virtual_threads)
    : env_(env), stage_(stage), virtual_(virtual_threads) {}

platform::Threads::Join JavaHost::start(engine::Worker& worker) {
  Part& part = parts_.emplace_back(*this, worker);
  engine::Scene& scene = worker.scene();
  engine::Board& board = worker.board();
  const auto at = [](const std::atomic<std::uint64_t>& word) { return reinterpret_cast<jlong>(&word); };
  jlongArray addresses = env_->NewLongArray(5);
  give(env_, addresses,
       std::array{at(scene.orders->number_word()), at(board.ops), at(board.readings), at(board.finished),
                  at(part.asked)});
  const std::string role(scene.experiment.roles[stage_.role_of(worker.index())].name);
  jclass type = env_->FindClass("threadping/probe/engine/Worker");
  jobject made = env_->NewObject(
      type, env_->GetMethodID(type, "<init>", "(JLthreadping/probe/engine/Stage;ILjava/lang/String;ZZZZ[JI)V"),
      reinterpret_cast<jlong>(&part), stage_.stage_.self(), static_cast<jint>(worker.index()),
      env_->NewStringUTF(role.c_str()), static_cast<jboolean>(virtual_), static_cast<jboolean>(bool(worker.lead())),
      static_cast<jboolean>(scene.experiment.stream), static_cast<jboolean>(worker.crowded()), addresses,
      static_cast<jint>(worker.recorder().places().size()));
  refuse_thrown(env_);
  visit_ = env_->GetMethodID(type, "visit", "(IJJIZ)V");
  visited_ = env_->GetFieldID(type, "visited", "[J");
  const Kept& java = part.java.emplace(env_, made);
  env_->CallVoidMethod(java.self(), java.method("start", "()V"));
  const jthrowable refused = env_->ExceptionOccurred();
  if (refused != nullptr && env_->IsInstanceOf(refused, env_->FindClass("java/lang/OutOfMemoryError")) == JNI_TRUE) {
    env_->ExceptionClear();
    throw std::system_error(EAGAIN, std::generic_category());
  }
  refuse_thrown(env_);
  return [env = env_, &java] { env->CallVoidMethod(java.self(), java.method("join", "()V")); };
}

void JavaHost::lead(Part& part) {
  if (!virtual_) return part.worker.lead()();
  part.lead = std::thread([&part] {
    part.worker.lead()();
    part.asked = Part::kNoMore;
  });
}

engine::Visited JavaHost::visit(engine::Worker& /*worker*/, std::uint32_t line, const engine::Visit& visit) {
  Part& part = parts_.back();  // the first worker's is made last
  if (virtual_) {
    const std::uint32_t answered = part.answered;
    part.line = line;
    part.visit = visit;
    ++part.asked;
    while (part.answered == answered) platform::futex_wait(part.answered, answered, platform::Sharing::threads);
    return part.visited;
  }
  const Attached env(part.java->machine());
  const jobject java = part.java->self();
  env->CallVoidMethod(java, visit_, static_cast<jint>(line), static_cast<jlong>(visit.lead_in),
                      static_cast<jlong>(visit.throughput), static_cast<jint>(visit.sampling),
                      static_cast<jboolean>(visit.whole));
  const Object array(env.get(), env->GetObjectField(java, visited_));
  return visited_in(env.get(), static_cast<jlongArray>(array.self()));
}

/// Which carrier runs which virtual thread changes at any time: what all of them use together counts for the first.
platform::ThreadCounters JavaHost::counters(std::size_t worker) {
  if (!virtual_) return platform::read_quick_counters();
  return worker == 0 ? platform::read_counters_of_all(kCarriers) : platform::ThreadCounters{.migrations = 0};
}

// --- its virtual machine ---

void JavaHost::tell_clock(contract::Result& result) {
  const Object clock =
      called_in(env_, "threadping/probe/platform/Clock", "measure", "()Lthreadping/probe/platform/Clock;");
  result.clock_name = "System.nanoTime";
  result.clock = {.cost_ns = clock.real("costNs"), .resolution_ns = clock.count("resolutionNs")};
}

contract::Managed JavaHost::upkeep() {
  static const JvmCounters counters;
  contract::Managed so_far{};
  if (counters.compiled_ns != nullptr && !counters.collections.empty()) {
    so_far.compile_ms = read<std::uint64_t>(counters.compiled_ns) / 1'000'000;
    for (const char* each : counters.collections) so_far.collections += read<std::uint64_t>(each);
    return so_far;
  }
  const Attached env(stage_.stage_.machine());
  jclass jvm = env->FindClass("threadping/probe/platform/Jvm");
  const jlong compile_ms = env->CallStaticLongMethod(jvm, env->GetStaticMethodID(jvm, "compileMs", "()J"));
  if (compile_ms >= 0) so_far.compile_ms = static_cast<std::uint64_t>(compile_ms);
  so_far.collections =
      static_cast<std::uint64_t>(env->CallStaticLongMethod(jvm, env->GetStaticMethodID(jvm, "collections", "()J")));
  env->DeleteLocalRef(jvm);
  return so_far;
}

std::optional<std::vector<contract::Pause>> JavaHost::pauses() {
  const Object list = called_in(env_, "threadping/probe/engine/Trial", "pauses", "()Ljava/util/List;");
  refuse_thrown(env_);
  if (!list) return std::nullopt;
  std::vector<contract::Pause> pauses;
  for (const Object& pause : list.listed())
    pauses.push_back({.at_ns = pause.count("atNs"), .ns = pause.count("ns"), .name = pause.text("name")});
  return pauses;
}

std::vector<JNINativeMethod> worker_methods() {
  return {
      method("stand", "(J)V", stand),
      method("lead", "(J)V", lead),
      method("awaitOrder", "(JJ)V", await_order),
      method("takeUp", "(JJ[J)J", take_up),
      method("takeVisit", "(J[J)Z", take_visit),
      method("visited", "(J[J)V", visited),
      method("lookBefore", "(J)J", look_before),
      method("take", "(J[J[JI[I[JI[J[JZ)J", take),
      method("fail", "(JILjava/lang/String;)V", fail),
      method("end", "(J)V", end),
  };
}

}  // namespace threadping::java
