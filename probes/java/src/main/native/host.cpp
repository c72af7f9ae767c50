#include "host.hpp"

#include <algorithm>
#include <array>
#include <cstring>
#include <new>
#include <string>
#include <string_view>
#include <system_error>
#include <utility>
#include <variant>

#include "platform/futex.hpp"
#include "platform/pinning.hpp"
#include "platform/threads.hpp"

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

/// The calling thread's way into the virtual machine; one of ours has it as long as this stands.
class Attached {
 public:
  explicit Attached(JavaVM* machine) : machine_(machine) {
    was_ = machine->GetEnv(reinterpret_cast<void**>(&env_), JNI_VERSION_10) == JNI_OK;
    if (!was_ && machine->AttachCurrentThreadAsDaemon(reinterpret_cast<void**>(&env_), nullptr) != JNI_OK)
      throw Failure(ErrorCode::unsupported,
                    "The virtual machine takes no further thread: give it more memory, or ask for fewer threads.");
  }
  Attached(const Attached&) = delete;
  Attached& operator=(const Attached&) = delete;
  ~Attached() {
    if (!was_) machine_->DetachCurrentThread();
  }

  [[nodiscard]] JNIEnv* env() const { return env_; }

 private:
  JavaVM* machine_;
  JNIEnv* env_ = nullptr;
  bool was_;
};

}  // namespace

// --- the stage ---

JavaStage::JavaStage(JNIEnv* env, Object stage, std::size_t threads) : env_(env), stage_(std::move(stage)) {
  jmethodID role_of = stage_.method("roleOf", "(I)I");
  for (std::size_t thread = 0; thread < threads; ++thread)
    roles_.push_back(
        static_cast<std::size_t>(checked(env, env->CallIntMethod(self(), role_of, static_cast<jint>(thread)))));
}

bool JavaStage::compares_clocks(std::size_t one, std::size_t other) const {
  const jboolean compares =
      env_->CallBooleanMethod(self(), compares_clocks_, static_cast<jint>(one), static_cast<jint>(other));
  refuse_thrown(env_);
  return compares == JNI_TRUE;
}

void JavaStage::stop(std::size_t line) {
  env_->CallVoidMethod(self(), stop_, static_cast<jint>(line));
  refuse_thrown(env_);
}

std::uint64_t JavaStage::progress(std::size_t line) const {
  const jlong progress = env_->CallLongMethod(self(), progress_, static_cast<jint>(line));
  refuse_thrown(env_);
  return static_cast<std::uint64_t>(progress);
}

contract::Counts JavaStage::counts(std::span<const std::uint64_t> ops) const {
  jlongArray array = checked(env_, env_->NewLongArray(static_cast<jsize>(ops.size())));
  env_->SetLongArrayRegion(array, 0, static_cast<jsize>(ops.size()), reinterpret_cast<const jlong*>(ops.data()));
  const Object map = stage_.called("counts", "([J)Ljava/util/Map;", array);
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
  return reinterpret_cast<const std::byte*>(
      checked(env_, env_->CallLongMethod(self(), stage_.method("memory", "()J"))));
}

// --- its threads ---

engine::Visited visited_in(JNIEnv* env, jlongArray array) {
  std::array<jlong, 4> in{};
  env->GetLongArrayRegion(array, 0, in.size(), in.data());
  return {.throughput_ns = static_cast<std::uint64_t>(in[0]),
          .throughput = static_cast<std::uint64_t>(in[1]),
          .sampling_ns = static_cast<std::uint64_t>(in[2]),
          .sampling = static_cast<std::uint64_t>(in[3])};
}

JavaHost::JavaHost(JNIEnv* env, const Object& experiment) : env_(env), experiment_(experiment) {
  env->GetJavaVM(&machine_);
}

