#pragma once

#include <jni.h>

namespace threadping::java {

/// A threadping.probe.contract.Result as the contract's message, which the C++ probe's contract room writes.
jbyteArray result(JNIEnv* env, jclass owner, jobject measured);

}  // namespace threadping::java
