// What the crew does when its threads do not come, fail, fall silent or do not listen.

#include <gtest/gtest.h>
#include <unistd.h>

#include <atomic>
#include <cerrno>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <span>
#include <stdexcept>
#include <string>
#include <system_error>
#include <thread>
#include <utility>

#include "crew/params.hpp"
#include "crew/trial.hpp"
#include "failure.hpp"
#include "lock/lock.hpp"
#include "signal/signal.hpp"
#include "support/failures.hpp"
#include "support/loops.hpp"
#include "support/requests.hpp"
#include "toy/toy.hpp"

namespace threadping::crew {
namespace {

using message::Unit;
using tests::kHour;
using tests::kMillisecond;

/// A trial without an end of its own.
message::Request endless(const Experiment& experiment) {
  auto request = tests::quick_request(experiment, tests::unpinned(2));
  request.measure_ns = kHour;
  request.bound_ns = 20 * kMillisecond;
  request.patience_ns = kHour;
  return request;
}

template <class L, class... Arguments>
message::Result run(const message::Request& request, const Experiment& experiment, Arguments&&... arguments) {
  return crew::run(request, experiment, experiment.mechanisms.front(),
                   std::make_unique<L>(std::forward<Arguments>(arguments)...));
}

class Watching : public testing::TestWithParam<Unit> {
 protected:
  const Experiment& toy_ = toy::experiment(GetParam());
};
INSTANTIATE_TEST_SUITE_P(Led, Watching, testing::Values(Unit::ns, Unit::ops),
                         [](const auto& info) { return info.param == Unit::ns ? "FromOutside" : "ByTheFirstThread"; });

/// Loops in which every operation is a call of `perform`.
class Alike : public tests::NoWork {
 public:
  std::uint64_t plain(std::size_t thread, std::size_t /*line*/, std::uint64_t /*count*/) override {
    return perform(thread);
  }
  std::uint64_t timed(std::size_t thread, std::size_t /*line*/, std::uint64_t /*opened_ns*/,
                      std::span<std::uint64_t> /*durations*/) override {
    return perform(thread);
  }

 protected:
  /// So many operations were completed.
  virtual std::uint64_t perform(std::size_t thread) = 0;
};

void sleep_for(int milliseconds) { std::this_thread::sleep_for(std::chrono::milliseconds(milliseconds)); }

/// An operation that only stop() ends, but in which something moves.
class Alive : public Alike {
 public:
  void stop(std::size_t /*line*/) override { stopped_ = true; }
  std::uint64_t progress(std::size_t /*line*/) override { return signs_; }

 protected:
  std::uint64_t perform(std::size_t /*thread*/) override {
    for (; !stopped_; ++signs_) sleep_for(1);
    return 0;
  }

 private:
  std::atomic<bool> stopped_ = false;
  std::atomic<std::uint64_t> signs_ = 0;
};

/// Patience is for threads without a sign of life: it would last an hour here.
TEST_P(Watching, IsNotPatientWithThreadsThatAreAlive) {
  EXPECT_TRUE(crew::run(endless(toy_), toy_).cut);
  EXPECT_TRUE(run<Alive>(endless(toy_), toy_).cut);
}

class Slow : public Alike {
 protected:
  std::uint64_t perform(std::size_t /*thread*/) override {
    sleep_for(100);
    return 1;
  }
};

TEST_P(Watching, IsPatientWithThreadsThatAreSlow) { EXPECT_TRUE(run<Slow>(endless(toy_), toy_).cut); }

/// Waits without a sign of life until its last line was stopped for the fourth time.
class Silent : public Alike {
 public:
  void stop(std::size_t line) override {
    if (line == 3) ++stops_;
  }

 protected:
  std::uint64_t perform(std::size_t /*thread*/) override {
    while (stops_ < 4) sleep_for(1);
    return 0;
  }

 private:
  std::atomic<int> stops_ = 0;
};

TEST_P(Watching, StopsEveryLineAgainAndAgainAndSaysThatTheyStalled) {
  auto request = endless(toy_);
  request.patience_ns = 50 * kMillisecond;
  EXPECT_EQ(tests::failure_of([&] { run<Silent>(request, toy_); }), "stalled: Nobody adds any more.");
}

/// Does not listen to stop() either. Its threads live as long as this process.
class Deaf : public Alike {
 protected:
  std::uint64_t perform(std::size_t /*thread*/) override {
    for (;;) sleep_for(100);
  }
};

TEST_P(Watching, GivesUpThreadsThatDoNotListen) {
  auto request = endless(toy_);
  request.patience_ns = 50 * kMillisecond;
  EXPECT_EQ(tests::failure_of([&] { run<Deaf>(request, toy_); }), "unstoppable, stalled: Nobody adds any more.");
}

/// One thread fails while the other waits for it until it is stopped.
class Failing : public Silent {
 public:
  Failing(std::size_t thread, std::function<void()> fail) : thread_(thread), fail_(std::move(fail)) {}

