#pragma once

#include <jni.h>

#include <cstdint>
#include <exception>
#include <iterator>
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

/// Does it, and throws in Java what it throws: a Failure by its code, anything else as an internal one.
template <class Deed>
auto tried(JNIEnv* env, Deed deed) -> decltype(deed()) {
  const auto thrown = [&](const char* code, const char* sentence) {
    if (env->ExceptionCheck()) return;
    jclass failure = env->FindClass("threadping/probe/Failure");
    if (failure == nullptr) return;
    jmethodID of =
        env->GetStaticMethodID(failure, "of", "(Ljava/lang/String;Ljava/lang/String;)Lthreadping/probe/Failure;");
    if (of == nullptr) return;
    jobject made = env->CallStaticObjectMethod(failure, of, env->NewStringUTF(code), env->NewStringUTF(sentence));
    if (made != nullptr) env->Throw(static_cast<jthrowable>(made));
  };
  try {
    return deed();
  } catch (const Failure& failure) {
    thrown(name_of(failure.code()), failure.what());
  } catch (const std::exception& error) {
    thrown("internal", error.what());
  }
  if constexpr (!std::is_void_v<decltype(deed())>) return {};
}

inline std::vector<int> ints(JNIEnv* env, jintArray array) {
  std::vector<int> numbers(static_cast<std::size_t>(env->GetArrayLength(array)));
  env->GetIntArrayRegion(array, 0, static_cast<jsize>(numbers.size()), numbers.data());
  return numbers;
}

inline jintArray ints(JNIEnv* env, const std::vector<int>& numbers) {
  jintArray array = env->NewIntArray(static_cast<jsize>(numbers.size()));
  if (array != nullptr) env->SetIntArrayRegion(array, 0, static_cast<jsize>(numbers.size()), numbers.data());
  return array;
}

inline std::string text(JNIEnv* env, jstring from) {
  const char* letters = env->GetStringUTFChars(from, nullptr);
  const std::string copied = letters;
  env->ReleaseStringUTFChars(from, letters);
  return copied;
}

inline std::string text(JNIEnv* env, jbyteArray utf8) {
  std::string copied(static_cast<std::size_t>(env->GetArrayLength(utf8)), '\0');
  env->GetByteArrayRegion(utf8, 0, static_cast<jsize>(copied.size()), reinterpret_cast<jbyte*>(copied.data()));
  return copied;
}

/// Into an array that Java holds ready for them.
template <class Numbers>
void give(JNIEnv* env, jlongArray into, const Numbers& numbers) {
  env->SetLongArrayRegion(into, 0, static_cast<jsize>(std::size(numbers)), std::data(numbers));
}

/// Bytes that Java takes as UTF-8.
inline jbyteArray bytes(JNIEnv* env, const std::string& text) {
  jbyteArray array = env->NewByteArray(static_cast<jsize>(text.size()));
  if (array != nullptr)
    env->SetByteArrayRegion(array, 0, static_cast<jsize>(text.size()), reinterpret_cast<const jbyte*>(text.data()));
  return array;
}

/// Throws what Java has thrown: a Failure as it is, anything else as an internal one.
void refuse_thrown(JNIEnv* env);

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
  [[nodiscard]] jlong value() const { return env_->CallLongMethod(self_, method("longValue", "()J")); }

  /// Of an enum's value.
  [[nodiscard]] jint ordinal() const { return env_->CallIntMethod(self_, method("ordinal", "()I")); }

  [[nodiscard]] std::string text() const { return java::text(env_, static_cast<jstring>(self_)); }
  [[nodiscard]] std::vector<Object> listed() const { return called("toArray", "()[Ljava/lang/Object;").elements(); }
  [[nodiscard]] std::vector<Object> elements() const {
    const auto array = static_cast<jobjectArray>(self_);
    std::vector<Object> elements;
    for (jsize each = 0; each < env_->GetArrayLength(array); ++each)
      elements.emplace_back(env_, env_->GetObjectArrayElement(array, each));
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
    return there(env_->GetMethodID(class_, name, signature), name);
  }

 private:
  [[nodiscard]] jfieldID field(const char* name, const char* type) const {
    return there(env_->GetFieldID(class_, name, type), name);
  }
  template <class Id>
  static Id there(Id id, const char* name) {
    if (id == nullptr) throw Failure(ErrorCode::internal, std::string("Nothing in Java is called ") + name + ".");
    return id;
  }

  JNIEnv* env_;
  jobject self_;
  jclass class_;
};

inline void refuse_thrown(JNIEnv* env) {
  jthrowable thrown = env->ExceptionOccurred();
  if (thrown == nullptr) return;
  env->ExceptionClear();
  const Object error(env, thrown);
  if (env->IsInstanceOf(thrown, env->FindClass("threadping/probe/Failure")) == JNI_FALSE)
    throw Failure(ErrorCode::internal, error.called("toString", "()Ljava/lang/String;").text());
  const Object code = error.object("code", "Lthreadping/probe/Failure$Code;");
  throw Failure(static_cast<ErrorCode>(code.ordinal()), error.called("getMessage", "()Ljava/lang/String;").text());
}

/// What a static method without arguments gives. Throws what that throws.
inline Object called_in(JNIEnv* env, const char* type, const char* name, const char* signature) {
  jclass found = env->FindClass(type);
  jobject given = env->CallStaticObjectMethod(found, env->GetStaticMethodID(found, name, signature));
  refuse_thrown(env);
  return {env, given};
}

}  // namespace threadping::java
