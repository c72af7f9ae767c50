// What is seen around outliers that were planted: an operation that is interrupted, moved or faults, now and then.

#include <gtest/gtest.h>
#include <sched.h>
#include <sys/mman.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <functional>
#include <map>
#include <thread>
#include <vector>

#include "engine/looks.hpp"
#include "engine/trial.hpp"
#include "platform/clock.hpp"
#include "platform/lines.hpp"
#include "support/requests.hpp"
#include "support/stages.hpp"
#include "toy/toy.hpp"

namespace threadping::engine {
namespace {

using tests::kMillisecond;

constexpr std::uint64_t kShort = 1'000;
constexpr std::uint64_t kPlanted = 60'000;

/// Lets the calling thread work for so long.
void spin_until(std::uint64_t end_ns) {
  while (platform::now_ns() < end_ns) {
  }
}

/// When what was planted began. Its memory is touched beforehand, for no page fault to be found but those that are
/// meant.
class Planted {
 public:
  Planted() : from_ns_(10'000) { from_ns_.clear(); }
  void add(std::uint64_t from_ns) { from_ns_.push_back(from_ns); }
  [[nodiscard]] bool contains(std::uint64_t from_ns) const {
    return std::ranges::find(from_ns_, from_ns) != from_ns_.end();
  }

 private:
  std::vector<std::uint64_t> from_ns_;
};

/// Operations of a microsecond, but for one in two thousand of those that are timed: it does what is planted, and
/// takes some longer. A look may be some hundred microseconds old.
class Planting : public tests::NoWork {
 public:
  Planting(Planted& planted, std::function<void()> plant) : planted_(planted), plant_(std::move(plant)) {}

  std::uint64_t run(std::size_t /*thread*/, const Task& task, Samples& samples) override {
    for (std::uint64_t done = 0; done < task.count; ++done) {
      const bool timed = task.every > 0 && done % task.every == task.every / 2;
      const bool plants = timed && ++operations_ % 2000 == 0;
      const std::uint64_t from_ns = platform::now_ns();
      if (plants) plant_();
      spin_until(from_ns + (plants ? kPlanted : kShort));
      if (timed) samples.add(from_ns, platform::now_ns());
      if (plants) planted_.add(from_ns);
    }
    return task.count;
  }

