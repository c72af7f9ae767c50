// One worker, obeying in the test's own thread orders that its own operations give: nothing here hangs on time.

#include "engine/worker.hpp"

#include <gtest/gtest.h>

#include <functional>

#include "platform/counters.hpp"
#include "support/requests.hpp"
#include "support/stages.hpp"
#include "toy/toy.hpp"

namespace threadping::engine {
namespace {

using Script = std::vector<std::function<void()>>;
using Seen = std::vector<std::string>;
using Counts = std::map<std::uint64_t, std::uint64_t>;

/// Notes what is called, and does in the course of each run what its script says. What is timed takes 100 ns, 101 ns,
/// ... of a clock of its own; the script takes its part in the midst of it.
class Scripted : public tests::NoWork {
 public:
  std::uint64_t run(std::size_t /*thread*/, const Task& task, Samples& samples) override {
    seen.push_back((task.every > 0 ? "sample " + std::to_string(task.every) + " of " : "run ") +
                   std::to_string(task.count) + " on " + std::to_string(task.line));
    const std::uint64_t from = now_ns;
    const std::uint64_t to = from + 100 + runs;
    now_ns += 50;
    ++runs;
    if (runs <= script.size() && script[runs - 1]) script[runs - 1]();
    now_ns = to;
    if (task.every > 0 && completes > 0) samples.add(from, to);
    if (task.every > 0) samples.read_clock(2);
    samples.tally(0, 2, 1);
    return std::min(task.count, completes);
  }
  std::uint64_t leave(std::size_t /*thread*/) override {
    seen.emplace_back("leave");
    return 5;
  }

  Script script;
  Seen seen;
  std::uint64_t now_ns = 1'000'000;
  std::uint64_t runs = 0;
  std::uint64_t completes = UINT64_MAX;
};

const Experiment& stream() {
  static const Experiment streaming = [] {
    Experiment toy = toy::experiment(contract::Unit::ns);
    toy.stream = true;
    return toy;
  }();
  return streaming;
}

class AWorker : public testing::Test {
 protected:
  explicit AWorker(const Experiment& experiment = toy::experiment(contract::Unit::ns))
      : scene_{.request = tests::request_of(1), .experiment = experiment, .stage = std::make_unique<Scripted>()} {
    worker_.set_up();
    worker_.recorder().measure(0);
  }

  /// Obeys this order until the script has been played, which then lets it leave.
  void obey(const Order& order, Script script) {
    stage_.script = std::move(script);
    stage_.script.emplace_back([this] { scene_.orders->leave(); });
    scene_.orders->give(order);
    worker_.obey();
    worker_.recorder().durations().add_to(recorded_);
  }

