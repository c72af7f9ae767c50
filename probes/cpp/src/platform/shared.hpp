#pragma once

#include <cstddef>
#include <memory>
#include <new>

#include "platform/memory.hpp"

namespace threadping::platform {

/// Some Ts in memory that this process shares with its threads, or with processes that it forks. T must not point to
/// what another process does not see.
template <class T>
class Shared {
 public:
  Shared(std::size_t count, Sharing sharing) : memory_(count * sizeof(T), sharing), count_(count) {
    for (std::size_t index = 0; index < count; ++index) new (memory_.start() + index * sizeof(T)) T;
  }
  Shared(const Shared&) = delete;
  Shared& operator=(const Shared&) = delete;
  ~Shared() { std::destroy_n(begin(), count_); }

  [[nodiscard]] T* begin() const { return std::launder(reinterpret_cast<T*>(memory_.start())); }
  [[nodiscard]] T* end() const { return begin() + count_; }
  [[nodiscard]] std::size_t size() const { return count_; }
  T& operator[](std::size_t index) const { return begin()[index]; }

 private:
  Memory memory_;
  std::size_t count_;
};

}  // namespace threadping::platform
