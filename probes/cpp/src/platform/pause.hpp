#pragma once

#include <cstdint>

#ifdef __x86_64__
#include <cpuid.h>
#endif

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

/// Whether the CPU has TPAUSE (waitpkg: Intel's since Tremont and Alder Lake).
inline bool has_tpause() {
#ifdef __x86_64__
  constexpr unsigned kWaitpkg = 1U << 5;
  unsigned a = 0;
  unsigned b = 0;
  unsigned c = 0;
  unsigned d = 0;
  return __get_cpuid_count(7, 0, &a, &b, &c, &d) != 0 && (c & kWaitpkg) != 0;
#else
  return false;
#endif
}

/// Rests for so many ticks of the time stamp counter, in the lighter of two states (C0.1): the core's other hardware
/// thread has it to itself meanwhile. Only where the CPU has TPAUSE.
inline void tpause([[maybe_unused]] std::uint64_t ticks) {
#ifdef __x86_64__
  const std::uint64_t until = __builtin_ia32_rdtsc() + ticks;
  asm volatile("tpause %0"
               :
               : "r"(1U), "a"(static_cast<unsigned>(until)), "d"(static_cast<unsigned>(until >> 32))
               : "cc");
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
