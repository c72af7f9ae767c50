// What the team does when its threads fail, fall silent, do not listen or die.

#include <gtest/gtest.h>
#include <unistd.h>

#include <chrono>
#include <csignal>
#include <thread>

#include "engine/trial.hpp"
#include "experiments/all.hpp"
#include "support/failures.hpp"
#include "support/requests.hpp"
#include "support/stages.hpp"
#include "support/variants.hpp"
#include "toy/toy.hpp"

namespace threadping::engine {
namespace {

using contract::Unit;
using tests::failure_of;
using tests::kHour;
using tests::kMillisecond;
using tests::kSecond;

void sleep_for(int milliseconds) { std::this_thread::sleep_for(std::chrono::milliseconds(milliseconds)); }

/// A trial that its bound cuts, which has begun before that also on a busy machine. A first thread allocates all
/// windows that it may come to: in an hour they would be some hundred megabytes.
contract::Request endless(const Experiment& experiment) {
  auto request = tests::quick_request(experiment, tests::unpinned(2));
  request.measure_ns = kSecond;
  request.bound_ns = 100 * kMillisecond;
  request.patience_ns = kHour;
  return request;
}

/// How a trial on this stage ends.
class Watching : public testing::TestWithParam<Unit> {
 protected:
  template <class L, class... Arguments>
  std::string ends(const contract::Request& request, Arguments... arguments) {
    std::string how = "complete";
    const std::string failure = failure_of([&] {
      auto stage = std::make_unique<L>(arguments...);
      if (run(request, toy_, toy_.mechanisms.front(), std::move(stage)).cut) how = "cut";
    });
    return failure == "accepted" ? how : failure;
  }

  /// The same of one that must have begun: where its bound was over before that, on a busy machine, it gets more time.
  template <class L, class... Arguments>
  std::string ends_once_begun(contract::Request request, Arguments... arguments) {
    std::string how = "cut";
    for (; how == "cut" && request.bound_ns < 60 * kSecond; request.bound_ns *= 4) {
      request.measure_ns = 10 * request.bound_ns;
      how = ends<L>(request, arguments...);
    }
    return how;
  }

