#pragma once

#include <jni.h>

#include <string>
#include <type_traits>
#include <vector>

#include "failure.hpp"
#include "threadping.h"

/// Between Java and threadping.h. A function of JNI that finds no memory gives null, and Java has thrown: a caller that
/// gets null returns.
namespace threadping::java {

/// A row of JNI's table of native methods, which takes pointers to char that it never writes to.
template <class Function>
JNINativeMethod method(const char* name, const char* signature, Function* function) {
  return {const_cast<char*>(name), const_cast<char*>(signature), reinterpret_cast<void*>(function)};
}

/// Finds what is needed to say what went wrong, when the library is loaded: later there may be no space in the heap.
/// False, with what Java has thrown, where something is missing.
bool know_failures(JNIEnv* env);

/// Nothing went wrong yet.
inline threadping_failure no_failure() {
  return {.size = sizeof(threadping_failure), .code = THREADPING_OK, .sentence = {}};
}

/// What something thrown in Java means: a Failure is one already; of memory, or threads, that Java did not get it is
/// said what to do; anything else is an internal one.
void tell(JNIEnv* env, jthrowable thrown, threadping_failure& why);

/// Takes out of Java what the last call has thrown there, if it has, and tells it.
void tell_thrown(JNIEnv* env, threadping_failure& why);

/// Throws a failure in Java, if there is one. Where there is no space for it, one that says so.
void throw_in_java(JNIEnv* env, const threadping_failure& why);

/// Does it, and throws in Java what it throws.
template <class Deed>
auto tried(JNIEnv* env, Deed deed) -> decltype(deed()) {
  threadping_failure why = no_failure();
  try {
    return deed();
  } catch (...) {
    const Failure failure = failure_in_hand();
    threadping_fail(&why, static_cast<threadping_code>(static_cast<int>(failure.code()) + 1), failure.what());
  }
  throw_in_java(env, why);
  if constexpr (!std::is_void_v<decltype(deed())>) return {};
}

/// The text; empty for null, or where there is no memory for it.
std::string text(JNIEnv* env, jstring from);
std::string text(JNIEnv* env, jbyteArray utf8);
jbyteArray bytes(JNIEnv* env, const std::string& text);
jintArray ints(JNIEnv* env, const int* numbers, std::size_t count);

/// The rows of the table for messages and trials, and for what workers call (trial.cpp).
std::vector<JNINativeMethod> trial_methods();

/// What HotSpot has compiled and how often it collected, by the counters that jstat shows; false of another virtual
/// machine, or with -XX:-UsePerfData.
bool read_hotspot(threadping_upkeep& so_far);

}  // namespace threadping::java
