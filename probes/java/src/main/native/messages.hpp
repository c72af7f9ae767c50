#pragma once

#include <jni.h>

namespace threadping::java {

/// A threadping.probe.contract.Result as the contract's message, which the C++ probe's contract room writes.
jbyteArray result(JNIEnv* env, jclass owner, jobject measured);

/// The message of `describe`: who this is, what it runs on with these flags, and its Experiments.
jbyteArray description(JNIEnv* env, jclass owner, jstring version, jstring name, jstring build, jobject flags,
                       jobject experiments);

}  // namespace threadping::java
