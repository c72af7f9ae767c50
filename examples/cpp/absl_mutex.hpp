// absl::Mutex (Debian: libabsl-dev). --cxxflags '-labsl_synchronization -labsl_base ...': see docs/own.md.
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
