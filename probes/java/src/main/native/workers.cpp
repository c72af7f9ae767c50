// What Java's workers call of their C++ halves.

#include <algorithm>
#include <array>
#include <new>
#include <string>
#include <vector>

#include "host.hpp"
#include "java.hpp"

namespace threadping::java {
namespace {

engine::Worker& worker_at(jlong address) { return *reinterpret_cast<engine::Worker*>(address); }
JavaHost& host_of(jlong worker) { return static_cast<JavaHost&>(worker_at(worker).scene().host); }

jlong due_of(engine::Worker& worker) {
  return static_cast<jlong>(std::min<std::uint64_t>(worker.recorder().due_ns(), INT64_MAX));
}

void stand(JNIEnv* env, jclass, jlong self) {
  tried(env, [&] { worker_at(self).stand(); });
}

void lead(JNIEnv* env, jclass, jlong self, jobject java) {
  tried(env, [&] { host_of(self).lead(env, java, worker_at(self)); });
}

void await_order(JNIEnv* env, jclass, jlong self, jlong number) {
  tried(env, [&] { worker_at(self).scene().orders->sleep(static_cast<std::uint64_t>(number)); });
}

jlong take_up(JNIEnv* env, jclass, jlong self, jlong number, jlongArray into) {
  engine::Worker& worker = worker_at(self);
  return tried(env, [&] {
    const engine::Order order = worker.take_up(static_cast<std::uint64_t>(number));
    const std::uint64_t chunk = order.chunk > 0 ? engine::Worker::chunk_of(order).count : 0;
    give(env, into,
         std::array<jlong, 6>{order.leave, order.line, static_cast<jlong>(order.count), order.whole,
                              static_cast<jlong>(chunk), order.every});
    return due_of(worker);
  });
}

jboolean take_visit(JNIEnv* env, jclass, jlong self, jlongArray into) {
  const auto visit = host_of(self).ordered();
  if (!visit) return JNI_FALSE;
  give(env, into, *visit);
  return JNI_TRUE;
}

void visited(JNIEnv* env, jclass, jlong self, jlongArray array) {
  tried(env, [&] { host_of(self).made(visited_in(env, array)); });
}

jlong look_before(JNIEnv* env, jclass, jlong self) {
  return tried(env, [&] {
    worker_at(self).recorder().about_to_time();
    return due_of(worker_at(self));
  });
}

/// The numbers of an array of Java's, read without a collection in between, which takes less than a copy that allows
/// one.
template <class Number>
class Critical {
 public:
  Critical(JNIEnv* env, jarray array)
      : env_(env), array_(array), numbers_(static_cast<Number*>(env->GetPrimitiveArrayCritical(array, nullptr))) {
    if (numbers_ == nullptr) throw std::bad_alloc();
  }
  Critical(const Critical&) = delete;
  Critical& operator=(const Critical&) = delete;
  ~Critical() { env_->ReleasePrimitiveArrayCritical(array_, numbers_, JNI_ABORT); }

  const Number& operator[](std::size_t index) const { return numbers_[index]; }

 private:
  JNIEnv* env_;
  jarray array_;
  Number* numbers_;
};

jlong take(JNIEnv* env, jclass, jlong self, jlongArray from_ns, jlongArray to_ns, jint timed, jintArray index,
           jlongArray numbers, jint numbered, jlongArray made, jlongArray found, jboolean may_look) {
  return tried(env, [&] {
    engine::Recorder& recorder = worker_at(self).recorder();
    if (timed > 0) {
      const Critical<jlong> from(env, from_ns);
      const Critical<jlong> to(env, to_ns);
      const auto places = recorder.places();
      for (std::size_t each = 0; each < static_cast<std::size_t>(timed); ++each)
        places[each] = {.from_ns = static_cast<std::uint64_t>(from[each]),
                        .to_ns = static_cast<std::uint64_t>(to[each])};
      recorder.filled(static_cast<std::size_t>(timed));
    }
    if (numbered > 0) {
      const Critical<jint> which(env, index);
      const Critical<jlong> values(env, numbers);
      for (std::size_t each = 0; each < static_cast<std::size_t>(numbered); ++each)
        recorder.number(static_cast<std::size_t>(which[each]), static_cast<std::uint64_t>(values[each]));
    }
    std::array<std::array<jlong, engine::Samples::kMostTallies>, 2> tallies{};
    env->GetLongArrayRegion(made, 0, tallies[0].size(), tallies[0].data());
    env->GetLongArrayRegion(found, 0, tallies[1].size(), tallies[1].data());
    for (std::size_t pair = 0; pair < engine::Samples::kMostTallies; ++pair)
      recorder.tally(pair, static_cast<std::uint64_t>(tallies[0][pair]), static_cast<std::uint64_t>(tallies[1][pair]));
    recorder.take(may_look == JNI_TRUE);
    return due_of(worker_at(self));
  });
}

void fail(JNIEnv* env, jclass, jlong self, jthrowable error) {
  worker_at(self).board().attempt([&] {
    const Failure failure = failure_of(env, error);
    throw failure.code() == ErrorCode::internal
        ? Failure(ErrorCode::internal, std::string("A measuring thread failed: ") + failure.what())
        : failure;
  });
}

/// A thread that leads for it has come to its end too: that uses the trial no less.
void end(JNIEnv* env, jclass, jlong self) {
  tried(env, [&] {
    if (worker_at(self).index() == 0) host_of(self).end_lead();
    worker_at(self).end();
  });
}

}  // namespace

std::vector<JNINativeMethod> worker_methods() {
  return {
      method("stand", "(J)V", stand),
      method("lead", "(JLjava/lang/Object;)V", lead),
      method("awaitOrder", "(JJ)V", await_order),
      method("takeUp", "(JJ[J)J", take_up),
      method("takeVisit", "(J[J)Z", take_visit),
      method("visited", "(J[J)V", visited),
      method("lookBefore", "(J)J", look_before),
      method("take", "(J[J[JI[I[JI[J[JZ)J", take),
      method("fail", "(JLjava/lang/Throwable;)V", fail),
      method("end", "(J)V", end),
  };
}

}  // namespace threadping::java