  const Experiment& toy_ = toy::experiment(GetParam());
};
INSTANTIATE_TEST_SUITE_P(Led, Watching, testing::Values(Unit::ns, Unit::ops),
                         [](const auto& info) { return info.param == Unit::ns ? "FromOutside" : "ByTheFirstThread"; });

/// Every operation is a call of perform(), which gives how many it completed.
struct Alike : tests::NoWork {
  std::uint64_t run(std::size_t thread, const Task& /*task*/, Samples& /*samples*/) override { return perform(thread); }
  virtual std::uint64_t perform(std::size_t thread) = 0;
};

/// Patience is for threads without a sign of life: it would last an hour here.
TEST_P(Watching, IsNotPatientWithThreadsThatAreAlive) {
  struct Alive : Alike {
    std::atomic<bool> stopped = false;
    std::atomic<std::uint64_t> signs = 0;
    void stop(std::size_t /*line*/) override { stopped = true; }
    [[nodiscard]] std::uint64_t progress(std::size_t /*line*/) const override { return signs; }
    std::uint64_t perform(std::size_t /*thread*/) override {
      for (; !stopped; ++signs) sleep_for(1);
      return 0;
    }
  };
  EXPECT_EQ(ends<Alive>(endless(toy_)), "cut");
}

/// Nothing in them ends because they are stopped, so that the leading thread must look at the time.
TEST_P(Watching, IsPatientWithThreadsThatAreSlow) {
  struct Slow : Alike {
    std::uint64_t perform(std::size_t /*thread*/) override {
      sleep_for(100);
      return 1;
    }
  };
  EXPECT_EQ(ends<Slow>(endless(toy_)), "cut");
}

/// Waits without a sign of life until its last line was stopped for the fourth time.
struct Silent : Alike {
  std::atomic<int> stops = 0;
  void stop(std::size_t line) override {
    if (line == 3) ++stops;
  }
  std::uint64_t perform(std::size_t /*thread*/) override {
    while (stops < 4) sleep_for(1);
    return 0;
  }
};

TEST_P(Watching, StopsEveryLineAgainAndAgainAndSaysThatTheyStalled) {
  auto request = endless(toy_);
  request.patience_ns = 50 * kMillisecond;
  EXPECT_EQ(ends_once_begun<Silent>(request), "stalled: Nobody adds any more.");
}

/// Does not listen to stop() either. Its threads live as long as this process.
struct Deaf : Alike {
  std::uint64_t perform(std::size_t /*thread*/) override {
    for (;;) sleep_for(100);
  }
};

TEST_P(Watching, GivesUpThreadsThatDoNotListen) {
  auto request = endless(toy_);
  request.patience_ns = 50 * kMillisecond;
  EXPECT_EQ(ends_once_begun<Deaf>(request), "unstoppable, stalled: Nobody adds any more.");
}

/// One thread fails while the other waits for it until it is stopped.
struct Failing : Silent {
  std::size_t who;
  std::function<void()> fail;
  Failing(std::size_t who_fails, std::function<void()> how) : who(who_fails), fail(std::move(how)) {}
  std::uint64_t perform(std::size_t thread) override {
    if (thread == who) fail();
    return Silent::perform(thread);
  }
};

TEST_P(Watching, ReportsWhyAThreadFailed) {
  auto request = endless(toy_);
  request.bound_ns = kHour;  // nobody waits for it
  const auto fail = [] { throw Failure(ErrorCode::sequence_broken, "As seen."); };
  const auto break_down = [] { throw std::runtime_error("Out of paper."); };
  for (const std::size_t thread : {0, 1}) {
    EXPECT_EQ(ends<Failing>(request, thread, fail), "sequence-broken: As seen.");
    EXPECT_EQ(ends<Failing>(request, thread, break_down), "internal: Out of paper.");
  }
}

/// What the stage answers is not waited for; its threads are stopped all the same.
TEST_P(Watching, ReportsWhyAStageFailedThatItAsked) {
  struct FailsToStop : Silent {
    void stop(std::size_t line) override {
      Silent::stop(line);
      throw Failure(ErrorCode::sequence_broken, "Nothing to stop.");
    }
  };
  struct ShowsNothing : Silent {
    [[nodiscard]] std::uint64_t progress(std::size_t /*line*/) const override {
      throw std::runtime_error("Nothing to see.");
    }
  };
  auto request = endless(toy_);
  EXPECT_EQ(ends_once_begun<ShowsNothing>(request), "internal: Nothing to see.");
  request.patience_ns = 50 * kMillisecond;
  EXPECT_EQ(ends_once_begun<FailsToStop>(request), "sequence-broken: Nothing to stop.");
}

/// The others would go on for an hour.
TEST_P(Watching, EndsTheWarmUpWhereAThreadFailsInIt) {
  struct FailsLater : tests::NoWork {
    int done = 0;
    std::uint64_t run(std::size_t thread, const Task& task, Samples& samples) override {
      sleep_for(1);
      if (thread == 0 && ++done == 100) throw Failure(ErrorCode::sequence_broken, "As seen.");
      return NoWork::run(thread, task, samples);
    }
  };
  auto request = endless(toy_);
  request.bound_ns = 2 * kHour;
  request.warmup = tests::endless_warmup(kHour);
  EXPECT_EQ(ends<FailsLater>(request), "sequence-broken: As seen.");
}

/// Hundreds of threads may take longer to end than anybody is patient: they move all the time.
TEST(AStream, ThatEndsSlowlyHasNotStalled) {
  struct Slow : tests::NoWork {
    std::atomic<std::uint64_t> signs = 0;
    [[nodiscard]] std::uint64_t progress(std::size_t /*line*/) const override { return signs; }
    std::uint64_t leave(std::size_t /*thread*/) override {
      for (int sign = 0; sign < 400; ++sign, ++signs) sleep_for(1);
      return 0;
    }
  };
  Experiment toy = toy::experiment(Unit::ns);
  toy.stream = true;
  auto request = endless(toy);
  request.lines = 1;
  request.patience_ns = 150 * kMillisecond;
  EXPECT_TRUE(run(request, toy, toy.mechanisms.front(), std::make_unique<Slow>()).cut);
}

/// The second thread is a process, and ends before its time, while the first waits for it until it is stopped.
struct Deadly : Silent {
  [[nodiscard]] platform::Sharing sharing() const override { return platform::Sharing::processes; }
  std::uint64_t perform(std::size_t thread) override {
    if (thread == 1) kill(getpid(), SIGKILL);
    return Silent::perform(thread);
  }
};

TEST(ATeamOfProcesses, NoticesAtOnceThatOneDied) {
  const Experiment& toy = toy::experiment(Unit::ops);
  auto request = endless(toy);
  request.bound_ns = kHour;
  EXPECT_EQ(failure_of([&] { run(request, toy, toy.mechanisms.front(), std::make_unique<Deadly>()); }),
            "internal: A measuring process ended before its time (signal 9).");
}

/// The first does not listen.
struct DeadlyForDeaf : Deadly {
  std::uint64_t perform(std::size_t thread) override {
    for (; thread == 0;) sleep_for(100);  // NOLINT(bugprone-infinite-loop): it is to be killed
    return Deadly::perform(thread);
  }
};

TEST(ATeamOfProcesses, OfWhichOneDiedDoesNotWaitForTheOthersForEver) {
  const Experiment& toy = toy::experiment(Unit::ops);
  auto request = endless(toy);
  request.bound_ns = kHour;
  request.patience_ns = 50 * kMillisecond;
  EXPECT_EQ(failure_of([&] { run(request, toy, toy.mechanisms.front(), std::make_unique<DeadlyForDeaf>()); }),
            "unstoppable, internal: A measuring process ended before its time (signal 9).");
}

/// On a busy machine a thread is let onto its CPU late: the first visit then tells nothing of the pair.
TEST(ATeamWithALateThread, MeasuresAsLongAsItWasAskedTo) {
  class Late : public tests::Wrapped {
   public:
    using Wrapped::Wrapped;
    std::uint64_t run(std::size_t thread, Player& player, const Task& task, Samples& samples) override {
      if (thread == 1 && !std::exchange(came_, true)) sleep_for(50);
      return Wrapped::run(thread, player, task, samples);
    }

   private:
    bool came_ = false;
  };
  const tests::Variant first = tests::variants(tests::between_threads).front();
  auto request = first.request(tests::unpinned(2));
  request.warmup = tests::no_warmup();
  const contract::Result result =
      run(request, *first.experiment, *first.mechanism, std::make_unique<Late>(first.stage(request.lines, 2)));
  EXPECT_FALSE(result.cut);
  EXPECT_GE(result.measured_ns, request.measure_ns);
}

/// Nobody else's failure hides it, and nobody else writes to its place.
TEST(ALeadThatFails, SaysWhyInAPlaceOfItsOwn) {
  struct FailsToSample : tests::NoWork {
    std::uint64_t run(std::size_t thread, const Task& task, Samples& /*samples*/) override {
      if (thread == 0 && task.every > 0) throw Failure(ErrorCode::sequence_broken, "As the lead saw.");
      return task.count;
    }
  };
  const Experiment& toy = toy::experiment(Unit::ops);
  EXPECT_EQ(failure_of([&] { run(endless(toy), toy, toy.mechanisms.front(), std::make_unique<FailsToSample>()); }),
            "sequence-broken: As the lead saw.");
}

}  // namespace
}  // namespace threadping::engine