std::unique_ptr<engine::Stage> JavaHost::stage(const contract::Request& request, const engine::Mechanism& mechanism) {
  const engine::Params params(mechanism.name, mechanism.params, request.params);  // which checks them
  virtual_ = !mechanism.pinnable;
  jobjectArray given = checked(env_, env_->NewObjectArray(static_cast<jsize>(2 * request.params.size()),
                                                          checked(env_, env_->FindClass("java/lang/String")), nullptr));
  jsize next = 0;
  for (const auto& [name, value] : request.params) {
    const auto* number = std::get_if<std::int64_t>(&value);
    const std::string text = number != nullptr ? std::to_string(*number) : std::get<std::string>(value);
    env_->SetObjectArrayElement(given, next++, string(env_, name));
    env_->SetObjectArrayElement(given, next++, string(env_, text));
  }
  const auto mechanisms = experiment_.list("mechanisms");
  const auto java =
      std::ranges::find(*mechanisms, mechanism.name, [](const Object& each) { return each.text("name"); });
  jintArray home = request.home ? ints(env_, *request.home) : nullptr;
  const std::size_t threads = request.cpus.size();
  try {
    return std::make_unique<JavaStage>(
        env_,
        java->called("stage", "([Ljava/lang/String;IIJ[I)Lthreadping/probe/engine/Stage;", given,
                     static_cast<jint>(request.lines), static_cast<jint>(threads), static_cast<jlong>(request.seed),
                     home),
        threads);
  } catch (const std::system_error&) {
    throw platform::too_few_threads(0, threads);
  }
}

/// Nothing may fail once its thread runs: whoever waits for it is there before.
platform::Threads::Join JavaHost::start(engine::Worker& worker) {
  jobject made = in_frame(env_, [&] { return worker_of(worker); });
  jclass type = env_->GetObjectClass(made);
  jmethodID start = checked(env_, env_->GetMethodID(type, "start", "()V"));
  const platform::Threads::Join joined = [env = env_, made,
                                          join = checked(env_, env_->GetMethodID(type, "join", "()V"))] {
    env->CallVoidMethod(made, join);
    env->ExceptionClear();  // it has told that it ended
  };
  env_->DeleteLocalRef(type);
  env_->CallVoidMethod(made, start);
  refuse_thrown(env_);
  return joined;
}

/// The Java half of a worker.
jobject JavaHost::worker_of(engine::Worker& worker) const {
  engine::Scene& scene = worker.scene();
  engine::Board& board = worker.board();
  const auto at = [](const std::atomic<std::uint64_t>& word) { return reinterpret_cast<jlong>(&word); };
  jlongArray addresses = checked(env_, env_->NewLongArray(5));
  give(env_, addresses,
       std::array{at(scene.orders->number_word()), at(board.ops), at(board.readings), at(board.finished), at(asked_)});
  const std::string role(scene.experiment.roles[scene.stage->role_of(worker.index())].name);
  jclass type = checked(env_, env_->FindClass("threadping/probe/engine/Worker"));
  jmethodID make =
      checked(env_, env_->GetMethodID(type, "<init>", "(JLthreadping/probe/engine/Stage;ILjava/lang/String;ZZZZ[JI)V"));
  return checked(
      env_, env_->NewObject(type, make, reinterpret_cast<jlong>(&worker), static_cast<JavaStage&>(*scene.stage).self(),
                            static_cast<jint>(worker.index()), string(env_, role), static_cast<jboolean>(virtual_),
                            static_cast<jboolean>(bool(worker.lead())), static_cast<jboolean>(scene.experiment.stream),
                            static_cast<jboolean>(worker.crowded()), addresses,
                            static_cast<jint>(worker.recorder().places().size())));
}

/// Whatever goes wrong, the first worker leads, if only to order all the others to leave.
void JavaHost::lead(JNIEnv* env, jobject java, engine::Worker& worker) {
  worker.board().attempt([&] { prepare_to_lead(env, java, worker); });
  if (lead_.joinable()) return;
  worker.lead()();
  asked_ = kNoMore;
}

void JavaHost::prepare_to_lead(JNIEnv* env, jobject java, engine::Worker& worker) {
  first_env_ = env;
  first_ = java;
  jclass type = env->GetObjectClass(java);
  visit_method_ = checked(env, env->GetMethodID(type, "visit", "(IJJIZ)V"));
  visited_field_ = checked(env, env->GetFieldID(type, "visited", "[J"));
  if (!virtual_) return;
  const std::size_t workers = worker.scene().boards.size();
  try {
    lead_ = std::thread([this, &worker] {
      worker.lead()();
      asked_ = kNoMore;
    });
  } catch (const std::system_error&) {
    throw platform::too_few_threads(workers, workers + 1);
  }
}

