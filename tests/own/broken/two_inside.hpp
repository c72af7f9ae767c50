// Looks, and takes it then: two see it free.
#pragma once
#include <thread>

#include "../../../examples/cpp/spinlock.hpp"

class TwoInside : public Spinlock {
 public:
  void lock() {
    while (taken_.load(std::memory_order_acquire)) {
    }
    std::this_thread::yield();
    taken_.store(true, std::memory_order_relaxed);
  }
  void unlock() { taken_.store(false, std::memory_order_release); }

 private:
  std::atomic<bool> taken_{false};
};
