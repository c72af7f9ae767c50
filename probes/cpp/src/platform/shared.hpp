#pragma once

#include <memory>
#include <new>

#include "platform/memory.hpp"

namespace threadping::platform {

/// One T in memory that this process shares with its threads, or with a process that it forks. T must not point to what
/// the other process does not see.
template <class T>
class Shared {
 public:
  explicit Shared(Sharing sharing) : memory_(sizeof(T), sharing), object_(new (memory_.start()) T) {}
  Shared(const Shared&) = delete;
  Shared& operator=(const Shared&) = delete;
  ~Shared() { std::destroy_at(object_); }

  T& operator*() const { return *object_; }
  T* operator->() const { return object_; }

 private:
  Memory memory_;
  T* object_;
};

}  // namespace threadping::platform
