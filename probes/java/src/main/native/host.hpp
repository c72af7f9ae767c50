#pragma once

#include <jni.h>

#include <atomic>
#include <cstdint>
#include <deque>
#include <optional>
#include <string>
#include <thread>
#include <vector>

#include "engine/host.hpp"
#include "engine/worker.hpp"
#include "java.hpp"

namespace threadping::java {

class JavaHost;

/// A worker's two halves. A virtual first thread makes the visits that a thread of ours, which leads for it, orders.
struct Part {
  Part(JavaHost& whose, engine::Worker& which) : host(whose), worker(which) {}

  JavaHost& host;
  engine::Worker& worker;
  std::optional<Kept> java;  ///< A threadping.probe.engine.Worker.

  std::thread lead;
  engine::Visit visit{};
  engine::Visited visited{};
  std::uint32_t line = 0;
  std::atomic<std::uint64_t> asked{0};     ///< The number of the latest visit; kNoMore: there are no more.
  std::atomic<std::uint32_t> answered{0};  ///< How many are made.

  static constexpr std::uint64_t kNoMore = UINT64_MAX;
};

/// A stage of Java's. It is asked by the thread that started the trial alone, but for the roles.
class JavaStage final : public engine::Stage {
 public:
  JavaStage(JNIEnv* env, jobject stage, std::size_t threads);

  /// Java's own, which its worker makes.
  std::unique_ptr<engine::Player> player(std::size_t /*thread*/) override { return nullptr; }
  [[nodiscard]] std::size_t role_of(std::size_t thread) const override { return roles_[thread]; }
  [[nodiscard]] bool compares_clocks(std::size_t one, std::size_t other) const override;
  void stop(std::size_t line) override;
  [[nodiscard]] std::uint64_t progress(std::size_t line) const override;
  [[nodiscard]] contract::Counts counts(std::span<const std::uint64_t> ops) const override;
  [[nodiscard]] const std::byte* memory() const override;

 private:
  friend class JavaHost;
  JNIEnv* env_;
  Kept stage_;
  jmethodID compares_clocks_;
  jmethodID stop_;
  jmethodID progress_;
  std::vector<std::size_t> roles_;
};

/// Threads of Java's, platform or virtual ones.
class JavaHost final : public engine::Host {
 public:
  JavaHost(JNIEnv* env, const JavaStage& stage, bool virtual_threads);

  platform::Threads::Join start(engine::Worker& worker) override;
  engine::Visited visit(engine::Worker& worker, std::uint32_t line, const engine::Visit& visit) override;
  [[nodiscard]] bool kernel_knows_threads() const override { return !virtual_; }
  platform::ThreadCounters counters(std::size_t worker) override;
  void tell_clock(contract::Result& result) override;
  [[nodiscard]] bool managed() const override { return true; }
  contract::Managed upkeep() override;
  std::optional<std::vector<contract::Pause>> pauses() override;

  /// Leads, or has a thread lead for one that is virtual.
  void lead(Part& part);

 private:
  JNIEnv* env_;
  const JavaStage& stage_;
  const bool virtual_;
  std::deque<Part> parts_;
  jfieldID visited_ = nullptr;
  jmethodID visit_ = nullptr;
};

/// The rows of JNI's table for what workers call.
std::vector<JNINativeMethod> worker_methods();

}  // namespace threadping::java
