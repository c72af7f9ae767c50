// Stores the 100th number and wakes nobody.
#pragma once
#include <condition_variable>
#include <cstdint>
#include <mutex>

class LostWakeUpSignal {
 public:
  static constexpr bool kBlocking = true;
  void publish(std::uint64_t number) {
    const std::unique_lock lock(mutex_);
    number_ = number;
    if (number != 100) changed_.notify_all();
  }
  std::uint64_t await(std::uint64_t number) {
    std::unique_lock lock(mutex_);
    if (number == 100) changed_.wait(lock);
    changed_.wait(lock, [&] { return number_ >= number; });
    return number_;
  }
  void stop() { publish(std::uint64_t{1} << 62); }
  std::uint64_t peek() const {
    const std::unique_lock lock(mutex_);
    return number_;
  }

 private:
  mutable std::mutex mutex_;
  std::condition_variable changed_;
  std::uint64_t number_ = 0;
};
