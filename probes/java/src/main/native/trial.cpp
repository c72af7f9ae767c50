// A trial of Java's: threadping.h's callbacks, each a method of threadping.probe.engine.Trial, and what workers call.

#include <cstdlib>
#include <deque>
#include <string>
#include <vector>

#include "java.hpp"

namespace threadping::java {
namespace {

/// A Trial, which is the stage, in its virtual machine.
struct JavaTrial {
  JavaVM* machine;
  jobject self;
  jclass type;
  jsize threads = 0;
};
JavaTrial& trial_at(void* stage) { return *static_cast<JavaTrial*>(stage); }

/// The calling thread's way into the virtual machine; null of a thread that is not Java's.
JNIEnv* env_of(void* stage) {
  JNIEnv* env = nullptr;
  trial_at(stage).machine->GetEnv(reinterpret_cast<void**>(&env), JNI_VERSION_10);
  return env;
}

/// What a method gives, by the function of JNI for what it gives; nothing where it throws, which is reported.
template <class Value, class... Given>
Value called(void* stage, threadping_failure* why, Value (JNIEnv::*by)(jobject, jmethodID, ...), const char* name,
             const char* signature, Given... given) {
  const JavaTrial& trial = trial_at(stage);
  JNIEnv* env = env_of(stage);
  threadping_failure unheard = no_failure();
  threadping_failure& failure = why == nullptr ? unheard : *why;
  jmethodID method = env->GetMethodID(trial.type, name, signature);
  if constexpr (std::is_void_v<Value>) {
    if (method != nullptr) (env->*by)(trial.self, method, given...);
    tell_thrown(env, failure);
  } else {
    const Value value = method == nullptr ? Value() : (env->*by)(trial.self, method, given...);
    tell_thrown(env, failure);
    return failure.code == THREADPING_OK ? value : Value();
  }
}

constexpr auto kVoid = &JNIEnv::CallVoidMethod;
constexpr auto kInt = &JNIEnv::CallIntMethod;
constexpr auto kLong = &JNIEnv::CallLongMethod;
constexpr auto kDouble = &JNIEnv::CallDoubleMethod;
constexpr auto kBoolean = &JNIEnv::CallBooleanMethod;

jint index(std::uint32_t number) { return static_cast<jint>(number); }
template <class Pointer>
jlong address(Pointer* pointer) {
  return reinterpret_cast<jlong>(pointer);
}
std::uint64_t word(jlong number) { return static_cast<std::uint64_t>(number); }

void* make(void* context, const threadping_setup* setup, threadping_failure* why) {
  JavaTrial& trial = trial_at(context);
  JNIEnv* env = env_of(context);
  trial.threads = index(setup->threads);
  jstring mechanism = env->NewStringUTF(setup->mechanism);
  jstring params = mechanism == nullptr ? nullptr : env->NewStringUTF(setup->params);
  jintArray home = params == nullptr || setup->home == nullptr ? nullptr : ints(env, setup->home, setup->homes);
  if (env->ExceptionCheck() == JNI_FALSE)
    called(context, why, kVoid, "make", "(Ljava/lang/String;Ljava/lang/String;IIJ[I)V", mechanism, params,
           index(setup->lines), trial.threads, static_cast<jlong>(setup->seed), home);
  tell_thrown(env, *why);
  return context;
}

void count_up(void* stage, const std::uint64_t* ops, threadping_counts* counts, threadping_failure* why) {
  const JavaTrial& trial = trial_at(stage);
  JNIEnv* env = env_of(stage);
  jlongArray array = env->NewLongArray(trial.threads);
  if (array != nullptr) {
    env->SetLongArrayRegion(array, 0, trial.threads, reinterpret_cast<const jlong*>(ops));
    called(stage, why, kVoid, "count", "([JJ)V", array, address(counts));
  }
  tell_thrown(env, *why);
}

/// It may be asked for by a thread of ours, which is the virtual machine's while it asks.
threadping_upkeep upkeep(void* stage, threadping_failure* why) {
  threadping_upkeep so_far{};
  if (read_hotspot(so_far)) return so_far;
  JavaVM* machine = trial_at(stage).machine;
  JNIEnv* env = env_of(stage);
  const bool ours = env == nullptr;
  if (ours && machine->AttachCurrentThreadAsDaemon(reinterpret_cast<void**>(&env), nullptr) != JNI_OK)
    return threadping_fail(why, THREADPING_UNSUPPORTED, "The virtual machine takes no further thread."), so_far;
  so_far.compile_ms = word(called(stage, why, kLong, "compileMs", "()J"));
  so_far.collections = word(called(stage, why, kLong, "collections", "()J"));
  if (ours) machine->DetachCurrentThread();
  return so_far;
}

/// An experiment of Java's, as described, and a trial of it where there is one.
struct JavaExperiment {
  std::string description;
  threadping_stage stage;
  threadping_workers workers;

