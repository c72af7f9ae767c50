#pragma once

#include <cstdint>

namespace threadping::platform {

/// Lets one thread sleep until some others have ended, or a time has passed. An eventfd, because it sleeps in one
/// system call, needs no clock conversion and is understood by ThreadSanitizer.
class FinishLine {
 public:
  explicit FinishLine(int runners);
  FinishLine(const FinishLine&) = delete;
  FinishLine& operator=(const FinishLine&) = delete;
  ~FinishLine();

  /// Called once by each runner as it ends.
  void cross() const;

  /// True once every runner has crossed; false if `timeout_ns` passed first. With 0 it only looks.
  bool wait(std::uint64_t timeout_ns);

 private:
  int crossings_;
  std::uint64_t missing_;
};

}  // namespace threadping::platform
