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

/// The instructions by which a thread rests without the kernel, each only where the CPU has it: waitpkg is Intel's
/// (since Tremont and Alder Lake), MONITORX is AMD's (since Excavator). The core's other hardware thread has it to
/// itself meanwhile. Ticks are those of the time stamp counter.
struct Resting {
  bool has_waitpkg = false;
  bool has_monitorx = false;

  /// The instructions of this CPU.
  static Resting here() {
    Resting found;
#ifdef __x86_64__
    constexpr unsigned kExtended = 0x80000001;
    constexpr unsigned kWaitpkg = 1U << 5;
    constexpr unsigned kMonitorx = 1U << 29;
    unsigned a = 0;
    unsigned b = 0;
    unsigned c = 0;
    unsigned d = 0;
    found.has_waitpkg = __get_cpuid_count(7, 0, &a, &b, &c, &d) != 0 && (c & kWaitpkg) != 0;
    found.has_monitorx = __get_cpuid(kExtended, &a, &b, &c, &d) != 0 && (c & kMonitorx) != 0;
#endif
    return found;
  }

#ifdef __x86_64__
  /// In the lighter of two states, C0.1, as umwait().
  static void tpause(std::uint64_t ticks) {
    const std::uint64_t until = __builtin_ia32_rdtsc() + ticks;
    asm volatile("tpause %0" : : "r"(1U), "a"(low(until)), "d"(high(until)) : "cc", "memory");
  }
  /// Begins to watch a line: a write to it from now on ends the umwait() that follows, or has it not begin.
  static void umonitor(const void* line) { asm volatile("umonitor %0" : : "r"(line) : "memory"); }
  static void umwait(std::uint64_t ticks) {
    const std::uint64_t until = __builtin_ia32_rdtsc() + ticks;
    asm volatile("umwait %0" : : "r"(1U), "a"(low(until)), "d"(high(until)) : "cc", "memory");
  }
  /// AMD's equivalents. 0xF0 asks for no deeper state than C0, 2 for the end after `ticks` ticks.
  static void monitorx(const void* line) { asm volatile("monitorx" : : "a"(line), "c"(0U), "d"(0U) : "memory"); }
  static void mwaitx(std::uint64_t ticks) {
    asm volatile("mwaitx" : : "a"(0xF0U), "b"(low(ticks)), "c"(2U) : "memory");
  }

 private:
  static unsigned low(std::uint64_t ticks) { return static_cast<unsigned>(ticks); }
  static unsigned high(std::uint64_t ticks) { return static_cast<unsigned>(ticks >> 32); }
#else
  static void tpause(std::uint64_t /*ticks*/) {}
  static void umonitor(const void* /*line*/) {}
  static void umwait(std::uint64_t /*ticks*/) {}
  static void monitorx(const void* /*line*/) {}
  static void mwaitx(std::uint64_t /*ticks*/) {}
#endif
};

/// Work that takes time and touches no memory: steps of Knuth's linear congruential generator (The Art of Computer
/// Programming 2, 3.3.4), each waits for the one before, the first of one operation for the last of the
/// operation before it: chains that began anew would overlap in the CPU (seen: 0.33 ns a step in place of 1.2). The
/// compiler may neither make one step of several, whose factors it knows (LLVM did, of eight), nor drop steps, nor move
/// them out of their place.
class Steps {
 public:
  void take(std::uint64_t count) {
    for (; count > 0; --count) {
      value_ = value_ * 6364136223846793005U + 1442695040888963407U;
      asm("" : "+r"(value_));
    }
    asm volatile("" : "+r"(value_) : : "memory");
  }

  /// How far the chain has come.
  [[nodiscard]] std::uint64_t value() const { return value_; }

 private:
  std::uint64_t value_ = 1;
};

}  // namespace threadping::platform
