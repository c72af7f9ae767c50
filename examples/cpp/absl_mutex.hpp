// absl::Mutex (Debian: libabsl-dev). --cxxflags "$(pkg-config --libs absl_synchronization)"; see
// docs/how-to/custom-mechanism.md.
#pragma once
#include <absl/synchronization/mutex.h>

class AbslMutex {
 public:
  static constexpr bool kBlocking = true;
  void acquire() { mutex_.Lock(); }
  void release() { mutex_.Unlock(); }

 private:
  absl::Mutex mutex_;
};
