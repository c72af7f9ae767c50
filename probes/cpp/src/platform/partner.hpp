#pragma once

#include <functional>
#include <optional>
#include <string>
#include <thread>

#include "platform/memory.hpp"

namespace threadping::platform {

/// Something that runs beside us: a thread, or a process forked from this one, which ends with it.
class Partner {
 public:
  /// Starts it. A process is forked, so this must come before any thread is started. Throws Failure(internal).
  Partner(Sharing sharing, std::function<void()> run);
  Partner(const Partner&) = delete;
  Partner& operator=(const Partner&) = delete;
  ~Partner();  ///< Waits for its end.

  /// Gives up waiting: kills a process, and leaves a thread to itself.
  void abandon();

  /// How a process ended that did not come to its end, in words.
  [[nodiscard]] std::optional<std::string> died();

 private:
  std::thread thread_;
  int process_ = 0;
};

}  // namespace threadping::platform