 protected:
  std::uint64_t perform(std::size_t thread) override {
    if (thread == thread_) fail_();
    return Silent::perform(thread);
  }

 private:
  std::size_t thread_;
  std::function<void()> fail_;
};

TEST_P(Watching, TellsWhyAThreadFailed) {
  auto request = endless(toy_);
  request.bound_ns = kHour;  // nobody waits for it
  for (const std::size_t thread : {0, 1}) {
    EXPECT_EQ(tests::failure_of([&] {
                run<Failing>(request, toy_, thread, [] { throw Failure(ErrorCode::sequence_broken, "As seen."); });
              }),
              "sequence-broken: As seen.");
    EXPECT_EQ(tests::failure_of(
                  [&] { run<Failing>(request, toy_, thread, [] { throw std::runtime_error("Out of paper."); }); }),
              "internal: Out of paper.");
  }
}

TEST_P(Watching, StartsAllOrNone) {
  const Experiment& toy = toy_;
  const std::size_t all = GetParam() == Unit::ns ? 3 : 2;  // with the one that leads
  for (std::size_t allowed = 0; allowed < all; ++allowed) {
    std::size_t started = 0;
    const auto refuse_at_last = [&](const std::function<void()>& live) {
      if (started == allowed) throw std::system_error(EAGAIN, std::generic_category());
      ++started;
      return std::thread(live);
    };
    EXPECT_EQ(tests::code_of([&] {
                crew::run(endless(toy), toy, toy.mechanisms.front(), std::make_unique<tests::NoWork>(), refuse_at_last);
              }),
              "unsupported");
  }
}

TEST(ACrewOfMany, SaysHowManyThreadsTheSystemAllowed) {
  const auto request = tests::quick_request(lock::experiment(), tests::unpinned(1200));
  std::size_t started = 0;
  const auto refuse_the_sixth = [&](const std::function<void()>& live) {
    if (started == 5) throw std::system_error(EAGAIN, std::generic_category());
    ++started;
    return std::thread(live);
  };
  const Mechanism& mutex = mechanism_for(request, lock::experiment());
  const std::string why = tests::failure_of(
      [&] { crew::run(request, lock::experiment(), mutex, std::make_unique<tests::NoWork>(), refuse_the_sixth); });
  EXPECT_TRUE(why.starts_with("unsupported: Only 5 of 1,200 threads could be started (")) << why;
  EXPECT_TRUE(why.ends_with("kernel.threads-max: ask for fewer with --threads.")) << why;
}

/// The second thread is a process, and ends before its time while the first waits for it.
class Deadly : public Deaf {
 public:
  [[nodiscard]] platform::Sharing sharing() const override { return platform::Sharing::processes; }

 protected:
  std::uint64_t perform(std::size_t thread) override {
    if (thread == 1) _exit(3);
    return Deaf::perform(thread);
  }
};

TEST(ACrewOfProcesses, NoticesThatOneDied) {
  const Experiment& toy = toy::experiment(Unit::ops);
  auto request = endless(toy);
  request.bound_ns = 50 * kMillisecond;
  EXPECT_EQ(tests::failure_of([&] { run<Deadly>(request, toy); }),
            "unstoppable, internal: A measuring process ended before its time (exit status 3).");
}

/// On a busy machine a thread is let onto its CPU late: the first visit then tells nothing of the pair.
TEST(ACrewWithALateThread, MeasuresAsLongAsItWasAskedTo) {
  class Late : public tests::Wrapped {
   public:
    using Wrapped::Wrapped;
    std::uint64_t plain(std::size_t thread, std::size_t line, std::uint64_t count) override {
      if (thread == 1 && !std::exchange(came_, true)) sleep_for(50);
      return Wrapped::plain(thread, line, count);
    }

   private:
    bool came_ = false;
  };
  const Experiment& signal = signal::experiment();
  auto request = tests::quick_request(signal, tests::unpinned(2));
  request.warmup = {.rounds = 0, .ops = 1, .limit_ns = 0, .look_ns = kMillisecond};
  const Mechanism& first = signal.mechanisms.front();
  const Params params(first, {});
  auto loops = first.make({.params = params, .lines = request.lines, .threads = 2});
  const message::Result result = crew::run(request, signal, first, std::make_unique<Late>(std::move(loops)));
  EXPECT_FALSE(result.cut);
  EXPECT_GE(result.measured_ns, request.measure_ns);
}

}  // namespace
}  // namespace threadping::crew
