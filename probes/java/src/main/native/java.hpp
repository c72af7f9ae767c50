#pragma once

#include <jni.h>

#include <cstdint>
#include <exception>
#include <iterator>
#include <new>
#include <optional>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

#include "failure.hpp"

/// Values to and from Java.
namespace threadping::java {

/// A row of JNI's table of native methods, which takes pointers to char that it never writes to.
template <class Function>
JNINativeMethod method(const char* name, const char* signature, Function* function) {
  return {const_cast<char*>(name), const_cast<char*>(signature), reinterpret_cast<void*>(function)};
}

/// What is needed to say what went wrong, found when the library is loaded: later there may be no room in the heap.
struct Known {
  jclass failure;
  jmethodID failure_of;
  jfieldID code;
  jmethodID ordinal;
  jclass out_of_memory;
  jmethodID message;
  jmethodID in_words;
};
extern Known known;

/// False, with what Java has thrown, where something is missing.
bool know(JNIEnv* env);

/// What something thrown in Java means: a Failure is one already; of memory, or threads, that Java did not get is said
/// what to do; anything else is an internal one.
Failure failure_of(JNIEnv* env, jthrowable thrown);

/// Throws what Java has thrown, as failure_of() says; std::system_error for a thread that the system refused.
void refuse_thrown(JNIEnv* env);

/// What a function of JNI gave: every result goes through here. Throws what Java has thrown; of null, which a
/// function gives that found no memory, std::bad_alloc.
template <class Value>
Value checked(JNIEnv* env, Value value) {
  refuse_thrown(env);
  if constexpr (std::is_pointer_v<Value>)
    if (value == nullptr) throw std::bad_alloc();
  return value;
}

/// Throws a failure in Java. Where there is no room for it, that there is none.
void throw_in_java(JNIEnv* env, const Failure& failure);

/// Does it, and throws in Java what it throws.
template <class Deed>
auto tried(JNIEnv* env, Deed deed) -> decltype(deed()) {
  try {
    return deed();
  } catch (...) {
    throw_in_java(env, failure_in_hand());
  }
  if constexpr (!std::is_void_v<decltype(deed())>) return {};
}

/// Does it, after which Java's heap is not held any more by what it made, but for what it gives.
template <class Deed>
auto in_frame(JNIEnv* env, Deed deed) -> decltype(deed()) {
  constexpr jint kUsual = 16;
  if (env->PushLocalFrame(kUsual) != 0) checked<jobject>(env, nullptr);
  decltype(deed()) made = nullptr;
  try {
    made = deed();
  } catch (...) {
    env->PopLocalFrame(nullptr);
    throw;
  }
  return static_cast<decltype(made)>(env->PopLocalFrame(made));
}

inline std::vector<int> ints(JNIEnv* env, jintArray array) {
  std::vector<int> numbers(static_cast<std::size_t>(env->GetArrayLength(array)));
  env->GetIntArrayRegion(array, 0, static_cast<jsize>(numbers.size()), numbers.data());
  return numbers;
}

inline jintArray ints(JNIEnv* env, const std::vector<int>& numbers) {
  jintArray array = checked(env, env->NewIntArray(static_cast<jsize>(numbers.size())));
  env->SetIntArrayRegion(array, 0, static_cast<jsize>(numbers.size()), numbers.data());
  return array;
}

/// Of null nothing.
inline std::string text(JNIEnv* env, jstring from) {
  if (from == nullptr) return "";
  const char* letters = checked(env, env->GetStringUTFChars(from, nullptr));
  const std::string copied = letters;
  env->ReleaseStringUTFChars(from, letters);
  return copied;
}

inline std::string text(JNIEnv* env, jbyteArray utf8) {
  std::string copied(static_cast<std::size_t>(env->GetArrayLength(utf8)), '\0');
  env->GetByteArrayRegion(utf8, 0, static_cast<jsize>(copied.size()), reinterpret_cast<jbyte*>(copied.data()));
  return copied;
}

inline jstring string(JNIEnv* env, const std::string& text) { return checked(env, env->NewStringUTF(text.c_str())); }

/// Into an array that Java holds ready for them.
template <class Numbers>
void give(JNIEnv* env, jlongArray into, const Numbers& numbers) {
  env->SetLongArrayRegion(into, 0, static_cast<jsize>(std::size(numbers)), std::data(numbers));
}

/// Bytes that Java takes as UTF-8.
inline jbyteArray bytes(JNIEnv* env, const std::string& text) {
  jbyteArray array = checked(env, env->NewByteArray(static_cast<jsize>(text.size())));
  env->SetByteArrayRegion(array, 0, static_cast<jsize>(text.size()), reinterpret_cast<const jbyte*>(text.data()));
  return array;
}

/// An object of Java, or null, whose fields are read by name. Its reference is given back with it: a result has
/// thousands. A member that Java does not have throws there.
class Object {
 public:
  Object(JNIEnv* env, jobject self)
      : env_(env), self_(self), class_(self == nullptr ? nullptr : env->GetObjectClass(self)) {}
  Object(Object&& other) noexcept
      : env_(other.env_), self_(std::exchange(other.self_, nullptr)), class_(std::exchange(other.class_, nullptr)) {}
  Object& operator=(Object&&) = delete;
  ~Object() {
    env_->DeleteLocalRef(class_);
    env_->DeleteLocalRef(self_);
  }

