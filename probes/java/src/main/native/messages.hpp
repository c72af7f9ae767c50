#pragma once

#include <jni.h>

namespace threadping::java {

/// A threadping.probe.contract.Result as the contract's message, which the C++ probe's contract room writes.
jbyteArray result(JNIEnv* env, jclass owner, jobject measured);

/// The message of `describe`: who this is, what it runs on with these flags, and its Experiments.
jbyteArray description(JNIEnv* env, jclass owner, jstring version, jstring name, jstring build, jobject flags,
                       jobject experiments);

/// Throws in Java what is wrong with a request, a message that is about this Experiment.
void refuse(JNIEnv* env, jclass owner, jbyteArray message, jobject experiment);

}  // namespace threadping::java
