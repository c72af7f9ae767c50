// What is seen around outliers that were planted: an operation that is interrupted, moved or faults, now and then.

#include "engine/witness.hpp"

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

#include "engine/trial.hpp"
#include "platform/clock.hpp"
#include "platform/lines.hpp"
#include "support/loops.hpp"
#include "support/requests.hpp"
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

/// Operations of a microsecond, but for one in a hundred of those that are timed: it does what is planted, and takes
/// some longer.
class Planting : public tests::NoWork {
 public:
  Planting(Planted& planted, std::function<void()> plant) : planted_(planted), plant_(std::move(plant)) {}

  std::uint64_t plain(std::size_t /*thread*/, std::size_t /*line*/, std::uint64_t count) override {
    for (std::uint64_t done = 0; done < count; ++done) spin_until(platform::now_ns() + kShort);
    return count;
  }
  std::uint64_t timed(std::size_t /*thread*/, std::size_t /*line*/, std::uint64_t /*opened_ns*/,
                      std::span<Timing> timings) override {
    for (Timing& timing : timings) {
      const bool plants = ++operations_ % 100 == 0;
      timing.from_ns = platform::now_ns();
      if (plants) plant_();
      spin_until(timing.from_ns + (plants ? kPlanted : kShort));
      timing.to_ns = platform::now_ns();
      if (plants) planted_.add(timing.from_ns);
    }
    return timings.size();
  }

 private:
  Planted& planted_;
  std::function<void()> plant_;
  std::uint64_t operations_ = 0;
};

contract::Request request_on(int cpu, std::uint64_t least_ns) {
  auto request = tests::quick_request(toy::experiment(contract::Unit::ns), {cpu});
  request.windows.timed = 20 * kMillisecond;
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
    EXPECT_TRUE(outlier.seen);
    EXPECT_GE(outlier.ns, kPlanted);
    ++found.all;
    if (outlier.seen && is(*outlier.seen)) ++found.seen;
  }
  return found;
}

const Is kMoved = [](const platform::Seen& seen) { return seen.cpu != seen.cpu_before; };
const Is kFaulted = [](const platform::Seen& seen) { return seen.counters.minor_faults > 0; };

/// What is planted is seen around nearly all.
void expect_seen(int cpu, const std::function<void()>& plant, const Is& is) {
  Planted planted;
  const Explained found = found_in(evidence_of(request_on(cpu, kPlanted), plant, planted), planted, is);
  EXPECT_GE(found.all, 10U);
  EXPECT_GE(found.seen * 10, found.all * 9) << found.seen << " of " << found.all;
}

