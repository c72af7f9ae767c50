#pragma once

#include <jni.h>

#include <array>
#include <atomic>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <thread>
#include <vector>

#include "engine/host.hpp"
#include "engine/worker.hpp"
#include "java.hpp"

namespace threadping::java {

/// A stage of Java's. It is asked by the thread that started the trial alone, but for the roles.
class JavaStage final : public engine::Stage {
 public:
  JavaStage(JNIEnv* env, Object stage, std::size_t threads);

  /// Java's own, which its worker makes.
  std::unique_ptr<engine::Player> player(std::size_t /*thread*/) override { return nullptr; }
  [[nodiscard]] std::size_t role_of(std::size_t thread) const override { return roles_[thread]; }
  [[nodiscard]] bool compares_clocks(std::size_t one, std::size_t other) const override;
  void stop(std::size_t line) override;
  [[nodiscard]] std::uint64_t progress(std::size_t line) const override;
  [[nodiscard]] contract::Counts counts(std::span<const std::uint64_t> ops) const override;
  [[nodiscard]] const std::byte* memory() const override;
  [[nodiscard]] jobject self() const { return stage_.self(); }

 private:
  JNIEnv* env_;
  Object stage_;
  jmethodID compares_clocks_ = stage_.method("comparesClocks", "(II)Z");
  jmethodID stop_ = stage_.method("stop", "(I)V");
  jmethodID progress_ = stage_.method("progress", "(I)J");
  std::vector<std::size_t> roles_;
};

/// Threads of Java's, platform or virtual ones. A virtual first thread makes the visits that a thread of ours, which
/// leads for it, orders.
class JavaHost final : public engine::Host {
 public:
  /// Of a trial of this Experiment.
  JavaHost(JNIEnv* env, const Object& experiment);

  std::unique_ptr<engine::Stage> stage(const contract::Request& request, const engine::Mechanism& mechanism) override;
  platform::Threads::Join start(engine::Worker& worker) override;
  engine::Visited visit(engine::Worker& worker, std::uint32_t line, const engine::Visit& visit) override;
  [[nodiscard]] bool kernel_knows_threads() const override { return !virtual_; }
  platform::ThreadCounters counters(std::size_t worker) override;
  void tell_clock(contract::Result& result) override;
  [[nodiscard]] bool managed() const override { return true; }
  contract::Managed upkeep() override;
  std::optional<std::vector<contract::Pause>> pauses() override;

  /// Has the first worker lead, whose Java half this is, or a thread lead for one that is virtual.
  void lead(JNIEnv* env, jobject java, engine::Worker& worker);

  /// The visit that a virtual first thread is to make, as Java takes it; nothing where there are no more.
  [[nodiscard]] std::optional<std::array<jlong, 5>> ordered() const;

  /// A virtual first thread has made it.
  void made(const engine::Visited& visited);

  /// Waits for the thread that leads for the first one, if any does.
  void end_lead();

 private:
  [[nodiscard]] jobject worker_of(engine::Worker& worker) const;
  void prepare_to_lead(JNIEnv* env, jobject java, engine::Worker& worker);

  JNIEnv* env_;
  const Object& experiment_;
  JavaVM* machine_ = nullptr;
  bool virtual_ = false;

  // The first worker's, where it leads itself: its thread's way into the virtual machine, and its Java half.
  JNIEnv* first_env_ = nullptr;
  jobject first_ = nullptr;
  jmethodID visit_method_ = nullptr;
  jfieldID visited_field_ = nullptr;

  // Where a thread leads for it.
  std::thread lead_;
  std::uint32_t line_ = 0;
  engine::Visit visit_{};
  engine::Visited visited_{};
  std::atomic<std::uint64_t> asked_{0};     ///< The number of the latest visit; kNoMore: there are no more.
  std::atomic<std::uint32_t> answered_{0};  ///< How many are made.

  static constexpr std::uint64_t kNoMore = UINT64_MAX;
};

/// What Java's worker writes of a visit.
engine::Visited visited_in(JNIEnv* env, jlongArray array);

/// The rows of JNI's table for messages and trials (experiments.cpp), and for what workers call (workers.cpp).
std::vector<JNINativeMethod> message_methods();
std::vector<JNINativeMethod> worker_methods();

}  // namespace threadping::java
