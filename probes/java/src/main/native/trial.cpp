// A trial of Java's: threadping.h's callbacks, each a method of threadping.probe.engine.Trial, and what workers call.

#include <cstdlib>
#include <deque>
#include <memory>
#include <string>
#include <vector>

#include "java.hpp"

namespace threadping::java {
namespace {

/// The methods of Trial, found before one is called.
struct Methods {
  jmethodID make, role_of, compares_clocks, stop, progress, count, memory;
  jmethodID start, join, visit, clock_ns, compile_ms, collections, pauses;

  /// Those that are missing are null, and Java has thrown.
  explicit Methods(JNIEnv* env, jclass trial) {
    const auto find = [&](const char* name, const char* signature) {
      return env->ExceptionCheck() == JNI_TRUE ? nullptr : env->GetMethodID(trial, name, signature);
    };
    make = find("make", "(Ljava/lang/String;Ljava/lang/String;IIJ[I)V");
    role_of = find("roleOf", "(I)I");
    compares_clocks = find("comparesClocks", "(II)Z");
    stop = find("stop", "(I)V");
    progress = find("progress", "(I)J");
    count = find("count", "([JJ)V");
    memory = find("memory", "()J");
    start = find("start", "(J)V");
    join = find("join", "(I)V");
    visit = find("visit", "()V");
    clock_ns = find("clockNs", "()D");
    compile_ms = find("compileMs", "()J");
    collections = find("collections", "()J");
    pauses = find("pauses", "(J)Z");
  }
};

/// A Trial, and the ways to it. It is the stage.
struct JavaTrial {
  JavaVM* machine;
  jobject self;
  Methods methods;
  jsize threads = 0;
};
JavaTrial& trial_at(void* stage) { return *static_cast<JavaTrial*>(stage); }

/// The calling thread's way into the virtual machine; a thread of ours has it as long as this stands.
class Attached {
 public:
  explicit Attached(JavaVM* machine) : machine_(machine) {
    was_ = machine->GetEnv(reinterpret_cast<void**>(&env_), JNI_VERSION_10) == JNI_OK;
    if (!was_ && machine->AttachCurrentThreadAsDaemon(reinterpret_cast<void**>(&env_), nullptr) != JNI_OK)
      env_ = nullptr;
  }
  Attached(const Attached&) = delete;
  Attached& operator=(const Attached&) = delete;
  ~Attached() {
    if (!was_ && env_ != nullptr) machine_->DetachCurrentThread();
  }

  /// Null where the virtual machine takes no further thread.
  [[nodiscard]] JNIEnv* env() const { return env_; }

