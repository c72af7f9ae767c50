#pragma once

#include <algorithm>
#include <atomic>
#include <condition_variable>
#include <cstddef>
#include <cstdint>
#include <mutex>
#include <string_view>
#include <vector>

#include "mechanisms/barrier.hpp"

namespace threadping::barriers {

/// A lock and conditions: at one, or each at its own, the workers wait for the round, and at another the coordinator
/// for the last of them. The lock is free again when anybody is notified. Each has its own because a notification that
/// several wait for may wake one that has done its part meanwhile and waits for the next round already.
template <bool kAllAtOnce>
class ByConditions {
 public:
  static constexpr bool kBlocking = true;
  static constexpr bool kChooses = !kAllAtOnce;

  ByConditions(const Shape& shape, const engine::Params& /*params*/)
      : wanted_(kChooses ? std::min<std::uint64_t>(shape.workers, shape.jobs_a_round()) : shape.workers),
        gates_(kAllAtOnce ? 1 : shape.workers) {}

  void release(std::uint64_t round, Wanted wanted) {
    {
      const std::scoped_lock lock(mutex_);
      for_each_gate(wanted, [&](Gate& gate) { gate.round = round; });
    }
    if constexpr (kAllAtOnce)
      gates_.front().opened.notify_all();
    else
      for_each_gate(wanted, [](Gate& gate) { gate.opened.notify_one(); });
  }
  void await(std::size_t worker, std::uint64_t round) {
    Gate& gate = gates_[worker % gates_.size()];
    std::unique_lock lock(mutex_);
    gate.opened.wait(lock, [&] { return gate.round >= round || stopped_; });
  }
  void arrive(std::size_t /*worker*/, std::uint64_t round) {
    {
      const std::scoped_lock lock(mutex_);
      if (++arrived_ < round * wanted_) return;
    }
    all_done_.notify_one();
  }
  void join(std::uint64_t round) {
    std::unique_lock lock(mutex_);
    all_done_.wait(lock, [&] { return arrived_ >= round * wanted_ || stopped_; });
  }
  void stop() {
    const std::scoped_lock lock(mutex_);
    stopped_ = true;
    for (Gate& gate : gates_) gate.opened.notify_all();
    all_done_.notify_all();
  }

 private:
  struct Gate {
    std::condition_variable opened;
    std::uint64_t round = 0;
  };

  template <class Act>
  void for_each_gate(Wanted wanted, Act act) {
    const std::size_t count = std::min(wanted.count, gates_.size());
    for (std::size_t place = 0; place < count; ++place) act(gates_[(wanted.first + place) % gates_.size()]);
  }

  const std::uint64_t wanted_;
  std::mutex mutex_;
  std::condition_variable all_done_;
  std::uint64_t arrived_ = 0;
  bool stopped_ = false;
  std::vector<Gate> gates_;
};

/// One call that wakes all.
struct ConditionAll : ByConditions<true> {
  static constexpr std::string_view kName = "condition-all";
  using ByConditions::ByConditions;
};

/// A condition and a call for each.
struct ConditionEach : ByConditions<false> {
  static constexpr std::string_view kName = "condition-each";
  using ByConditions::ByConditions;
};

}  // namespace threadping::barriers
