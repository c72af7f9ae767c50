// Nothing that is timed allocates: the test replaces the global operator new to count.

#include <gtest/gtest.h>

#include <array>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <new>

#include "mechanism.hpp"
#include "signal/mechanisms_under_test.hpp"
#include "signal/trial.hpp"
#include "support/requests.hpp"

namespace {

thread_local std::uint64_t allocations = 0;  // of this thread

// Neither is inlined: GCC would see memory of operator new given to free(), and warn.
[[gnu::noinline]] void* allocate(std::size_t size) {
  ++allocations;
  void* memory = std::malloc(size);
  if (memory == nullptr) throw std::bad_alloc();
  return memory;
}

[[gnu::noinline]] void release(void* memory) { std::free(memory); }

}  // namespace

void* operator new(std::size_t size) { return allocate(size); }
void* operator new[](std::size_t size) { return allocate(size); }
void operator delete(void* memory) noexcept { release(memory); }
void operator delete[](void* memory) noexcept { release(memory); }
void operator delete(void* memory, std::size_t /*size*/) noexcept { release(memory); }
void operator delete[](void* memory, std::size_t /*size*/) noexcept { release(memory); }

namespace threadping::signal {
namespace {

/// A mechanism that notes, for each side, between how many pairs of its turns something was allocated.
template <SignalMechanism M>
struct Counting : M {
  inline static std::array<std::atomic<std::uint64_t>, 2> turns{};
  inline static std::array<std::atomic<std::uint64_t>, 2> gaps{};

  template <Side S>
  static std::uint64_t turn(M::Cell& cell, std::uint64_t expected) {
    thread_local std::uint64_t last = allocations;
    constexpr auto kSide = static_cast<std::size_t>(S);
    turns[kSide].fetch_add(1, std::memory_order_relaxed);
    if (allocations != last) gaps[kSide].fetch_add(1, std::memory_order_relaxed);
    last = allocations;
    return M::template turn<S>(cell, expected);
  }
};

template <class M>
class Allocations : public testing::Test {};
TYPED_TEST_SUITE(Allocations, MechanismsUnderTest, MechanismName);

TYPED_TEST(Allocations, OnlyWhereTheCountersAreRead) {
  const auto request = tests::quick_request(std::nullopt, std::nullopt);
  const message::Result result = Trial<Counting<TypeParam>>(request).run();
  ASSERT_FALSE(result.cut);
  for (const Side side : {Side::ping, Side::pong}) {
    const auto index = static_cast<std::size_t>(side);
    EXPECT_EQ(2 * Counting<TypeParam>::turns[index], result.warmup_ops + result.measured_ops);
    EXPECT_EQ(Counting<TypeParam>::gaps[index], 1U);  // between warm-up and measuring
  }
}

}  // namespace
}  // namespace threadping::signal