 private:
  Planted& planted_;
  std::function<void()> plant_;
  std::uint64_t operations_ = 0;
};

contract::Request request_on(int cpu, std::uint64_t least_ns) {
  auto request = tests::quick_request(toy::experiment(contract::Unit::ns), {cpu});
  request.windows.sampling = 20 * kMillisecond;
  request.windows.clock_share = 1;  // every operation is timed
  request.measure_ns = 200 * kMillisecond;
  request.outliers = {.factor = 1, .least_ns = least_ns, .most = 1000};
  return request;
}

contract::Evidence evidence_of(const contract::Request& request, const std::function<void()>& plant, Planted& planted) {
  const Experiment& toy = toy::experiment(contract::Unit::ns);
  return run(request, toy, toy.mechanisms.front(), std::make_unique<Planting>(planted, plant))
      .evidence.value_or(contract::Evidence{});
}

using Is = std::function<bool(const platform::Seen&)>;

/// Of the outliers that were planted: how many there are, and around how many this was seen.
struct Explained {
  std::size_t all = 0;
  std::size_t seen = 0;
};
Explained found_in(const contract::Evidence& evidence, const Planted& planted, const Is& is) {
  Explained found;
  for (const contract::Outlier& outlier : evidence.outliers) {
    EXPECT_EQ(outlier.of, "increment");
    EXPECT_EQ(outlier.thread, 0U);
    if (!planted.contains(outlier.at_ns)) continue;
    EXPECT_GE(outlier.ns, kPlanted);
    if (!outlier.seen) continue;  // the budget was spent
    ++found.all;
    if (is(*outlier.seen)) ++found.seen;
  }
  return found;
}

const Is kMoved = [](const platform::Seen& seen) { return seen.cpu != seen.cpu_before; };
const Is kFaulted = [](const platform::Seen& seen) { return seen.counters.minor_faults > 0; };

/// What is planted is seen around nearly all.
void expect_seen(int cpu, const std::function<void()>& plant, const Is& is) {
  Planted planted;
  const Explained found = found_in(evidence_of(request_on(cpu, kPlanted), plant, planted), planted, is);
  EXPECT_GE(found.all, 5U);
  EXPECT_GE(found.seen * 10, found.all * 9) << found.seen << " of " << found.all;
}

TEST(TheEvidence, SeesThatAThreadWasMoved) {
  const auto cpus = tests::two_cpus();
  if (!cpus) GTEST_SKIP() << "this machine lets us use one CPU only";
  std::atomic<int> who = 0;
  std::atomic<int> where = -1;
  std::atomic<bool> done = false;
  std::thread mover([&] {
    while (!done) {
      if (const int there = where.exchange(-1); there >= 0) {
        cpu_set_t only;
        CPU_ZERO(&only);
        CPU_SET(static_cast<std::size_t>(there), &only);
        sched_setaffinity(who, sizeof only, &only);
      }
      std::this_thread::sleep_for(std::chrono::microseconds(50));
    }
  });
  const auto be_moved = [&, there = cpus->first]() mutable {
    there = there == cpus->first ? cpus->second : cpus->first;
    who = gettid();
    where = there;
    while (sched_getcpu() != there) {
    }
  };
  expect_seen(cpus->first, be_moved,
              [](const platform::Seen& seen) { return kMoved(seen) && seen.counters.involuntary_switches > 0; });
  done = true;
  mover.join();
}

TEST(TheEvidence, SeesPageFaults) {
  constexpr std::size_t kPages = 4;
  const auto touch = [] {
    void* pages = mmap(nullptr, kPages * platform::kPage, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    for (std::size_t page = 0; page < kPages; ++page) static_cast<volatile char*>(pages)[page * platform::kPage] = 1;
    munmap(pages, kPages * platform::kPage);
  };
  expect_seen(platform::allowed_cpus().front(), touch,
              [](const platform::Seen& seen) { return seen.counters.minor_faults >= kPages; });
}

/// Nothing is planted but that they take long.
TEST(TheEvidence, SeesHardlyAnythingWhereNothingIs) {
  Planted planted;
  const auto request = request_on(platform::allowed_cpus().front(), kPlanted);
  const contract::Evidence evidence = evidence_of(request, [] {}, planted);
  EXPECT_GT(evidence.look_ns, 0);
  for (const Is& is : {kMoved, kFaulted}) {
    const Explained found = found_in(evidence, planted, is);
    EXPECT_GE(found.all, 5U);
    EXPECT_LE(found.seen * 10, found.all);
  }
}

/// Another thread on the same CPU works for two milliseconds now and then.
TEST(TheEvidence, SeesThatAThreadWasInterrupted) {
  const int cpu = platform::allowed_cpus().front();
  std::atomic<bool> done = false;
  std::thread burner([&] {
    platform::pin_this_thread(cpu);
    while (!done) {
      std::this_thread::sleep_for(std::chrono::milliseconds(5));
      spin_until(platform::now_ns() + 2 * kMillisecond);
    }
  });
  Planted planted;
  const contract::Evidence evidence = evidence_of(request_on(cpu, kMillisecond), [] {}, planted);
  done = true;
  burner.join();
  std::size_t seen = 0;
  std::size_t explained = 0;
  for (const contract::Outlier& outlier : evidence.outliers) {
    if (!outlier.seen) continue;
    ++seen;
    if (outlier.seen->counters.involuntary_switches > 0 || 2 * outlier.seen->run_delay_ns.value_or(0) >= outlier.ns)
      ++explained;
  }
  EXPECT_GE(seen, 3U);
  EXPECT_GE((explained + 1) * 10, seen * 9) << explained << " of " << seen << ": one may be the hypervisor's";
}

TEST(ATrialThatLooksIntoNothing, HasNoEvidence) {
  const Experiment& toy = toy::experiment(contract::Unit::ns);
  auto request = request_on(platform::allowed_cpus().front(), kPlanted);
  request.outliers.reset();
  Planted planted;
  EXPECT_FALSE(
      run(request, toy, toy.mechanisms.front(), std::make_unique<Planting>(planted, [] {})).evidence.has_value());
}

TEST(ATrialThatLooksIntoAll, KeepsTheLongestOfEachThreadAndASample) {
  for (const contract::Unit unit : {contract::Unit::ns, contract::Unit::ops}) {
    const Experiment& toy = toy::experiment(unit);
    auto request = tests::quick_request(toy, tests::unpinned(2));
    request.measure_ns = 300 * kMillisecond;  // each thread gets a CPU in some window
    request.outliers = {.factor = 1, .least_ns = 1, .most = 5};
    const contract::Result result = run(request, toy);
    ASSERT_TRUE(result.evidence);
    std::map<std::size_t, std::size_t> of_thread;
    std::uint64_t last = 0;
    for (const contract::Outlier& outlier : result.evidence->outliers) {
      ++of_thread[outlier.thread];
      EXPECT_GE(outlier.at_ns, std::exchange(last, outlier.at_ns));
    }
    EXPECT_GT(result.evidence->looks, 0U);
    for (const std::size_t thread : {0U, 1U}) {
      const bool times = thread == 0 || unit == contract::Unit::ns;
      EXPECT_GE(of_thread[thread], times ? 5U : 0U);
      EXPECT_LE(of_thread[thread], times ? 10U : 0U) << "the longest, and a sample of all";
    }
  }
}

}  // namespace
}  // namespace threadping::engine
