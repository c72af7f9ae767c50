#pragma once

#include <array>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <new>
#include <string>
#include <string_view>

#include "engine/params.hpp"
#include "failure.hpp"
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

/// Read, add, compare and swap, and again if another was faster: what every lock-free update of a value does that no
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

/// A counter for each thread, which it alone writes, `stride` bytes from the next thread's; a reader adds them up. The
/// release store publishes the count to a reader; on x86 it is an ordinary store.
class OwnCounters {
 public:
  static constexpr bool kBlocking = false;
  static constexpr bool kExact = true;
  static constexpr bool kFetches = false;  ///< Nobody comes in between.
  using Own = std::atomic<std::uint64_t>*;

  OwnCounters(Seats seats, std::size_t stride) : seats_{.first = seats.first, .count = seats.count, .stride = stride} {
    for (std::size_t thread = 0; thread < seats.count; ++thread) new (place(thread)) std::atomic<std::uint64_t>(0);
  }

  Own own(std::size_t thread) { return std::launder(reinterpret_cast<Own>(place(thread))); }
  static void add(Own own) { own->store(own->load(std::memory_order_relaxed) + 1, std::memory_order_release); }
  std::uint64_t sum() {
    std::uint64_t sum = 0;
    for (std::size_t thread = 0; thread < seats_.count; ++thread) sum += *own(thread);
    return sum;
  }

 private:
  [[nodiscard]] std::byte* place(std::size_t thread) const { return seats_.first + thread * seats_.stride; }

  Seats seats_;
};

/// Each thread counts on a line of its own, which it alone writes (the Single Writer Principle, Mechanical Sympathy,
/// 2011).
class SingleWriterRelease : public OwnCounters {
 public:
  static constexpr std::string_view kName = "single-writer-release";
  static constexpr std::size_t kSeatBytes = platform::kLinePair;

  explicit SingleWriterRelease(Seats seats) : OwnCounters(seats, kSeatBytes) {}
};

/// As single-writer-release, but the counters are `stride` bytes apart, by default adjacent: eight threads share
/// a line of 64 bytes although none reads what another writes.
class FalseSharing : public OwnCounters {
 public:
  static constexpr std::string_view kName = "false-sharing";
  static constexpr std::size_t kSeatBytes = 512;
  static constexpr std::array<engine::ParamInfo, 1> kParams{
      {{.name = "stride", .number = sizeof(std::uint64_t), .least = sizeof(std::uint64_t), .most = kSeatBytes}}};

  explicit FalseSharing(Seats seats) : OwnCounters(seats, whole_words(seats.stride)) {}

 private:
  /// Before a counter is laid anywhere: one across words is no atomic.
  static std::size_t whole_words(std::size_t stride) {
    if (stride % sizeof(std::uint64_t) == 0) return stride;
    throw Failure(ErrorCode::bad_request, "A stride of " + std::to_string(stride) +
                                              " bytes would lay a counter across words: it is a multiple of 8.");
  }
};

}  // namespace threadping::locks
