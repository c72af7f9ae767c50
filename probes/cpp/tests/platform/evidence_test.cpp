#include "platform/evidence.hpp"

#include <gtest/gtest.h>
#include <unistd.h>

#include <atomic>
#include <chrono>
#include <thread>

#include "platform/pinning.hpp"
#include "support/allocations.hpp"

namespace threadping::platform {
namespace {

void sleep_for(int milliseconds) { std::this_thread::sleep_for(std::chrono::milliseconds(milliseconds)); }

TEST(ALook, SeesSleepsAndTime) {
  Onlooker onlooker({}, true);
  const Look before = onlooker.look();
  for (int sleep = 0; sleep < 5; ++sleep) sleep_for(1);
  const Look after = onlooker.look();
  const Seen seen = onlooker.between(before, after);
  EXPECT_EQ(seen.ns, after.at_ns - before.at_ns);
  EXPECT_GE(seen.ns, 5'000'000U);
  EXPECT_GE(seen.counters.voluntary_switches, 5U);
  EXPECT_EQ(seen.cpu_before, before.cpu);
  EXPECT_EQ(seen.cpu, after.cpu);
  EXPECT_EQ(seen.others_run_delay_ns, std::nullopt);
}

TEST(ALook, AllocatesNothing) {
  Onlooker onlooker({}, true);
  const std::uint64_t before = tests::allocations_of_this_thread();
  const Look look = onlooker.look();
  static_cast<void>(onlooker.between(look, onlooker.look()));
  EXPECT_EQ(tests::allocations_of_this_thread(), before);
}

TEST(Seen, HoldsTheLongestDelayOfTheOthers) {
  const std::array<int, 2> twice{gettid(), gettid()};
  const Onlooker onlooker(twice, false);
  Look before;
  Look after;
  for (const std::size_t other : {0, 1}) before.others_run_delay_ns[other] = 100;
  after.others_run_delay_ns[0] = 130;
  after.others_run_delay_ns[1] = 170;
  EXPECT_EQ(onlooker.between(before, after).others_run_delay_ns, 70U);
  after.others_run_delay_ns[1].reset();
  EXPECT_EQ(onlooker.between(before, after).others_run_delay_ns, 30U);
}

TEST(Seen, ReportsNoSoftInterruptsOfTwoCpus) {
  const Onlooker onlooker({}, false);
  if (onlooker.interrupts() != Interrupts::soft) GTEST_SKIP() << "this kernel does not report soft interrupts";
  const Look before{
      .cpu = 0, .counters = {}, .run_delay_ns = {}, .others_run_delay_ns = {}, .interrupts = 10, .throttled_ns = 5};
  Look after = before;
  after.interrupts = 13;
  after.throttled_ns = 12;
  EXPECT_EQ(onlooker.between(before, after).throttled_ns, 7U);
  EXPECT_EQ(onlooker.between(before, after).interrupts, 3U);
  after.cpu = 1;
  EXPECT_EQ(onlooker.between(before, after).interrupts, std::nullopt);
}

/// How long another thread was ready without a CPU, while this one kept the only one that both may use.
TEST(ALook, SeesThatAnotherThreadWaitsForItsCpu) {
  const CpuSet before = allowed_cpus();
  pin_this_thread(before.front());
  std::atomic<int> number = 0;
  std::atomic<bool> done = false;
  std::thread other([&] {
    number = gettid();
    while (!done) std::this_thread::yield();
  });
  while (number == 0) std::this_thread::yield();
  const std::array<int, 1> others{number};
  Onlooker onlooker(others, false);
  const Look start = onlooker.look();
  std::uint64_t delay = 0;
  while (start.others_run_delay_ns[0] && delay == 0)
    delay = onlooker.between(start, onlooker.look()).others_run_delay_ns.value_or(0);
  done = true;
  other.join();
  pin_this_thread(before);
  EXPECT_EQ(delay > 0, start.run_delay_ns.has_value());
}

TEST(TracePoints, CountNothingWhereThereAreNone) { EXPECT_EQ(TracePoints({"/nowhere/at/all"}).read(), std::nullopt); }

TEST(AnOnlooker, SaysWhatIsLacking) {
  const Onlooker without({}, false);
  if (without.interrupts() != Interrupts::soft) GTEST_SKIP() << "this kernel does not report soft interrupts";
  ASSERT_FALSE(without.lacking().empty());
  EXPECT_EQ(without.lacking().front(),
            "Interrupts are counted as soft interrupts only: this number of threads would need too many trace points.");
  const Onlooker with({}, true);
  EXPECT_EQ(with.lacking().size() + (with.interrupts() == Interrupts::trace_points ? 1 : 0), without.lacking().size());
}

}  // namespace
}  // namespace threadping::platform