 private:
  JavaVM* machine_;
  JNIEnv* env_ = nullptr;
  bool was_;
};

/// What a method gives, by the function of JNI for what it gives. What it throws is told; nothing is given then.
template <class Value, class... Given>
Value called(void* stage, threadping_failure* why, Value (JNIEnv::*by)(jobject, jmethodID, ...),
             jmethodID Methods::* method, Given... given) {
  const JavaTrial& trial = trial_at(stage);
  const Attached attached(trial.machine);
  if (attached.env() == nullptr) {
    threadping_fail(why, THREADPING_UNSUPPORTED,
                    "The virtual machine takes no further thread: give it more memory, or ask for fewer threads.");
    return Value();
  }
  if constexpr (std::is_void_v<Value>) {
    (attached.env()->*by)(trial.self, trial.methods.*method, given...);
    tell_thrown(attached.env(), *why);
  } else {
    const Value value = (attached.env()->*by)(trial.self, trial.methods.*method, given...);
    tell_thrown(attached.env(), *why);
    return why->code == THREADPING_OK ? value : Value();
  }
}

/// Of what may not fail: what has gone wrong is said elsewhere.
threadping_failure& unsaid() {
  thread_local threadping_failure unsaid;
  return unsaid = no_failure();
}

void* make(void* context, const threadping_setup* setup, threadping_failure* why) {
  JNIEnv* env = Attached(trial_at(context).machine).env();
  trial_at(context).threads = static_cast<jsize>(setup->threads);
  jstring mechanism = env->NewStringUTF(setup->mechanism);
  jstring params = mechanism == nullptr ? nullptr : env->NewStringUTF(setup->params);
  jintArray home = params == nullptr || setup->home == nullptr ? nullptr : ints(env, setup->home, setup->homes);
  if (env->ExceptionCheck() == JNI_FALSE)
    called(context, why, &JNIEnv::CallVoidMethod, &Methods::make, mechanism, params, static_cast<jint>(setup->lines),
           static_cast<jint>(setup->threads), static_cast<jlong>(setup->seed), home);
  tell_thrown(env, *why);
  return context;
}

std::uint32_t role_of(void* stage, std::uint32_t thread) {
  return static_cast<std::uint32_t>(
      called(stage, &unsaid(), &JNIEnv::CallIntMethod, &Methods::role_of, static_cast<jint>(thread)));
}

int compares_clocks(void* stage, std::uint32_t one, std::uint32_t other) {
  return called(stage, &unsaid(), &JNIEnv::CallBooleanMethod, &Methods::compares_clocks, static_cast<jint>(one),
                static_cast<jint>(other));
}

void stop(void* stage, std::uint32_t line, threadping_failure* why) {
  called(stage, why, &JNIEnv::CallVoidMethod, &Methods::stop, static_cast<jint>(line));
}

std::uint64_t progress(void* stage, std::uint32_t line, threadping_failure* why) {
  return static_cast<std::uint64_t>(
      called(stage, why, &JNIEnv::CallLongMethod, &Methods::progress, static_cast<jint>(line)));
}

void count(void* stage, const std::uint64_t* ops, threadping_counts* counts, threadping_failure* why) {
  JNIEnv* env = Attached(trial_at(stage).machine).env();
  const jsize threads = trial_at(stage).threads;
  jlongArray array = env->NewLongArray(threads);
  if (array != nullptr) {
    env->SetLongArrayRegion(array, 0, threads, reinterpret_cast<const jlong*>(ops));
    called(stage, why, &JNIEnv::CallVoidMethod, &Methods::count, array, reinterpret_cast<jlong>(counts));
  }
  tell_thrown(env, *why);
}

const void* memory(void* stage) {
  return reinterpret_cast<const void*>(called(stage, &unsaid(), &JNIEnv::CallLongMethod, &Methods::memory));
}

void start(void* stage, threadping_worker* words, threadping_failure* why) {
  called(stage, why, &JNIEnv::CallVoidMethod, &Methods::start, reinterpret_cast<jlong>(words));
}

void join(void* stage, std::uint32_t thread) {
  called(stage, &unsaid(), &JNIEnv::CallVoidMethod, &Methods::join, static_cast<jint>(thread));
}

void visit(void* stage, threadping_worker* /*words*/) {
  called(stage, &unsaid(), &JNIEnv::CallVoidMethod, &Methods::visit);
}

double clock_ns(void* stage, threadping_failure* why) {
  return called(stage, why, &JNIEnv::CallDoubleMethod, &Methods::clock_ns);
}

threadping_upkeep upkeep(void* stage, threadping_failure* why) {
  threadping_upkeep so_far{};
  if (read_hotspot(so_far)) return so_far;
  so_far.compile_ms = static_cast<std::uint64_t>(called(stage, why, &JNIEnv::CallLongMethod, &Methods::compile_ms));
  so_far.collections = static_cast<std::uint64_t>(called(stage, why, &JNIEnv::CallLongMethod, &Methods::collections));
  return so_far;
}

int pauses(void* stage, threadping_pauses* pauses, threadping_failure* why) {
  return called(stage, why, &JNIEnv::CallBooleanMethod, &Methods::pauses, reinterpret_cast<jlong>(pauses));
}

/// An experiment of Java's, as described, and a trial of it where there is one.
struct Added {
  std::string description;
  threadping_stage stage;
  threadping_workers workers;

