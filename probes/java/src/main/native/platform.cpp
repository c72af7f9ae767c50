// What Java's mechanisms and stages need of the C++ probe's platform folder, as native methods of
// threadping.probe.platform.Native, and the table of all of them. Nothing here is called in a timed loop.
#include <jni.h>

#include <cerrno>
#include <cstdint>
#include <ctime>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "experiments/barrier/bounds.hpp"
#include "java.hpp"
#include "platform/kernel_texts.hpp"
#include "platform/memory.hpp"
#include "platform/pinning.hpp"
#include "platform/threads.hpp"

namespace {

using namespace threadping;
using namespace threadping::java;

// --- pins ---

jintArray allowed_cpus(JNIEnv* env, jclass) {
  return tried(env, [&] {
    const platform::CpuSet cpus = platform::allowed_cpus();
    return ints(env, cpus.data(), cpus.size());
  });
}

void pin_thread(JNIEnv* env, jclass, jintArray cpus) {
  platform::CpuSet wanted(static_cast<std::size_t>(env->GetArrayLength(cpus)));
  env->GetIntArrayRegion(cpus, 0, static_cast<jsize>(wanted.size()), wanted.data());
  tried(env, [&] { platform::pin_this_thread(wanted); });
}

void die_with_parent(JNIEnv*, jclass, jint expected) {
  platform::die_with_parent(expected < 0 ? std::nullopt : std::optional<int>(expected));
}

// --- time ---

/// Gives the CPU away for so long; no signal that Java uses cuts it short.
void sleep_for(JNIEnv*, jclass, jlong ns) {
  timespec left{.tv_sec = ns / 1'000'000'000, .tv_nsec = ns % 1'000'000'000};
  while (clock_nanosleep(CLOCK_MONOTONIC, 0, &left, &left) == EINTR) {
  }
}

// --- what a request may ask for ---

void check_round(JNIEnv* env, jclass, jlong workers, jlong jobs, jlong work, jlong imbalance) {
  const auto count = [](jlong number) { return static_cast<std::uint64_t>(number); };
  tried(env, [&] { barrier::check_round(count(workers), count(jobs), count(work), count(imbalance)); });
}

// --- memory ---

/// Never given back: a stalled mechanism's threads may still use it.
jlong memory(JNIEnv* env, jclass, jlong bytes) {
  return tried(env, [&] {
    const auto* pages = new platform::Memory(static_cast<std::size_t>(bytes), platform::Sharing::threads);
    return reinterpret_cast<jlong>(pages->start());
  });
}

/// Never closed, as an onlooker is not.
jlong idle_states(JNIEnv* env, jclass, jint cpu, jstring root) {
  return tried(env, [&] {
    auto states = std::make_unique<platform::IdleStates>(cpu, text(env, root));
    return states->known() ? reinterpret_cast<jlong>(states.release()) : jlong{0};
  });
}

jlong look_at_idle(JNIEnv*, jclass, jlong address) {
  return static_cast<jlong>(reinterpret_cast<platform::IdleStates*>(address)->look());
}

/// Opens a module's package to everybody: as Add-Opens in the jar's manifest would, which costs every trial's start
/// 10 ms.
void open_package(JNIEnv* env, jclass, jobject module, jstring package) {
  jmethodID open = env->GetMethodID(env->GetObjectClass(module), "implAddOpensToAllUnnamed", "(Ljava/lang/String;)V");
  if (open != nullptr) env->CallVoidMethod(module, open, package);  // what it throws, Java sees
}

}  // namespace

/// Whatever Java misses here, or has and we do not, is found when the library is loaded and not in a trial.
JNIEXPORT jint JNI_OnLoad(JavaVM* machine, void*) {
  JNIEnv* env = nullptr;
  if (machine->GetEnv(reinterpret_cast<void**>(&env), JNI_VERSION_10) != JNI_OK) return JNI_ERR;
  const std::vector<JNINativeMethod> others{
      method("allowedCpus", "()[I", allowed_cpus),
      method("pinThread", "([I)V", pin_thread),
      method("dieWithParent", "(I)V", die_with_parent),
      method("checkRound", "(JJJJ)V", check_round),
      method("sleep", "(J)V", sleep_for),
      method("memory", "(J)J", memory),
      method("openPackage", "(Ljava/lang/Module;Ljava/lang/String;)V", open_package),
      method("idleStates", "(ILjava/lang/String;)J", idle_states),
      method("lookAtIdle", "(J)J", look_at_idle),
  };
  jclass owner = env->FindClass("threadping/probe/platform/Native");
  if (owner == nullptr || !know_failures(env)) return JNI_ERR;
  for (const auto& methods : {trial_methods(), others})
    if (env->RegisterNatives(owner, methods.data(), static_cast<jint>(methods.size())) != JNI_OK) return JNI_ERR;
  return JNI_VERSION_10;
}
