#pragma once

#include <cstddef>

namespace threadping::platform {

/// Who uses some memory: the threads of this process, or also a process that it forks.
enum class Sharing { threads, processes };

/// Pages of zeroes, touched by nobody yet; small ones only, since a huge page would put all that lies in it on
/// neighbouring physical lines.
class Memory {
 public:
  /// Throws Failure(internal) when the system refuses.
  Memory(std::size_t bytes, Sharing sharing);
  Memory(const Memory&) = delete;
  Memory& operator=(const Memory&) = delete;
  ~Memory();

  [[nodiscard]] std::byte* start() const { return start_; }

 private:
  std::size_t bytes_;
  std::byte* start_ = nullptr;
};

}  // namespace threadping::platform
