// A signal whose awaiter sleeps: C++20's atomic wait.
#pragma once
#include <atomic>
#include <cstdint>

class AtomicFlag {
 public:
  static constexpr bool kBlocking = true;
  void publish(std::uint64_t number) {
    number_.store(number);
    number_.notify_one();
  }
  std::uint64_t await(std::uint64_t number) const {
    std::uint64_t seen;
    while ((seen = number_.load()) < number) number_.wait(seen);
    return seen;
  }
  void stop() { publish(std::uint64_t{1} << 62); }
  std::uint64_t peek() const { return number_.load(); }

 private:
  std::atomic<std::uint64_t> number_{0};
};