  explicit operator bool() const { return self_ != nullptr; }
  [[nodiscard]] jobject self() const { return self_; }

  // --- its fields ---

  [[nodiscard]] bool flag(const char* name) const { return env_->GetBooleanField(self_, field(name, "Z")) == JNI_TRUE; }
  [[nodiscard]] jint integer(const char* name) const { return env_->GetIntField(self_, field(name, "I")); }
  [[nodiscard]] jlong number(const char* name) const { return env_->GetLongField(self_, field(name, "J")); }
  [[nodiscard]] std::uint64_t count(const char* name) const { return static_cast<std::uint64_t>(number(name)); }
  [[nodiscard]] std::string text(const char* name) const { return object(name, "Ljava/lang/String;").text(); }
  [[nodiscard]] Object object(const char* name, const char* type) const {
    return {env_, env_->GetObjectField(self_, field(name, type))};
  }

  /// A List's elements; nothing of null.
  [[nodiscard]] std::optional<std::vector<Object>> list(const char* name) const {
    const Object list = object(name, "Ljava/util/List;");
    return list ? std::optional(list.listed()) : std::nullopt;
  }

  // --- what it is itself ---

  /// Of an Integer or a Long.
  [[nodiscard]] jlong value() const { return checked(env_, env_->CallLongMethod(self_, method("longValue", "()J"))); }

  /// Of an enum's value.
  [[nodiscard]] jint ordinal() const { return checked(env_, env_->CallIntMethod(self_, method("ordinal", "()I"))); }

  [[nodiscard]] std::string text() const { return java::text(env_, static_cast<jstring>(self_)); }
  [[nodiscard]] std::vector<Object> listed() const { return called("toArray", "()[Ljava/lang/Object;").elements(); }
  [[nodiscard]] std::vector<Object> elements() const {
    const auto array = static_cast<jobjectArray>(self_);
    std::vector<Object> elements;
    for (jsize each = 0; each < env_->GetArrayLength(array); ++each) elements.emplace_back(env_, element(array, each));
    return elements;
  }

  /// What a method gives. Throws what that throws.
  template <class... Arguments>
  [[nodiscard]] Object called(const char* name, const char* signature, Arguments... arguments) const {
    jobject given = env_->CallObjectMethod(self_, method(name, signature), arguments...);
    refuse_thrown(env_);
    return {env_, given};
  }

  [[nodiscard]] jmethodID method(const char* name, const char* signature) const {
    return checked(env_, env_->GetMethodID(class_, name, signature));
  }

 private:
  [[nodiscard]] jobject element(jobjectArray array, jsize each) const {
    jobject element = env_->GetObjectArrayElement(array, each);
    refuse_thrown(env_);
    return element;
  }
  [[nodiscard]] jfieldID field(const char* name, const char* type) const {
    return checked(env_, env_->GetFieldID(class_, name, type));
  }
  JNIEnv* env_;
  jobject self_;
  jclass class_;
};

/// What a static method without arguments gives. Throws what that throws.
inline Object called_in(JNIEnv* env, const char* type, const char* name, const char* signature) {
  jclass found = checked(env, env->FindClass(type));
  jobject given = env->CallStaticObjectMethod(found, checked(env, env->GetStaticMethodID(found, name, signature)));
  refuse_thrown(env);
  return {env, given};
}

}  // namespace threadping::java
