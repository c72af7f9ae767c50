#include "platform/counters.hpp"

#include <gtest/gtest.h>
#include <pthread.h>
#include <sys/mman.h>

#include <atomic>
#include <chrono>
#include <filesystem>
#include <fstream>
#include <thread>

namespace threadping::platform {
namespace {

TEST(ThreadCounters, Subtract) {
  const ThreadCounters between = ThreadCounters{.cpu_ns = 1100,
                                                .voluntary_switches = 12,
                                                .involuntary_switches = 23,
                                                .migrations = 5,
                                                .minor_faults = 35,
                                                .major_faults = 46} -
                                 ThreadCounters{.cpu_ns = 100,
                                                .voluntary_switches = 10,
                                                .involuntary_switches = 20,
                                                .migrations = 1,
                                                .minor_faults = 30,
                                                .major_faults = 40};
  EXPECT_EQ(between.cpu_ns, 1000U);
  EXPECT_EQ(between.voluntary_switches, 2U);
  EXPECT_EQ(between.involuntary_switches, 3U);
  EXPECT_EQ(between.migrations, 4U);
  EXPECT_EQ(between.minor_faults, 5U);
  EXPECT_EQ(between.major_faults, 6U);
}

TEST(ADifference, IsUnknownWhereOneReadingIsAndNeverNegative) {
  EXPECT_EQ(difference(30, 10), 20U);
  EXPECT_EQ(difference(10, 30), 0U);
  EXPECT_EQ(difference(std::nullopt, 3), std::nullopt);
  EXPECT_EQ(difference(3, std::nullopt), std::nullopt);
}

TEST(ThreadCounters, SeeSleepsAndFaultsAndWork) {
  constexpr int kSleeps = 5;
  constexpr std::size_t kPages = 16;
  constexpr std::size_t kPage = 65536;  // the largest page of any kernel here
  const ThreadCounters before = read_quick_counters();
  for (int sleep = 0; sleep < kSleeps; ++sleep) std::this_thread::sleep_for(std::chrono::milliseconds(1));
  void* memory = mmap(nullptr, kPages * kPage, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  ASSERT_NE(memory, MAP_FAILED);
  madvise(memory, kPages * kPage, MADV_NOHUGEPAGE);
  for (std::size_t page = 0; page < kPages; ++page) static_cast<volatile char*>(memory)[page * kPage] = 1;
  munmap(memory, kPages * kPage);
  const ThreadCounters between = read_quick_counters() - before;
  EXPECT_GE(between.voluntary_switches, std::size_t{kSleeps});
  EXPECT_GE(between.minor_faults, kPages);
  EXPECT_GT(between.cpu_ns, 0U);
}

/// Both threads have names that begin so: one spins, and then both sleep.
TEST(TheActivityOfThreads, IsHowLongTheyRanAndWhetherOneDoes) {
  const std::vector<std::string> names{"no such", "tp compiler"};
  EXPECT_FALSE(read_activity_of(names));
  std::atomic<int> named = 0;
  std::atomic<bool> spins = true;
  std::atomic<bool> ends = false;
  const auto live = [&](const char* name, bool spinning) {
    pthread_setname_np(pthread_self(), name);
    ++named;
    while (spinning && spins) {
    }
    ends.wait(false);
  };
  std::thread one(live, "tp compiler) S", true);
  std::thread other(live, "tp compiler 2", false);
  while (named < 2) std::this_thread::yield();
  const auto busy = read_activity_of(names);
  spins = false;
  auto idle = read_activity_of(names);
  while (idle && idle->awake) idle = read_activity_of(names);
  ends = true;
  ends.notify_all();
  one.join();
  other.join();
  ASSERT_TRUE(busy && idle);
  EXPECT_TRUE(busy->awake);
  EXPECT_GT(idle->cpu_ns, 0U);
}

TEST(ThreadCounters, AreOfTheCallingThreadAlone) {
  const ThreadCounters before = read_quick_counters();
  std::thread([] {
    for (int sleep = 0; sleep < 50; ++sleep) std::this_thread::sleep_for(std::chrono::microseconds(10));
  }).join();
  EXPECT_LT((read_quick_counters() - before).voluntary_switches, 50U);
}

TEST(ThreadCounters, LeaveTheMigrationsToTheSlowReading) {
  EXPECT_EQ(read_quick_counters().migrations, std::nullopt);
  const auto before = read_migrations();
  EXPECT_GE(read_migrations(), before);
}

TEST(MachineCounters, Subtract) {
  const MachineCounters between =
      MachineCounters{.steal_ns = 30, .interrupts = 500, .energy_uj = 7} -
      MachineCounters{.steal_ns = std::nullopt, .interrupts = 100, .energy_uj = std::nullopt};
  EXPECT_EQ(between.steal_ns, std::nullopt);
  EXPECT_EQ(between.interrupts, 400U);
  EXPECT_EQ(between.energy_uj, std::nullopt);
}

TEST(MachineCounters, AddUpTheEnergyOfThePackagesAndNotOfWhatIsWithinThem) {
  const std::filesystem::path root = std::filesystem::path(testing::TempDir()) / "threadping-powercap";
  const auto read = [&](int energy_uj) {
    for (const char* zone : {"intel-rapl:0", "intel-rapl:0:0", "intel-rapl:1"}) {
      std::filesystem::create_directories(root / zone);
      std::ofstream(root / zone / "energy_uj") << energy_uj << '\n';
    }
    return read_machine_counters({}, root);
  };
  const MachineCounters before = read(500);
  const MachineCounters after = read(800);
  EXPECT_EQ(before.energy_uj, 1'000U);
  EXPECT_EQ((after - before).energy_uj, 600U);
  EXPECT_EQ((before - after).energy_uj, std::nullopt) << "it began again at 0";
  std::filesystem::remove_all(root);
  EXPECT_EQ(read_machine_counters({}, root).energy_uj, std::nullopt);
}

TEST(MachineCounters, KnowNoStealOfNoCpu) { EXPECT_EQ(read_machine_counters({}).steal_ns, std::nullopt); }

TEST(MachineCounters, AddUpTheStealOfTheCpusAskedFor) {
  const CpuSet cpus = allowed_cpus();
  const MachineCounters all = read_machine_counters(cpus);
  if (!all.steal_ns) GTEST_SKIP() << "this kernel does not report the steal time";
  std::uint64_t sum = 0;
  for (const int cpu : cpus) sum += read_machine_counters({cpu}).steal_ns.value_or(0);
  EXPECT_GE(sum, *all.steal_ns);  // read later, and it only grows
}

}  // namespace
}  // namespace threadping::platform
