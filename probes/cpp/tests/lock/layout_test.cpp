// What shares a line and what does not, as the names of the mechanisms promise. Every mechanism must say it here.

#include <gtest/gtest.h>

#include <cstddef>
#include <cstdint>
#include <map>
#include <new>
#include <set>
#include <string_view>
#include <vector>

#include "crew/params.hpp"
#include "lock/lock.hpp"
#include "lock/loops.hpp"
#include "lock/mechanism.hpp"
#include "lock/mechanisms/adaptive_mutex.hpp"
#include "lock/mechanisms/cas_loop.hpp"
#include "lock/mechanisms/false_sharing.hpp"
#include "lock/mechanisms/fetch_add.hpp"
#include "lock/mechanisms/mcs_lock.hpp"
#include "lock/mechanisms/mutex.hpp"
#include "lock/mechanisms/pthread_spinlock.hpp"
#include "lock/mechanisms/shared_mutex.hpp"
#include "lock/mechanisms/single_writer_release.hpp"
#include "lock/mechanisms/test_and_test_and_set.hpp"
#include "lock/mechanisms/ticket_lock.hpp"
#include "lock/mechanisms/unprotected.hpp"
#include "platform/lines.hpp"
#include "support/lines.hpp"

namespace threadping::lock {
namespace {

using tests::lines_of;
using tests::pairs_of;

constexpr std::size_t kThreads = 8;

/// A cell as the loops make it, with a seat for each thread behind it.
template <class Cell>
class Made {
 public:
  Cell& operator*() { return lines_[0]; }
  [[nodiscard]] tests::Page page() const { return tests::Page(lines_.memory()); }
  [[nodiscard]] std::size_t offset_of(const void* what) const {
    return static_cast<std::size_t>(static_cast<const std::byte*>(what) - lines_.memory());
  }

  /// Where the counter of these operations stands: the one place that holds how many they were.
  std::size_t counter_of(std::size_t thread, std::uint64_t operations) {
    for (std::uint64_t done = 0; done < operations; ++done) (**this).perform((**this).own(thread), [] {});
    const std::vector<std::size_t> places = page().places_of(operations);
    EXPECT_EQ(places.size(), 1U);
    return places.empty() ? 0 : places.front();
  }

