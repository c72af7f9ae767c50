#include "java.hpp"

#include <string_view>

namespace threadping::java {
namespace {

/// Set once, by know_failures().
struct Known {
  jclass failure;
  jmethodID failure_of;
  jfieldID code;
  jclass out_of_memory;
  jmethodID message;
  jmethodID in_words;
} known{};

/// For good: its classes are never unloaded.
jclass kept(JNIEnv* env, const char* type) {
  jclass found = env->FindClass(type);
  return found == nullptr ? nullptr : static_cast<jclass>(env->NewGlobalRef(found));
}

/// What a method says of something thrown; nothing where that throws too.
std::string words_of(JNIEnv* env, jthrowable thrown, jmethodID method) {
  const auto words = static_cast<jstring>(env->CallObjectMethod(thrown, method));
  std::string copied = env->ExceptionCheck() == JNI_TRUE ? "" : text(env, words);
  env->ExceptionClear();
  if (words != nullptr) env->DeleteLocalRef(words);
  return copied;
}

/// HotSpot's "unable to create native thread", and OpenJ9's "Failed to create a thread".
bool is_of_a_thread(std::string_view message) {
  return message.find("native thread") != std::string_view::npos ||
         message.find("create a thread") != std::string_view::npos;
}

std::string out_of_memory(const std::string& message) {
  return "Java is out of memory" + (message.empty() ? "" : " (" + message + ")") +
         ": give it more (-Xmx), or ask for fewer threads or lines, or for shorter sampling windows.";
}

}  // namespace

bool know_failures(JNIEnv* env) {
  known.failure = kept(env, "threadping/probe/Failure");
  known.out_of_memory = kept(env, "java/lang/OutOfMemoryError");
  jclass throwable = env->FindClass("java/lang/Throwable");
  if (known.failure == nullptr || known.out_of_memory == nullptr || throwable == nullptr) return false;
  known.failure_of = env->GetStaticMethodID(known.failure, "of", "(ILjava/lang/String;)Lthreadping/probe/Failure;");
  known.code = env->GetFieldID(known.failure, "number", "I");
  known.message = env->GetMethodID(throwable, "getMessage", "()Ljava/lang/String;");
  known.in_words = env->GetMethodID(throwable, "toString", "()Ljava/lang/String;");
  return env->ExceptionCheck() == JNI_FALSE;
}

void tell(JNIEnv* env, jthrowable thrown, threadping_failure& why) {
  const auto say = [&](int code, const std::string& sentence) {
    threadping_fail(&why, static_cast<threadping_code>(code), sentence.c_str());
  };
  const std::string message = words_of(env, thrown, known.message);
  if (env->IsInstanceOf(thrown, known.out_of_memory) == JNI_TRUE)
    return say(is_of_a_thread(message) ? THREADPING_NO_THREAD : THREADPING_UNSUPPORTED, out_of_memory(message));
  if (env->IsInstanceOf(thrown, known.failure) == JNI_TRUE) return say(env->GetIntField(thrown, known.code), message);
  const std::string words = words_of(env, thrown, known.in_words);
  say(THREADPING_INTERNAL, words.empty() ? "Java threw something that it has no words for." : words);
}

void tell_thrown(JNIEnv* env, threadping_failure& why) {
  jthrowable thrown = env->ExceptionOccurred();
  if (thrown == nullptr) return;
  env->ExceptionClear();
  tell(env, thrown, why);
  env->DeleteLocalRef(thrown);
}

void throw_in_java(JNIEnv* env, const threadping_failure& why) {
  if (why.code == THREADPING_OK || env->ExceptionCheck() == JNI_TRUE) return;
  jstring sentence = env->NewStringUTF(why.sentence);
  if (sentence == nullptr) return;
  jobject made = env->CallStaticObjectMethod(known.failure, known.failure_of, static_cast<jint>(why.code), sentence);
  if (made != nullptr && env->ExceptionCheck() == JNI_FALSE) env->Throw(static_cast<jthrowable>(made));
}

std::string text(JNIEnv* env, jstring from) {
  const char* letters = from == nullptr ? nullptr : env->GetStringUTFChars(from, nullptr);
  if (letters == nullptr) return "";
  std::string copied = letters;
  env->ReleaseStringUTFChars(from, letters);
  return copied;
}

std::string text(JNIEnv* env, jbyteArray utf8) {
  std::string copied(static_cast<std::size_t>(env->GetArrayLength(utf8)), '\0');
  env->GetByteArrayRegion(utf8, 0, static_cast<jsize>(copied.size()), reinterpret_cast<jbyte*>(copied.data()));
  return copied;
}

jbyteArray bytes(JNIEnv* env, const std::string& text) {
  jbyteArray array = env->NewByteArray(static_cast<jsize>(text.size()));
  if (array != nullptr)
    env->SetByteArrayRegion(array, 0, static_cast<jsize>(text.size()), reinterpret_cast<const jbyte*>(text.data()));
  return array;
}

jintArray ints(JNIEnv* env, const int* numbers, std::size_t count) {
  jintArray array = env->NewIntArray(static_cast<jsize>(count));
  if (array != nullptr) env->SetIntArrayRegion(array, 0, static_cast<jsize>(count), numbers);
  return array;
}

}  // namespace threadping::java
