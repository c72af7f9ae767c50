#pragma once

namespace threadping::platform {

/// Tells the CPU that this is a wait loop: PAUSE on x86, YIELD's stronger relative ISB on Arm (which is what pauses for
/// some time there; https://github.com/rust-lang/rust/pull/84725 measured it).
inline void pause() {
#if defined(__x86_64__) || defined(__i386__)
  __builtin_ia32_pause();
#elif defined(__aarch64__)
  asm volatile("isb" ::: "memory");
#else
  asm volatile("" ::: "memory");
#endif
}

}  // namespace threadping::platform
