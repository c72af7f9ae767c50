#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string_view>

#include "mechanisms/lock.hpp"
#include "platform/lines.hpp"

namespace threadping::locks {

/// One word that all threads add to.
class SharedCounter : public UsedAlike {
 public:
  static constexpr bool kBlocking = false;
  static constexpr bool kExact = true;
  static constexpr bool kFetches = true;

  [[nodiscard]] std::uint64_t sum() const { return value_; }

 protected:
  std::atomic<std::uint64_t> value_ = 0;
};

/// One locked addition (x86: LOCK ADD or XADD). Relaxed: the sum needs no order with anything else, and on x86 every
/// locked operation is a full barrier anyway.
class FetchAdd : public SharedCounter {
 public:
  static constexpr std::string_view kName = "fetch-add";

  void add(Own /*own*/) { value_.fetch_add(1, std::memory_order_relaxed); }
  std::uint64_t fetch(Own /*own*/) { return value_.fetch_add(1, std::memory_order_relaxed); }
};

/// Read, add, compare and swap, and again if another was quicker: what every lock-free update of a value does that no
/// single instruction can do.
class CasLoop : public SharedCounter {
 public:
  static constexpr std::string_view kName = "cas-loop";

  void add(Own own) { fetch(own); }
  std::uint64_t fetch(Own /*own*/) {
    std::uint64_t value = value_.load(std::memory_order_relaxed);
    while (!value_.compare_exchange_weak(value, value + 1, std::memory_order_relaxed)) {
    }
    return value;
  }
};

/// Load, add, store, and nothing between them that keeps others out: increments are lost whenever two threads read the
/// same value. Atomic accesses without any order, so that the compiler may not add the whole loop up at once.
class Unprotected : public SharedCounter {
 public:
  static constexpr std::string_view kName = "unprotected";
  static constexpr bool kExact = false;
  static constexpr bool kFetches = false;  ///< What was there before may be what another has overwritten.

  void add(Own /*own*/) { value_.store(value_.load(std::memory_order_relaxed) + 1, std::memory_order_relaxed); }
};

/// A counter for each thread, which it alone writes, in slots of this type; a reader adds them up. The release
/// store publishes the count to a reader; on x86 it is an ordinary store.
template <class Slot>
class OwnCounters {
 public:
  static constexpr bool kBlocking = false;
  static constexpr bool kExact = true;
  static constexpr bool kFetches = false;  ///< Nobody comes in between.
  static constexpr std::size_t kSeatBytes = sizeof(Slot);
  using Own = Slot*;

  explicit OwnCounters(Seats seats) : slots_(seats.take<Slot>()) {}

  Own own(std::size_t thread) { return &slots_[thread]; }
  static void add(Own own) {
    own->value.store(own->value.load(std::memory_order_relaxed) + 1, std::memory_order_release);
  }
  std::uint64_t sum() {
    std::uint64_t sum = 0;
    for (const Slot& slot : slots_) sum += slot.value;
    return sum;
  }

 private:
  std::span<Slot> slots_;
};

template <std::size_t kAlignment>
struct alignas(kAlignment) Slot {
  std::atomic<std::uint64_t> value = 0;
};

/// Each thread counts on a line of its own, which it alone writes (the Single Writer Principle, Mechanical Sympathy,
/// 2011).
class SingleWriterRelease : public OwnCounters<Slot<platform::kLinePair>> {
 public:
  using OwnCounters::OwnCounters;

  static constexpr std::string_view kName = "single-writer-release";
};

/// As single-writer-release, but the counters stand side by side: eight threads share a line of 64 bytes although none
/// reads what another writes.
class FalseSharing : public OwnCounters<Slot<alignof(std::uint64_t)>> {
 public:
  using OwnCounters::OwnCounters;

  static constexpr std::string_view kName = "false-sharing";
};

}  // namespace threadping::locks