TEST(TheWitness, SeesThatAThreadWasMoved) {
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

TEST(TheWitness, SeesPageFaults) {
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
TEST(TheWitness, SeesHardlyAnythingWhereNothingIs) {
  Planted planted;
  const auto request = request_on(platform::allowed_cpus().front(), kPlanted);
  const contract::Evidence evidence = evidence_of(request, [] {}, planted);
  EXPECT_GT(evidence.look_ns, 0);
  for (const Is& is : {kMoved, kFaulted}) {
    const Explained found = found_in(evidence, planted, is);
    EXPECT_GE(found.all, 10U);
    EXPECT_LE(found.seen * 10, found.all);
  }
}

/// Another thread on the same CPU works for two milliseconds now and then.
TEST(TheWitness, SeesThatAThreadWasInterrupted) {
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
  std::size_t explained = 0;
  for (const contract::Outlier& outlier : evidence.outliers)
    if (outlier.seen &&
        (outlier.seen->counters.involuntary_switches > 0 || 2 * outlier.seen->run_delay_ns.value_or(0) >= outlier.ns))
      ++explained;
  EXPECT_GE(evidence.outliers.size(), 3U);
  EXPECT_GE(explained * 10, evidence.outliers.size() * 9) << explained << " of " << evidence.outliers.size();
}

TEST(ATrialThatLooksIntoNothing, HasNoEvidence) {
  const Experiment& toy = toy::experiment(contract::Unit::ns);
  auto request = request_on(platform::allowed_cpus().front(), kPlanted);
  request.outliers.reset();
  Planted planted;
  EXPECT_FALSE(
      run(request, toy, toy.mechanisms.front(), std::make_unique<Planting>(planted, [] {})).evidence.has_value());
}

TEST(ATrialThatLooksIntoAll, KeepsTheLongestOfEachThread) {
  for (const contract::Unit unit : {contract::Unit::ns, contract::Unit::ops}) {
    const Experiment& toy = toy::experiment(unit);
    auto request = tests::quick_request(toy, tests::unpinned(2));
    request.measure_ns = 100 * kMillisecond;  // each thread gets a CPU in some window
    request.outliers = {.factor = 1, .least_ns = 1, .most = 5};
    const contract::Result result = run(request, toy);
    ASSERT_TRUE(result.evidence);
    std::map<std::size_t, std::size_t> of_thread;
    std::uint64_t last = 0;
    for (const contract::Outlier& outlier : result.evidence->outliers) {
      ++of_thread[outlier.thread];
      EXPECT_GE(outlier.at_ns, std::exchange(last, outlier.at_ns));
    }
    EXPECT_EQ(of_thread[0], 5U);
    EXPECT_EQ(of_thread[1], unit == contract::Unit::ns ? 5U : 0U);
  }
}

/// A witness of the calling thread, before which nothing has been timed.
class AWitness : public testing::Test {
 protected:
  Witness witness_{{.factor = 10, .least_ns = 100, .most = 10}, {}, false};
};

/// It begins now.
Timing lasting(std::uint64_t ns) {
  const std::uint64_t now = platform::now_ns();
  return {.from_ns = now, .to_ns = now + ns};
}

TEST_F(AWitness, GivesWhatItSawToTheLongest) {
  witness_.begin(Recorder());
  const std::vector<Timing> timings{lasting(150), lasting(99), lasting(700), lasting(100)};
  witness_.after(timings);
  std::map<std::uint64_t, bool> seen;
  for (const Outlier& outlier : witness_.outliers()) seen[outlier.timing.ns()] = outlier.seen.has_value();
  EXPECT_EQ(seen, (std::map<std::uint64_t, bool>{{100, false}, {150, false}, {700, true}}));
}

TEST_F(AWitness, HasNotSeenWhatBeganBeforeItLooked) {
  const Timing early = lasting(700);
  witness_.begin(Recorder());
  witness_.after(std::vector{early});
  ASSERT_EQ(witness_.outliers().size(), 1U);
  EXPECT_FALSE(witness_.outliers().front().seen);
}

TEST_F(AWitness, KeepsNothingThatIsShort) {
  witness_.begin(Recorder());
  witness_.after({});
  witness_.after(std::vector{lasting(99)});
  EXPECT_TRUE(witness_.outliers().empty());
}

TEST_F(AWitness, LooksAgainWhereTheLastLookIsOld) {
  witness_.begin(Recorder());
  const std::uint64_t start = platform::now_ns();
  std::this_thread::sleep_for(std::chrono::milliseconds(2));
  const auto seen_ns = [&] {
    witness_.after(std::vector{lasting(1000 + witness_.outliers().size())});
    std::uint64_t longest = 0;
    std::uint64_t ns = 0;
    for (const Outlier& outlier : witness_.outliers())
      if (outlier.timing.ns() > longest) longest = outlier.timing.ns(), ns = outlier.seen->ns;
    return ns;
  };
  witness_.before(start);
  EXPECT_GE(seen_ns(), 2'000'000U) << "young enough by that reading";
  std::this_thread::sleep_for(std::chrono::milliseconds(2));
  const std::uint64_t slept = platform::now_ns();
  witness_.grow_old();
  witness_.before(start);
  const std::uint64_t seen = seen_ns();
  EXPECT_LE(seen, platform::now_ns() - slept) << "it looked again";
}

}  // namespace
}  // namespace threadping::engine
