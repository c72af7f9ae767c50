// What shares a line and what does not, as the names of the mechanisms say. Every mechanism must be in the table.

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <map>

#include "experiments/all.hpp"
#include "failure.hpp"
#include "mechanisms/lock.hpp"
#include "mechanisms/locks/cells.hpp"
#include "mechanisms/locks/counters.hpp"
#include "mechanisms/locks/locks.hpp"
#include "mechanisms/locks/shared_locks.hpp"
#include "support/lines.hpp"
#include "support/variants.hpp"

namespace threadping::lock {
namespace {

using namespace locks;  // NOLINT(google-build-using-namespace): what is laid out here

using platform::kLinePair;
using tests::lines_of;
using tests::Places;

constexpr std::size_t kThreads = 8;

/// A lock and what it protects, with a seat behind it for each thread.
template <class L>
struct Made {
  alignas(kLinePair) std::array<std::byte, kThreads * L::kSeatBytes + 1> seats{};
  Guarded<L> cell{locks::Seats{.first = seats.data(), .count = kThreads}};
};

/// The lock is in one line, and the counter on another pair: what is written when the lock is taken, and what else
/// has been when it is released.
template <class L>
void guards_another_pair() {
  Made<L> made;
  const tests::Snapshot free(&made.cell, sizeof made.cell);
  Places taken;
  locks::Handoffs hands = made.cell.hands(0);
  made.cell.template perform<false>(made.cell.own(0), hands, [&] { taken = free.written(); });
  EXPECT_EQ(lines_of(taken).size(), 1U);
  auto others = lines_of(free.written(), kLinePair);
  for (const std::uintptr_t pair : lines_of(taken, kLinePair)) others.erase(pair);
  EXPECT_EQ(others.size(), 1U);
}

/// The same, and each thread waits at a pair of its own, at its seat.
void waits_at_a_pair_of_its_own() {
  guards_another_pair<McsLock>();
  Made<McsLock> made;
  Places nodes;
  for (std::size_t thread = 0; thread < kThreads; ++thread) {
    nodes.push_back(reinterpret_cast<std::uintptr_t>(made.cell.own(thread)));
    EXPECT_EQ(nodes.back(), reinterpret_cast<std::uintptr_t>(&made.seats[thread * sizeof(McsLock::Node)]));
  }
  EXPECT_EQ(lines_of(nodes, kLinePair).size(), kThreads);
}

/// What is written in the pool by one increment of each thread.
Places counters_of(std::string_view name) {
  const auto all = tests::variants_of(experiment(), [&](const auto& one) { return one.mechanism->name == name; });
  const auto acting = all.front().acting(1, kThreads);
  Places places;
  for (std::size_t thread = 0; thread < kThreads; ++thread) {
    const tests::Snapshot before(acting->stage->memory(), platform::kPage);
    acting->plain(thread, 0, 1);
    const Places written = before.written();
    EXPECT_EQ(written.size(), 1U) << "nothing, or outside the pool, or more than a counter";
    places.insert(places.end(), written.begin(), written.end());
  }
  return places;
}

using Check = std::function<void()>;

const std::map<std::string_view, Check>& layouts() {
  static const auto all_count_in_one_word = [](std::string_view name) {
    return [name] { EXPECT_EQ(lines_of(counters_of(name), 1).size(), 1U); };
  };
  static const std::map<std::string_view, Check> all{
      {"mutex", guards_another_pair<Mutex>},
      {"adaptive-mutex", guards_another_pair<AdaptiveMutex>},
      {"pthread-spinlock", guards_another_pair<PthreadSpinlock>},
      {"test-and-test-and-set", guards_another_pair<TestAndTestAndSet>},
      {"ticket-lock", guards_another_pair<TicketLock>},
      {"mcs-lock", waits_at_a_pair_of_its_own},
      {"shared-mutex", guards_another_pair<SharedMutex>},
      {"pthread-rwlock-readers", guards_another_pair<PthreadRwlockReaders>},
      {"pthread-rwlock-writers", guards_another_pair<PthreadRwlockWriters>},
      {"seqlock", guards_another_pair<SeqLock>},
      {"fetch-add", all_count_in_one_word("fetch-add")},
      {"cas-loop", all_count_in_one_word("cas-loop")},
      {"unprotected", all_count_in_one_word("unprotected")},
      {"single-writer-release",
       [] { EXPECT_EQ(lines_of(counters_of("single-writer-release"), kLinePair).size(), kThreads); }},
      {"false-sharing",
       [] {
         const Places counters = counters_of("false-sharing");
         EXPECT_EQ(lines_of(counters).size(), 1U);
         EXPECT_EQ(lines_of(counters, sizeof(std::uint64_t)).size(), kThreads);
       }},
  };
  return all;
}

TEST(EveryLock, SharesTheLinesThatItsNameSays) {
  for (const engine::Mechanism& mechanism : experiment().mechanisms) {
    SCOPED_TRACE(mechanism.name);
    ASSERT_TRUE(layouts().contains(mechanism.name)) << "say above what shares a line";
    layouts().at(mechanism.name)();
  }
}

TEST(FalseSharing, LaysCountersAsFarApartAsItsStrideSays) {
  constexpr std::size_t kStride = 128;
  alignas(kLinePair) std::array<std::byte, kThreads * FalseSharing::kSeatBytes> seats{};
  FalseSharing counters({.first = seats.data(), .count = kThreads, .stride = kStride});
  for (std::size_t thread = 0; thread < kThreads; ++thread) {
    EXPECT_EQ(reinterpret_cast<std::byte*>(counters.own(thread)), seats.data() + thread * kStride);
    FalseSharing::add(counters.own(thread));
  }
  EXPECT_EQ(counters.sum(), kThreads);
}

TEST(FalseSharing, RefusesAStrideThatLaysACounterAcrossWords) {
  alignas(kLinePair) std::array<std::byte, 2 * FalseSharing::kSeatBytes> seats{};
  EXPECT_THROW(FalseSharing({.first = seats.data(), .count = 2, .stride = 12}), Failure);
}

}  // namespace
}  // namespace threadping::lock
