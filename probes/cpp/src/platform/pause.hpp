#pragma once

#include <cstdint>

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

/// Work that takes time and touches no memory: steps of Knuth's linear congruential generator (The Art of Computer
/// Programming 2, 3.3.4), each of which waits for the one before. The compiler may neither drop them nor move them out
/// of the place where they stand.
inline void take_steps(std::uint64_t steps) {
  std::uint64_t value = steps;
  asm volatile("" : "+r"(value) : : "memory");
  for (; steps > 0; --steps) value = value * 6364136223846793005U + 1442695040888963407U;
  asm volatile("" : : "r"(value) : "memory");
}

}  // namespace threadping::platform
