#pragma once

#include <jni.h>

namespace threadping::java {

/// The message of `describe`: who this is, what it runs on with these flags, and its Experiments.
jbyteArray description(JNIEnv* env, jclass owner, jstring version, jstring name, jstring build, jobject flags,
                       jobject experiments);

/// The name of the experiment that a request is about.
jstring experiment(JNIEnv* env, jclass owner, jbyteArray message);

/// A trial of what a request asks for that is about this Experiment: the result's message.
jbyteArray trial(JNIEnv* env, jclass owner, jbyteArray message, jobject experiment);

}  // namespace threadping::java
