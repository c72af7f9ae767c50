// What the team does when one of its threads cannot be started, for any reason: it ends, and says so.

#include <gtest/gtest.h>

#include <functional>
#include <new>
#include <stdexcept>
#include <system_error>

#include "engine/trial.hpp"
#include "support/failures.hpp"
#include "support/requests.hpp"
#include "support/stages.hpp"
#include "support/variants.hpp"
#include "toy/toy.hpp"

namespace threadping::engine {
namespace {

using tests::failure_of;
using tests::unpinned;
using tests::Variant;

void refuse_as_the_system_does() { throw std::system_error(EAGAIN, std::generic_category()); }

/// Starts the allowed number of threads, and fails to start the next.
struct Refusing : Host {
  explicit Refusing(std::size_t allowed, std::function<void()> why = refuse_as_the_system_does)
      : left(allowed), refuse(std::move(why)) {}
  platform::Threads::Join start_thread(const std::function<void()>& live) override {
    if (left-- == 0) refuse();
    return Host::start_thread(live);
  }
  std::size_t left;
  std::function<void()> refuse;
};

constexpr const char* kRefused =
    " threads could be started (Resource temporarily unavailable). The limits are the cgroup's pids.max, ulimit -u and "
    "kernel.threads-max, and those on memory, which each takes: ask for fewer threads.";

std::string only(std::size_t started, std::size_t wanted) {
  return "unsupported: Only " + std::to_string(started) + " of " + std::to_string(wanted) + kRefused;
}

class ATeamOf : public testing::TestWithParam<Variant> {
 protected:
  /// So few that each kind of thread is there, twice where there may be several.
  static contract::Request request() {
    const Experiment& experiment = *GetParam().experiment;
    auto request = GetParam().request(unpinned(std::min<std::size_t>(4, experiment.most_threads)));
    request.lines = 1;
    const bool many = std::ranges::find(GetParam().mechanism->params, "producers", &ParamInfo::name) !=
                      GetParam().mechanism->params.end();
    if (many && experiment.most_threads > 2) request.params["producers"] = 3;
    if (!many && experiment.name == "queue") request.cpus.resize(2);
    request.bound_ns = tests::kHour;  // nobody waits for it
    return request;
  }
};
INSTANTIATE_TEST_SUITE_P(Every, ATeamOf, testing::ValuesIn(tests::variants([](const Variant& variant) {
                           return variant.usual("wait") && variant.usual("arrivals") && variant.usual("sender") &&
                                  variant.usual("join") && !tests::brings_threads(variant);
                         })),
                         tests::VariantName());

/// Between processes the second is one, which the host does not start.
TEST_P(ATeamOf, WhichNotAllCouldBeStartedEndsAndSaysHowMany) {
  const contract::Request wanted = request();
  const bool leads_from_outside = GetParam().experiment->windows == contract::Unit::ns;
  const std::size_t threads = wanted.cpus.size();
  const std::size_t processes = GetParam().between_threads() ? 0 : threads - 1;
  for (std::size_t allowed = processes; allowed < threads + (leads_from_outside ? 1 : 0); ++allowed) {
    Refusing host(allowed - processes);
    EXPECT_EQ(failure_of([&] { run(wanted, *GetParam().experiment, host); }),
              only(allowed, std::max(threads, allowed + 1)));
  }
}

std::string refusal_of_toy(std::size_t allowed, const std::function<void()>& why) {
  const Experiment& toy = toy::experiment(contract::Unit::ns);
  Refusing host(allowed, why);
  auto request = tests::quick_request(toy, unpinned(2));
  request.bound_ns = tests::kHour;
  return failure_of([&] { run(request, toy, host); });
}

TEST(ATeam, SaysWhateverKeptItsThreadsFromStarting) {
  for (const std::size_t allowed : {0, 1}) {
    const std::string too_few = "Only " + std::to_string(allowed) + " of 2 threads could be started. ";
    EXPECT_EQ(refusal_of_toy(allowed, [] { throw Failure(ErrorCode::pin_failed, "As seen."); }),
              "pin-failed: " + too_few + "As seen.");
    EXPECT_EQ(refusal_of_toy(allowed, [] { throw std::runtime_error("Out of paper."); }),
              "internal: " + too_few + "Out of paper.");
    // NOLINTNEXTLINE(bugprone-std-exception-baseclass): whatever a library throws
    EXPECT_EQ(refusal_of_toy(allowed, [] { throw 7; }),
              "internal: " + too_few + "Something was thrown that is no exception.");
    const std::string memory = refusal_of_toy(allowed, [] { throw std::bad_alloc(); });
    EXPECT_TRUE(memory.starts_with("unsupported: " + too_few + "The memory that this process may take is used up"))
        << memory;
  }
}

TEST(ATeam, OfThousandsWritesThemSoThatAPersonCanReadThem) {
  const Experiment& lock = lock::experiment();
  Refusing host(5);
  const auto request = tests::quick_request(lock, unpinned(1200));
  EXPECT_EQ(failure_of([&] { run(request, lock, lock.mechanisms.front(), std::make_unique<tests::NoWork>(), host); }),
            std::string("unsupported: Only 5 of 1,200") + kRefused);
}

/// As a thread may that is let onto no CPU, or a virtual one that no other carries.
TEST(ATeam, SaysHowManyThreadsNeverBegan) {
  struct Idle : Host {
    platform::Threads::Join start_thread(const std::function<void()>& live) override {
      return ++started == 2 ? [] {} : Host::start_thread(live);
    }
    int started = 0;
  } host;
  const Experiment& toy = toy::experiment(contract::Unit::ops);
  auto request = tests::quick_request(toy, unpinned(2));
  request.bound_ns = request.patience_ns = 50 * tests::kMillisecond;
  EXPECT_EQ(failure_of([&] { run(request, toy, toy.mechanisms.front(), std::make_unique<tests::NoWork>(), host); }),
            "unstoppable, stalled: Only 1 of 2 threads had begun to run when the time of the trial was over: there are "
            "too few CPUs for them, or these are too busy.");
}

/// There are millions of pairs of them.
TEST(ATeam, OfThousandsIsNotAskedAboutEveryTwo) {
  struct Asked : tests::NoWork {
    explicit Asked(std::size_t& count) : asked(count) {}
    [[nodiscard]] bool compares_clocks(std::size_t /*one*/, std::size_t /*other*/) const override {
      return ++asked == SIZE_MAX;
    }
    std::size_t& asked;
  };
  std::size_t asked = 0;
  const Experiment& lock = lock::experiment();
  auto request = tests::quick_request(lock, unpinned(1000));
  for (std::size_t thread = 0; thread < 1000; ++thread) request.cpus[thread] = static_cast<int>(thread);
  Refusing host(0);
  failure_of([&] { run(request, lock, lock.mechanisms.front(), std::make_unique<Asked>(asked), host); });
  EXPECT_GT(asked, 1000U);
  EXPECT_LE(asked, 16'000U);
}

}  // namespace
}  // namespace threadping::engine