 private:
  platform::Lines<Cell> lines_{
      1, platform::Sharing::threads, kThreads * Cell::kSeatBytes,
      [](void* place, std::byte* room) { new (place) Cell(Seats{.first = room, .count = kThreads}); }};
};

/// A lock in one line, and its counter on another pair: what is written when the lock is taken, and what is counted in.
template <class L>
void guards_from_another_pair() {
  Made<Guarded<L>> made;
  const std::size_t counter = made.counter_of(0, 54'321);
  const tests::Page::Bytes free = made.page().bytes();
  std::vector<std::size_t> taken;
  (*made).perform((*made).own(0), [&] { taken = made.page().written_since(free); });
  EXPECT_EQ(lines_of(taken).size(), 1U);
  EXPECT_FALSE(pairs_of(taken).contains(counter / platform::kLinePair));
}

/// The same, and each thread waits at a pair of its own behind the cell.
void waits_at_pairs_of_its_own() {
  guards_from_another_pair<McsLock>();
  Made<Guarded<McsLock>> made;
  std::set<std::size_t> pairs;
  for (std::size_t thread = 0; thread < kThreads; ++thread) {
    const std::size_t node = made.offset_of((*made).own(thread));
    EXPECT_GE(node, sizeof(*made));
    EXPECT_LE(node + sizeof(McsLock::Node), platform::kPage) << "outside the pool";
    EXPECT_EQ(node % platform::kLinePair, 0U);
    EXPECT_TRUE(pairs.insert(node / platform::kLinePair).second);
  }
}

template <class C>
void counts_alone_in_its_cell() {
  Made<Unguarded<C>> made;
  EXPECT_EQ(made.counter_of(0, 54'321), 0U);
  EXPECT_EQ(sizeof(*made), platform::kLinePair);
}

/// Where each thread's own counter stands: behind the cell, inside the pool.
template <class C>
std::vector<std::size_t> own_counters() {
  Made<Unguarded<C>> made;
  std::vector<std::size_t> counters;
  for (std::size_t thread = 0; thread < kThreads; ++thread) {
    counters.push_back(made.counter_of(thread, 1000 + thread));
    EXPECT_GE(counters.back(), sizeof(*made));
  }
  return counters;
}

template <class C>
void counts_on_pairs_of_its_own() {
  EXPECT_EQ(pairs_of(own_counters<C>()).size(), kThreads);
}

template <class C>
void counts_beside_its_neighbours() {
  EXPECT_EQ(lines_of(own_counters<C>()).size(), 1U);
}

const std::map<std::string_view, void (*)()> kLayouts{
    {Mutex::kName, guards_from_another_pair<Mutex>},
    {AdaptiveMutex::kName, guards_from_another_pair<AdaptiveMutex>},
    {PthreadSpinlock::kName, guards_from_another_pair<PthreadSpinlock>},
    {TestAndTestAndSet::kName, guards_from_another_pair<TestAndTestAndSet>},
    {TicketLock::kName, guards_from_another_pair<TicketLock>},
    {McsLock::kName, waits_at_pairs_of_its_own},
    {SharedMutex::kName, guards_from_another_pair<SharedMutex>},
    {FetchAdd::kName, counts_alone_in_its_cell<FetchAdd>},
    {CasLoop::kName, counts_alone_in_its_cell<CasLoop>},
    {SingleWriterRelease::kName, counts_on_pairs_of_its_own<SingleWriterRelease>},
    {FalseSharing::kName, counts_beside_its_neighbours<FalseSharing>},
    {Unprotected::kName, counts_alone_in_its_cell<Unprotected>},
};

TEST(LockLayout, OfEveryMechanismIsAsItsNamePromises) {
  for (const crew::Mechanism& mechanism : experiment().mechanisms) {
    SCOPED_TRACE(mechanism.name);
    ASSERT_TRUE(kLayouts.contains(mechanism.name)) << "say above what shares a line";
    kLayouts.at(mechanism.name)();
  }
}

/// A cell that notes where it stands, and its seats.
struct Noting {
  static constexpr bool kExact = true;
  static constexpr std::size_t kSeatBytes = 24;
  struct Own {};
  struct Place {
    const std::byte* cell;
    Seats seats;
  };
  inline static std::vector<Place> places;

  explicit Noting(Seats seats) { places.push_back({.cell = reinterpret_cast<const std::byte*>(this), .seats = seats}); }
  static Own own(std::size_t /*thread*/) { return {}; }
  template <class Work>
  void perform(Own /*own*/, Work /*critical*/) {}
  template <class Work>
  std::uint64_t perform_timed(Own /*own*/, Work /*critical*/) {
    return 0;
  }
  static std::uint64_t sum() { return 0; }
};

TEST(Seats, StandBehindTheirCellBeforeTheNext) {
  const crew::Params params(experiment().mechanisms.front(), {});
  const LockLoops<Noting> loops({.params = params, .lines = 3, .threads = 11});
  ASSERT_EQ(Noting::places.size(), 3U);
  const std::byte* free = loops.memory();
  for (const auto& [cell, seats] : Noting::places) {
    EXPECT_GE(cell, free);
    EXPECT_GE(seats.first, cell + sizeof(Noting));
    EXPECT_EQ(reinterpret_cast<std::uintptr_t>(seats.first) % platform::kLinePair, 0U);
    EXPECT_EQ(seats.count, 11U);
    free = seats.first + seats.count * Noting::kSeatBytes;
  }
}

}  // namespace
}  // namespace threadping::lock