  Scene scene_;
  Scripted& stage_ = static_cast<Scripted&>(*scene_.stage);
  Board& board_ = scene_.boards[0];
  Worker worker_{scene_, 0};
  contract::Distribution recorded_;
  std::function<void()> open_ = [this] { scene_.gate->open(stage_.now_ns); };
  std::function<void()> close_ = [this] { scene_.gate->close(stage_.now_ns); };
};

TEST_F(AWorker, PerformsAsMuchAsItIsOrderedTo) {
  obey({.line = 2, .count = 1000}, {});
  EXPECT_EQ(stage_.seen, Seen{"run 1000 on 2"});
  EXPECT_EQ(board_.ops, 1000U);
  EXPECT_EQ(board_.obeyed, UINT64_MAX) << "the last order too";
  EXPECT_EQ(board_.finished, 1U);
}

TEST_F(AWorker, SleepsWhereItIsOrderedTo) {
  const auto sleeps = [] { return platform::read_quick_counters().voluntary_switches; };
  const std::uint64_t before = sleeps();
  obey({.count = 1000, .rest_ns = tests::kMillisecond}, {});
  EXPECT_GT(sleeps(), before);
  EXPECT_EQ(board_.ops, 1000U);
}

TEST_F(AWorker, GoesOnWhereAPlayerCompletesLess) {
  stage_.completes = 400;
  obey({.count = 1000}, {nullptr, nullptr});
  EXPECT_EQ(stage_.seen, (Seen{"run 1000 on 0", "run 600 on 0", "run 200 on 0"}));
  EXPECT_EQ(board_.ops, 1000U);
}

TEST_F(AWorker, WorksInChunksUntilTheNextOrder) {
  obey({.line = 1, .chunk = 7}, {nullptr, nullptr});
  EXPECT_EQ(stage_.seen, Seen(3, "run 7 on 1"));
  EXPECT_EQ(board_.ops, 21U);
}

TEST_F(AWorker, SamplesInChunksOfWholeGroups) {
  obey({.line = 3, .chunk = 10, .every = 4}, {nullptr});
  EXPECT_EQ(stage_.seen, Seen(2, "sample 4 of 8 on 3"));
  EXPECT_EQ(board_.ops, 16U);
  EXPECT_EQ(board_.readings, 4U);
}

TEST_F(AWorker, SamplesAGroupWhereAChunkIsShorter) {
  obey({.line = 3, .chunk = 1, .every = 64}, {});
  EXPECT_EQ(stage_.seen, Seen{"sample 64 of 64 on 3"});
}

TEST_F(AWorker, DoesNotLeaveWhatIsNoStream) {
  obey({.chunk = 1}, {});
  EXPECT_EQ(stage_.seen, Seen{"run 1 on 0"});
}

constexpr Order kTimeAll{.chunk = 1, .every = 1};

TEST_F(AWorker, KeepsWhatItTimedInsideOneWindow) {
  // before the window; over its start; twice inside; over its end; after it
  obey(kTimeAll, {nullptr, open_, nullptr, nullptr, close_, nullptr});
  EXPECT_EQ(recorded_.counts, (Counts{{102, 1}, {103, 1}}));
  EXPECT_EQ(recorded_.censored, 2U);
  EXPECT_EQ(worker_.recorder().tallies()[0].made, 6U) << "of the runs at whose end it was open";
}

TEST_F(AWorker, KeepsNothingOfAThroughputWindow) {
  obey({.chunk = 1}, {open_, nullptr, nullptr});
  EXPECT_EQ(worker_.recorder().tallies()[0].made, 0U);
}

TEST_F(AWorker, CensorsWhatLastedLongerThanAWindowEachTime) {
  const auto pass = [this] { open_(), close_(); };
  obey(kTimeAll, {pass, pass, nullptr, pass});
  EXPECT_EQ(recorded_.counts, Counts{});
  EXPECT_EQ(recorded_.censored, 3U);
}

TEST_F(AWorker, CensorsWhatLastedFromOneWindowIntoTheNext) {
  obey(kTimeAll, {open_, [this] { close_(), open_(); }});
  EXPECT_EQ(recorded_.counts, (Counts{{102, 1}}));
  EXPECT_EQ(recorded_.censored, 2U);
}

TEST_F(AWorker, RecordsNoOperationThatWasStopped) {
  stage_.completes = 0;
  obey(kTimeAll, {open_, nullptr});
  EXPECT_EQ(recorded_.counts, Counts{});
  EXPECT_EQ(board_.ops, 0U);
}

class AWorkerInAStream : public AWorker {
 protected:
  AWorkerInAStream() : AWorker(stream()) {}
};

TEST_F(AWorkerInAStream, FlowsAfterItsOrderedOperationsAndLeavesOnce) {
  obey({.count = 3, .chunk = 7}, {nullptr, nullptr});
  EXPECT_EQ(stage_.seen, (Seen{"run 3 on 0", "run 7 on 0", "run 7 on 0", "leave"}));
  EXPECT_EQ(board_.ops, 22U) << "and with what it completed when it left";
}

/// Uses so much CPU time and returns it.
std::uint64_t burn(std::uint64_t ns) {
  const std::uint64_t start = platform::read_quick_counters().cpu_ns;
  std::uint64_t used = 0;
  while (used < ns) used = platform::read_quick_counters().cpu_ns - start;
  return used;
}

/// What is slow to read is read outside of what is counted, or one thread's CPU time would hold another's reading.
TEST_F(AWorker, CountsFromBeginToEndAlone) {
  constexpr std::uint64_t kLong = 20'000'000;
  worker_.read(Order::Reading::prepare);
  burn(kLong);
  worker_.read(Order::Reading::begin);
  const std::uint64_t used = burn(1'000'000);
  worker_.read(Order::Reading::end);
  burn(kLong);
  worker_.read(Order::Reading::finish);
  EXPECT_GE(board_.counters.cpu_ns, used);
  EXPECT_LT(board_.counters.cpu_ns, used + kLong);
  EXPECT_EQ(board_.counters.migrations.has_value(), platform::read_migrations().has_value());
}

TEST_F(AWorker, CountsMigrationsFromBeginToFinish) {
  const platform::CpuSet before = platform::allowed_cpus();
  if (before.size() < 2 || !platform::read_migrations()) GTEST_SKIP() << "nothing can be seen to move here";
  const auto move_to = [](int cpu) { platform::pin_this_thread(cpu); };
  move_to(before.front());
  worker_.read(Order::Reading::prepare);
  move_to(before.back());  // while warming up
  worker_.read(Order::Reading::begin);
  const std::uint64_t from = *platform::read_migrations();
  move_to(before.front());
  worker_.read(Order::Reading::end);
  move_to(before.back());
  const std::uint64_t to = *platform::read_migrations();
  worker_.read(Order::Reading::finish);
  platform::pin_this_thread(before);
  EXPECT_EQ(board_.counters.migrations, to - from);
}

TEST(Threads, RunAtOnceAsManyAsThereAreCpusForThem) {
  const std::size_t usable = platform::allowed_cpus().size();
  contract::Request request = tests::request_of(usable + 1);
  EXPECT_EQ(most_at_once(request), usable);
  request.cpus.assign(usable + 1, 0);
  EXPECT_EQ(most_at_once(request), 1U);
  request.cpus = {0, 1, 0};
  EXPECT_EQ(most_at_once(request), 2U);
  request.cpus = {3};
  EXPECT_EQ(most_at_once(request), 1U);
}

/// Eight threads share the hundredth of one CPU: each has an eighth of it, and two looks to begin with.
TEST(AWorkerInABarrier, LooksSeldom) {
  contract::Request request = tests::request_of(8);
  request.cpus.assign(8, 0);
  request.outliers = {.factor = 1, .least_ns = 1, .most = 3};
  Scene scene{.request = request,
              .experiment = toy::experiment(contract::Unit::ns),
              .stage = std::make_unique<tests::NoWork>()};
  ASSERT_EQ(scene.running, 1U);
  for (Board& board : scene.boards) board.thread = gettid();
  Worker worker(scene, 0);
  worker.read(Order::Reading::prepare);
  worker.recorder().begin(true);
  const std::uint64_t start = platform::now_ns();
  while (platform::now_ns() - start < 20 * tests::kMillisecond) worker.recorder().about_to_time();
  const std::uint64_t took_ns = platform::now_ns() - start;
  const std::optional<Looks>& looks = worker.recorder().looks();
  ASSERT_TRUE(looks);
  EXPECT_GE(looks->looks(), 1U);
  EXPECT_LE(looks->looks(), took_ns / (400 * looks->look_ns()) + 2);  // twice as many by chance, or eight times
}

TEST(ABoard, KeepsTheFirstFailureAndKeepsNobodyWaiting) {
  Board board;
  board.attempt([] { throw Failure(ErrorCode::sequence_broken, std::string(10'000, 'x')); });
  board.attempt([] { throw Failure(ErrorCode::internal, "This followed."); });
  EXPECT_EQ(board.trouble.code, ErrorCode::sequence_broken);
  EXPECT_EQ(std::string(board.trouble.message.data()), std::string(board.trouble.message.size() - 1, 'x'));
  EXPECT_EQ(board.obeyed, UINT64_MAX);
  EXPECT_EQ(board.finished, UINT64_MAX);
}

}  // namespace
}  // namespace threadping::engine
