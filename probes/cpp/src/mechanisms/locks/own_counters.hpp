#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string_view>

#include "mechanisms/lock.hpp"
#include "platform/lines.hpp"

namespace threadping::locks {

/// A counter for each thread, which it alone writes, in slots of this type; who wants the sum adds them up. The release
/// store publishes the count to a reader; on x86 it is an ordinary store.
template <class Slot>
class OwnCounters {
 public:
  static constexpr bool kBlocking = false;
  static constexpr bool kExact = true;
  static constexpr bool kTellsBefore = false;  ///< Nobody comes in between.
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
