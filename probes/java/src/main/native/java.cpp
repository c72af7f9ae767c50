#include "java.hpp"

#include <cerrno>
#include <string_view>
#include <system_error>

namespace threadping::java {
namespace {

/// For good: its classes are never unloaded.
jclass kept(JNIEnv* env, const char* type) {
  jclass found = env->FindClass(type);
  return found == nullptr ? nullptr : static_cast<jclass>(env->NewGlobalRef(found));
}

/// What a method says of something thrown; nothing where that throws too.
std::string words_of(JNIEnv* env, jthrowable thrown, jmethodID method) {
  const auto words = static_cast<jstring>(env->CallObjectMethod(thrown, method));
  if (env->ExceptionCheck() == JNI_TRUE || words == nullptr) {
    env->ExceptionClear();
    return "";
  }
  const char* letters = env->GetStringUTFChars(words, nullptr);
  if (letters == nullptr) {
    env->ExceptionClear();
    return "";
  }
  const std::string copied = letters;
  env->ReleaseStringUTFChars(words, letters);
  env->DeleteLocalRef(words);
  return copied;
}

/// HotSpot's "unable to create native thread", and OpenJ9's "Failed to create a thread".
bool is_of_a_thread(std::string_view message) {
  return message.find("native thread") != std::string_view::npos ||
         message.find("create a thread") != std::string_view::npos;
}

Failure out_of_memory(const std::string& message) {
  return {ErrorCode::unsupported, "Java is out of memory" + (message.empty() ? "" : " (" + message + ")") +
                                      ": give it more (-Xmx), or ask for fewer threads or lines, or for shorter "
                                      "sampling windows."};
}

bool is_out_of_memory(JNIEnv* env, jthrowable thrown) {
  return env->IsInstanceOf(thrown, known.out_of_memory) == JNI_TRUE;
}

}  // namespace

Known known{};

bool know(JNIEnv* env) {
  known.failure = kept(env, "threadping/probe/Failure");
  known.out_of_memory = kept(env, "java/lang/OutOfMemoryError");
  jclass code = env->FindClass("threadping/probe/Failure$Code");
  jclass throwable = env->FindClass("java/lang/Throwable");
  if (known.failure == nullptr || known.out_of_memory == nullptr || code == nullptr || throwable == nullptr)
    return false;
  known.failure_of =
      env->GetStaticMethodID(known.failure, "of", "(Ljava/lang/String;Ljava/lang/String;)Lthreadping/probe/Failure;");
  known.code = env->GetFieldID(known.failure, "code", "Lthreadping/probe/Failure$Code;");
  known.ordinal = env->GetMethodID(code, "ordinal", "()I");
  known.message = env->GetMethodID(throwable, "getMessage", "()Ljava/lang/String;");
  known.in_words = env->GetMethodID(throwable, "toString", "()Ljava/lang/String;");
  return env->ExceptionCheck() == JNI_FALSE;
}

Failure failure_of(JNIEnv* env, jthrowable thrown) {
  if (is_out_of_memory(env, thrown)) return out_of_memory(words_of(env, thrown, known.message));
  if (env->IsInstanceOf(thrown, known.failure) == JNI_FALSE) {
    const std::string words = words_of(env, thrown, known.in_words);
    return {ErrorCode::internal, words.empty() ? "Java threw something that it has no words for." : words};
  }
  jobject code = env->GetObjectField(thrown, known.code);
  const jint ordinal = env->CallIntMethod(code, known.ordinal);
  env->DeleteLocalRef(code);
  return {static_cast<ErrorCode>(ordinal), words_of(env, thrown, known.message)};
}

void refuse_thrown(JNIEnv* env) {
  jthrowable thrown = env->ExceptionOccurred();
  if (thrown == nullptr) return;
  env->ExceptionClear();
  if (is_out_of_memory(env, thrown) && is_of_a_thread(words_of(env, thrown, known.message)))
    throw std::system_error(EAGAIN, std::generic_category());
  const Failure failure = failure_of(env, thrown);
  env->DeleteLocalRef(thrown);
  throw failure;
}

void throw_in_java(JNIEnv* env, const Failure& failure) {
  if (env->ExceptionCheck() == JNI_TRUE) return;
  jstring code = env->NewStringUTF(name_of(failure.code()));
  jstring sentence = code == nullptr ? nullptr : env->NewStringUTF(failure.what());
  if (sentence == nullptr) return;
  jobject made = env->CallStaticObjectMethod(known.failure, known.failure_of, code, sentence);
  if (env->ExceptionCheck() == JNI_FALSE && made != nullptr) env->Throw(static_cast<jthrowable>(made));
}

}  // namespace threadping::java