  Added(std::string text, JavaTrial* trial)
      : description(std::move(text)),
        stage{.size = sizeof stage,
              .context = trial,
              .make = make,
              .free = nullptr,
              .role_of = role_of,
              .compares_clocks = compares_clocks,
              .stop = stop,
              .progress = progress,
              .count = count,
              .memory = memory},
        // Virtual threads are carried by workers of the first ForkJoinPool that numbers itself; there is no other here.
        workers{.size = sizeof workers,
                .description = description.c_str(),
                .stage = &stage,
                .start = start,
                .join = join,
                .visit = visit,
                .carriers = "ForkJoinPool-1-",
                .clock = "System.nanoTime",
                .clock_ns = clock_ns,
                .upkeep = upkeep,
                .pauses = pauses} {}
  Added(const Added&) = delete;
  Added& operator=(const Added&) = delete;
};

/// A text of the library's as bytes of Java's; null where there is none, and why is thrown.
jbyteArray message(JNIEnv* env, char* text, const threadping_failure& why) {
  jbyteArray message = text == nullptr ? nullptr : bytes(env, std::string(text) + "\n");
  free(text);
  throw_in_java(env, why);
  return message;
}

/// Of a probe with this identity and these experiments.
jbyteArray description(JNIEnv* env, jclass, jstring identity, jobjectArray experiments) {
  std::deque<Added> added;
  threadping_probe* probe = threadping_probe_new(THREADPING_VERSION, text(env, identity).c_str());
  for (jsize each = 0; each < env->GetArrayLength(experiments); ++each) {
    const auto experiment = static_cast<jstring>(env->GetObjectArrayElement(experiments, each));
    threadping_add_workers(probe, &added.emplace_back(text(env, experiment), nullptr).workers);
  }
  threadping_failure why = no_failure();
  char* text = threadping_describe(probe, &why);
  threadping_probe_free(probe);
  return message(env, text, why);
}

jstring experiment(JNIEnv* env, jclass, jbyteArray request) {
  threadping_failure why = no_failure();
  char* name = threadping_experiment(text(env, request).c_str(), &why);
  jstring given = name == nullptr ? nullptr : env->NewStringUTF(name);
  free(name);
  throw_in_java(env, why);
  return given;
}

/// A probe that does not describe itself.
constexpr const char* kNobody = R"({"probe": "-", "version": "-", "toolchain": {"name": "-", "version": "-", "flags": []}})";

/// All that a trial uses is left to threads that may remain where it failed.
jbyteArray trial(JNIEnv* env, jclass, jbyteArray request, jstring description, jobject self) {
  JavaVM* machine = nullptr;
  env->GetJavaVM(&machine);
  jobject kept = env->NewGlobalRef(self);
  const Methods methods(env, env->GetObjectClass(self));
  if (kept == nullptr || env->ExceptionCheck() == JNI_TRUE) return nullptr;
  auto* java = new JavaTrial{.machine = machine, .self = kept, .methods = methods};
  auto* added = new Added(text(env, description), java);
  threadping_probe* probe = threadping_probe_new(THREADPING_VERSION, kNobody);
  threadping_add_workers(probe, &added->workers);
  threadping_failure why = no_failure();
  char* result = threadping_run(probe, text(env, request).c_str(), &why);
  if (result != nullptr) {
    threadping_probe_free(probe);
    env->DeleteGlobalRef(kept);
    delete added;
    delete java;
  }
  return message(env, result, why);
}

void counted(JNIEnv* env, jclass, jlong counts, jstring name, jlong made, jlong found, jboolean must_be_equal) {
  threadping_count(reinterpret_cast<threadping_counts*>(counts), text(env, name).c_str(),
                   static_cast<std::uint64_t>(made), static_cast<std::uint64_t>(found), must_be_equal);
}

void paused(JNIEnv* env, jclass, jlong pauses, jlong at_ns, jlong ns, jstring name) {
  threadping_pause(reinterpret_cast<threadping_pauses*>(pauses), static_cast<std::uint64_t>(at_ns),
                   static_cast<std::uint64_t>(ns), text(env, name).c_str());
}

// --- what workers call ---

threadping_worker* at(jlong words) { return reinterpret_cast<threadping_worker*>(words); }

jboolean stand(JNIEnv*, jclass, jlong words) { return threadping_stand(at(words)) == 0; }
void lead(JNIEnv*, jclass, jlong words) { threadping_lead(at(words)); }
void await_order(JNIEnv*, jclass, jlong words, jlong number) {
  threadping_await_order(at(words), static_cast<std::uint64_t>(number));
}
void take_up(JNIEnv*, jclass, jlong words, jlong number) {
  threadping_take_up(at(words), static_cast<std::uint64_t>(number));
}
jboolean take_visit(JNIEnv*, jclass, jlong words) { return threadping_take_visit(at(words)) != 0; }
void visited(JNIEnv*, jclass, jlong words) { threadping_visited(at(words)); }
void look_before(JNIEnv*, jclass, jlong words) { threadping_look_before(at(words)); }
void take(JNIEnv*, jclass, jlong words, jint timed, jint numbered, jboolean may_look) {
  threadping_take(at(words), static_cast<std::size_t>(timed), static_cast<std::size_t>(numbered), may_look);
}
void end(JNIEnv*, jclass, jlong words) { threadping_end(at(words)); }

void fail(JNIEnv* env, jclass, jlong words, jthrowable error) {
  threadping_failure why = no_failure();
  tell(env, error, why);
  const bool unforeseen = why.code == THREADPING_INTERNAL;
  threadping_worker_failed(at(words), static_cast<threadping_code>(why.code),
                           ((unforeseen ? "A measuring thread failed: " : "") + std::string(why.sentence)).c_str());
}

}  // namespace

std::vector<JNINativeMethod> trial_methods() {
  return {
      method("description", "(Ljava/lang/String;[Ljava/lang/String;)[B", description),
      method("experiment", "([B)Ljava/lang/String;", experiment),
      method("trial", "([BLjava/lang/String;Ljava/lang/Object;)[B", trial),
      method("count", "(JLjava/lang/String;JJZ)V", counted),
      method("pause", "(JJJLjava/lang/String;)V", paused),
      method("stand", "(J)Z", stand),
      method("lead", "(J)V", lead),
      method("awaitOrder", "(JJ)V", await_order),
      method("takeUp", "(JJ)V", take_up),
      method("takeVisit", "(J)Z", take_visit),
      method("visited", "(J)V", visited),
      method("lookBefore", "(J)V", look_before),
      method("take", "(JIIZ)V", take),
      method("fail", "(JLjava/lang/Throwable;)V", fail),
      method("end", "(J)V", end),
  };
}

}  // namespace threadping::java