engine::Visited JavaHost::visit(engine::Worker& /*worker*/, std::uint32_t line, const engine::Visit& visit) {
  if (virtual_) {
    const std::uint32_t answered = answered_;
    line_ = line;
    visit_ = visit;
    ++asked_;
    while (answered_ == answered) platform::futex_wait(answered_, answered, platform::Sharing::threads);
    return visited_;
  }
  first_env_->CallVoidMethod(first_, visit_method_, static_cast<jint>(line), static_cast<jlong>(visit.lead_in),
                             static_cast<jlong>(visit.throughput), static_cast<jint>(visit.sampling),
                             static_cast<jboolean>(visit.whole));
  refuse_thrown(first_env_);
  const Object array(first_env_, first_env_->GetObjectField(first_, visited_field_));
  return visited_in(first_env_, static_cast<jlongArray>(array.self()));
}

std::optional<std::array<jlong, 5>> JavaHost::ordered() const {
  if (asked_ == kNoMore) return std::nullopt;
  return std::array<jlong, 5>{line_, static_cast<jlong>(visit_.lead_in), static_cast<jlong>(visit_.throughput),
                              static_cast<jlong>(visit_.sampling), visit_.whole};
}

void JavaHost::made(const engine::Visited& visited) {
  visited_ = visited;
  ++answered_;
  platform::futex_wake(answered_, platform::Sharing::threads);
}

void JavaHost::end_lead() {
  if (lead_.joinable()) lead_.join();
}

/// Which carrier runs which virtual thread changes at any time: what all of them use together counts for the first.
platform::ThreadCounters JavaHost::counters(std::size_t worker) {
  if (!virtual_) return platform::read_quick_counters();
  return worker == 0 ? platform::read_counters_of_all(kCarriers) : platform::ThreadCounters{.migrations = 0};
}

// --- its virtual machine ---

void JavaHost::tell_clock(contract::Result& result) {
  Host::tell_clock(result);
  result.clock_name = "System.nanoTime";
  jclass clock = checked(env_, env_->FindClass("threadping/probe/platform/Clock"));
  result.clock.cost_ns = checked(
      env_, env_->CallStaticDoubleMethod(clock, checked(env_, env_->GetStaticMethodID(clock, "costNs", "()D"))));
}

contract::Managed JavaHost::upkeep() {
  static const JvmCounters counters;
  contract::Managed so_far{};
  if (counters.compiled_ns != nullptr && !counters.collections.empty()) {
    so_far.compile_ms = read<std::uint64_t>(counters.compiled_ns) / 1'000'000;
    for (const char* each : counters.collections) so_far.collections += read<std::uint64_t>(each);
    return so_far;
  }
  const Attached attached(machine_);
  JNIEnv* env = attached.env();
  jclass jvm = checked(env, env->FindClass("threadping/probe/platform/Jvm"));
  const auto told = [&](const char* name) {
    return checked(env, env->CallStaticLongMethod(jvm, checked(env, env->GetStaticMethodID(jvm, name, "()J"))));
  };
  if (const jlong compile_ms = told("compileMs"); compile_ms >= 0)
    so_far.compile_ms = static_cast<std::uint64_t>(compile_ms);
  so_far.collections = static_cast<std::uint64_t>(told("collections"));
  env->DeleteLocalRef(jvm);
  return so_far;
}

std::optional<std::vector<contract::Pause>> JavaHost::pauses() {
  const Object list = called_in(env_, "threadping/probe/platform/SafepointLog", "read", "()Ljava/util/List;");
  if (!list) return std::nullopt;
  std::vector<contract::Pause> pauses;
  for (const Object& pause : list.listed())
    pauses.push_back({.at_ns = pause.count("atNs"), .ns = pause.count("ns"), .name = pause.text("name")});
  return pauses;
}

}  // namespace threadping::java