  JavaExperiment(std::string text, JavaTrial* trial)
      : description(std::move(text)),
        stage{.size = sizeof stage,
              .context = trial,
              .make = make,
              .free = [](void* self) { called(self, nullptr, kVoid, "free", "()V"); },
              .role_of =
                  [](void* self, std::uint32_t thread) {
                    return static_cast<std::uint32_t>(called(self, nullptr, kInt, "roleOf", "(I)I", index(thread)));
                  },
              .compares_clocks = [](void* self, std::uint32_t one, std::uint32_t other) -> int {
                return called(self, nullptr, kBoolean, "comparesClocks", "(II)Z", index(one), index(other));
              },
              .stop = [](void* self, std::uint32_t line,
                         threadping_failure* why) { called(self, why, kVoid, "stop", "(I)V", index(line)); },
              .progress =
                  [](void* self, std::uint32_t line, threadping_failure* why) {
                    return word(called(self, why, kLong, "progress", "(I)J", index(line)));
                  },
              .count = count_up,
              .memory =
                  [](void* self) {
                    return reinterpret_cast<const void*>(called(self, nullptr, kLong, "memory", "()J"));
                  }},
        // Virtual threads are carried by workers of the first ForkJoinPool that numbers itself; there is no other here.
        workers{.size = sizeof workers,
                .description = description.c_str(),
                .stage = &stage,
                .start = [](void* self, threadping_worker* words,
                            threadping_failure* why) { called(self, why, kVoid, "start", "(J)V", address(words)); },
                .join = [](void* self,
                           std::uint32_t thread) { called(self, nullptr, kVoid, "join", "(I)V", index(thread)); },
                .visit = [](void* self, threadping_worker* /*words*/) { called(self, nullptr, kVoid, "visit", "()V"); },
                .carriers = "ForkJoinPool-1-",
                .clock = "System.nanoTime",
                .clock_ns = [](void* self,
                               threadping_failure* why) { return called(self, why, kDouble, "clockNs", "()D"); },
                .upkeep = upkeep,
                .pauses = [](void* self, threadping_pauses* pauses, threadping_failure* why) -> int {
                  return called(self, why, kBoolean, "pauses", "(J)Z", address(pauses));
                },
                // HotSpot's, with Graal's; OpenJ9's
                .compilers = "C1 Compiler,C2 Compiler,JVMCI,JIT Compilation"} {}
  JavaExperiment(const JavaExperiment&) = delete;
  JavaExperiment& operator=(const JavaExperiment&) = delete;
};

/// A text of the library's as bytes of Java's; null where there is none, and why is thrown.
jbyteArray message(JNIEnv* env, char* text, const threadping_failure& why) {
  jbyteArray message = text == nullptr ? nullptr : bytes(env, std::string(text) + "\n");
  free(text);
  throw_in_java(env, why);
  return message;
}

/// The description of a probe with this identity and these experiments.
jbyteArray description(JNIEnv* env, jclass, jstring identity, jobjectArray experiments) {
  std::deque<JavaExperiment> added;
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
constexpr const char* kNobody =
    R"({"probe": "-", "version": "-", "toolchain": {"name": "-", "version": "-", "flags": []}})";

/// All that a trial uses is left to threads that may remain where it failed.
jbyteArray trial(JNIEnv* env, jclass, jbyteArray request, jstring description, jobject self) {
  auto* java = new JavaTrial{};
  env->GetJavaVM(&java->machine);
  java->self = env->NewGlobalRef(self);
  java->type = java->self == nullptr ? nullptr : static_cast<jclass>(env->NewGlobalRef(env->GetObjectClass(self)));
  if (java->type == nullptr) return nullptr;
  auto* added = new JavaExperiment(text(env, description), java);
  threadping_probe* probe = threadping_probe_new(THREADPING_VERSION, kNobody);
  threadping_add_workers(probe, &added->workers);
  threadping_failure why = no_failure();
  char* result = threadping_run(probe, text(env, request).c_str(), &why);
  if (result != nullptr) {
    threadping_probe_free(probe);
    env->DeleteGlobalRef(java->self);
    env->DeleteGlobalRef(java->type);
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

jboolean set_up(JNIEnv*, jclass, jlong words) { return threadping_set_up(at(words)) == 0; }
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
      method("setUp", "(J)Z", set_up),
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
