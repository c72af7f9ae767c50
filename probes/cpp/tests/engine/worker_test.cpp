// One member, obeying in the test's own thread orders that its own operations give: nothing here hangs on time.

#include "engine/member.hpp"

#include <gtest/gtest.h>

#include <functional>

#include "platform/counters.hpp"
#include "support/stages.hpp"
#include "support/requests.hpp"

namespace threadping::engine {
namespace {

using Script = std::vector<std::function<void()>>;
using Seen = std::vector<std::string>;
using Counts = std::map<std::uint64_t, std::uint64_t>;

/// Notes what is called, and does in the course of each loop what its script says. What is timed takes 100 ns, 101 ns,
/// ... of a clock of its own; the script takes its part in the midst of it.
class Scripted : public tests::NoWork {
 public:
  std::uint64_t plain(std::size_t /*thread*/, std::size_t line, std::uint64_t count) override {
    play("plain", line, count);
    return count;
  }
  std::uint64_t timed(std::size_t /*thread*/, std::size_t line, std::uint64_t /*opened_ns*/,
                      std::span<Timing> timings) override {
    const std::uint64_t from = now_ns;
    const std::uint64_t to = from + 100 + loops;
    now_ns += 50;
    play("timed", line, timings.size());
    now_ns = to;
    for (std::size_t given = 0; given < gives; ++given) timings[given] = {.from_ns = from + given, .to_ns = to};
    return completes;
  }
  bool between(std::size_t thread, std::size_t line) override {
    if (notes_all) note("between", thread, line);
    return false;
  }
  void leave(std::size_t thread, std::size_t line) override {
    if (notes_all) note("leave", thread, line);
  }
  [[nodiscard]] bool counted(std::size_t thread) const override { return thread != 1; }
  [[nodiscard]] bool times_all(std::size_t thread) const override { return thread == 2; }

  Script script;
  Seen seen;
  std::uint64_t now_ns = 1'000'000;
  std::uint64_t loops = 0;
  std::uint64_t completes = 1;
  std::size_t gives = 1;
  bool notes_all = false;

 private:
  void note(const std::string& what, std::size_t thread, std::size_t line) {
    seen.push_back(what + " " + std::to_string(thread) + " on " + std::to_string(line));
  }
  void play(const std::string& kind, std::size_t line, std::uint64_t count) {
    note(kind, count, line);
    ++loops;
    if (loops <= script.size() && script[loops - 1]) script[loops - 1]();
  }
};

class AMember : public testing::Test {
 protected:
  /// Obeys this order until the script has been played, which then lets it leave.
  void obey(const Order& order, Script script) {
    loops_.script = std::move(script);
    loops_.script.emplace_back([this] { scene_.orders->leave(); });
    scene_.orders->give(order);
    member_.obey();
    member_.recorder().add_to(recorded_);
  }

  Scene scene_{.request = tests::request_of(1), .loops = std::make_unique<Scripted>()};
  Scripted& loops_ = static_cast<Scripted&>(*scene_.loops);
  Board& board_ = scene_.boards[0];
  Member member_{scene_, 0};
  contract::Distribution recorded_;
  std::function<void()> open_ = [this] { scene_.gate->open(loops_.now_ns); };
  std::function<void()> close_ = [this] { scene_.gate->close(loops_.now_ns); };
};

TEST_F(AMember, WorksAsMuchAsItIsToldTo) {
  obey({.kind = Order::Kind::work, .line = 2, .count = 1000, .chunk = 7}, {});
  EXPECT_EQ(loops_.seen, Seen{"plain 1000 on 2"});
  EXPECT_EQ(board_.ops, 1000U);
  EXPECT_EQ(board_.obeyed, 1U);
  EXPECT_EQ(board_.finished, 1U);
}

TEST_F(AMember, WorksInChunksUntilTheNextOrder) {
  obey({.kind = Order::Kind::work, .line = 1, .chunk = 7}, {nullptr, nullptr});
  EXPECT_EQ(loops_.seen, Seen(3, "plain 7 on 1"));
  EXPECT_EQ(board_.ops, 21U);
}

TEST_F(AMember, TimesTheFirstOfEveryGroup) {
  obey({.kind = Order::Kind::sample, .line = 3, .chunk = 7, .every = 4}, {nullptr, nullptr, nullptr});
  EXPECT_EQ(loops_.seen, (Seen{"timed 1 on 3", "plain 3 on 3", "timed 1 on 3", "plain 3 on 3"}));
  EXPECT_EQ(board_.ops, 8U);
}

constexpr Order kTimeAll{.kind = Order::Kind::sample, .every = 1};

TEST_F(AMember, KeepsWhatItTimedInsideOneWindow) {
  // before the window; over its start; twice inside; over its end; after it
  obey(kTimeAll, {nullptr, open_, nullptr, nullptr, close_, nullptr});
  EXPECT_EQ(recorded_.counts, (Counts{{102, 1}, {103, 1}}));
  EXPECT_EQ(recorded_.censored, 2U);
  EXPECT_EQ(loops_.seen, Seen(7, "timed 1 on 0"));
}

TEST_F(AMember, CensorsWhatLastedLongerThanAWindowEachTime) {
  const auto pass = [this] { open_(), close_(); };
  obey(kTimeAll, {pass, pass, nullptr, pass});
  EXPECT_EQ(recorded_.counts, Counts{});
  EXPECT_EQ(recorded_.censored, 3U);
}

TEST_F(AMember, CensorsWhatLastedFromOneWindowIntoTheNext) {
  obey(kTimeAll, {open_, [this] { close_(), open_(); }});
  EXPECT_EQ(recorded_.counts, (Counts{{102, 1}}));
  EXPECT_EQ(recorded_.censored, 2U);
}

TEST_F(AMember, RecordsNoOperationThatWasStopped) {
  loops_.completes = 0;
  obey(kTimeAll, {open_, nullptr});
  EXPECT_EQ(recorded_.counts, Counts{});
  EXPECT_EQ(board_.ops, 0U);
}

TEST_F(AMember, RecordsNoOperationThatTellsNothing) {
  loops_.gives = 0;
  obey(kTimeAll, {open_, nullptr});
  EXPECT_EQ(recorded_.counts, Counts{});
  EXPECT_EQ(recorded_.censored, 0U);
  EXPECT_EQ(board_.ops, 3U);
}

/// A batch of them was completed, of which one was timed.
TEST_F(AMember, CountsAllOperationsOfWhatItTimes) {
  loops_.completes = 10;
  obey({.kind = Order::Kind::sample, .every = 4}, {open_, nullptr, nullptr});
  EXPECT_EQ(recorded_.counts, (Counts{{102, 1}}));
  EXPECT_EQ(board_.ops, 26U);
}

TEST_F(AMember, LeavesTheLineAndDoesWhatItDoesBetween) {
  loops_.notes_all = true;
  obey({.kind = Order::Kind::sample, .line = 3, .every = 2}, {nullptr, nullptr});
  EXPECT_EQ(loops_.seen, (Seen{"timed 1 on 3", "between 0 on 3", "plain 1 on 3", "timed 1 on 3", "between 0 on 3",
                               "plain 1 on 3", "leave 0 on 3"}));
}

TEST_F(AMember, LeavesTheLineAlsoAfterWorkThatIsCounted) {
  loops_.notes_all = true;
  obey({.kind = Order::Kind::work, .line = 2, .count = 5}, {});
  EXPECT_EQ(loops_.seen, (Seen{"plain 5 on 2", "leave 0 on 2"}));
}

TEST_F(AMember, DoesNothingBetweenAfterAnOperationThatWasStopped) {
  loops_.notes_all = true;
  loops_.completes = 0;
  obey(kTimeAll, {nullptr});
  EXPECT_EQ(loops_.seen, (Seen{"timed 1 on 0", "timed 1 on 0", "leave 0 on 0"}));
}

TEST(AMemberThatFollows, CountsNoOperations) {
  Scene scene{.request = tests::request_of(2), .loops = std::make_unique<Scripted>()};
  static_cast<Scripted&>(*scene.loops).script = {[&] { scene.orders->leave(); }};
  scene.orders->give({.kind = Order::Kind::work, .count = 5});
  Member(scene, 1).obey();
  EXPECT_EQ(scene.boards[1].ops, 0U);
}

/// The third of a crew of three.
class AMemberThatTimesAll : public testing::Test {
 protected:
  void obey(Script script) {
    loops_.script = std::move(script);
    loops_.script.emplace_back([this] {
      leave_();
      loops_.completes = 0;
    });
    scene_.orders->give({.kind = Order::Kind::sample, .line = 3, .every = 4});
    Member member(scene_, 2);
    member.obey();
    member.recorder().add_to(recorded_);
  }

  Scene scene_{.request = tests::request_of(3), .loops = std::make_unique<Scripted>()};
  Scripted& loops_ = static_cast<Scripted&>(*scene_.loops);
  contract::Distribution recorded_;
  std::function<void()> open_ = [this] { scene_.gate->open(loops_.now_ns); };
  std::function<void()> close_ = [this] { scene_.gate->close(loops_.now_ns); };
  std::function<void()> leave_ = [this] { scene_.orders->leave(); };
  std::function<void()> nothing_ = [this] { loops_.gives = 0; };
};

TEST_F(AMemberThatTimesAll, OnlyTimesAndHasRoomForMany) {
  obey({nullptr});
  EXPECT_EQ(loops_.seen, Seen(2, "timed 1024 on 3"));
}

TEST_F(AMemberThatTimesAll, KeepsEachThatIsInsideTheWindow) {
  loops_.gives = 53;
  obey({open_, nothing_});
  EXPECT_EQ(recorded_.counts, (Counts{{48, 1}, {49, 1}, {50, 1}}));
  EXPECT_EQ(recorded_.censored, 50U);
}

TEST_F(AMemberThatTimesAll, GoesOnAfterTheOrderUntilNothingComes) {
  obey({open_, leave_, close_});
  EXPECT_EQ(recorded_.counts, (Counts{{101, 1}}));
  EXPECT_EQ(recorded_.censored, 2U);
}

TEST_F(AMemberThatTimesAll, KeepsNoneTwice) {
  loops_.gives = 2;
  obey({open_, [this] { loops_.gives = 1; }, nothing_});
  EXPECT_EQ(recorded_.counts, (Counts{{101, 1}}));
  EXPECT_EQ(recorded_.censored, 2U);
}

/// Uses so much CPU time and returns it.
std::uint64_t burn(std::uint64_t ns) {
  const std::uint64_t start = platform::read_quick_counters().cpu_ns;
  std::uint64_t used = 0;
  while (used < ns) used = platform::read_quick_counters().cpu_ns - start;
  return used;
}

/// What is slow to read is read outside of what is counted, or one thread's CPU time would hold another's reading.
TEST_F(AMember, CountsFromBeginToEndAlone) {
  constexpr std::uint64_t kLong = 20'000'000;
  member_.count(Order::Kind::prepare);
  burn(kLong);
  member_.count(Order::Kind::begin);
  const std::uint64_t used = burn(1'000'000);
  member_.count(Order::Kind::end);
  burn(kLong);
  member_.count(Order::Kind::finish);
  EXPECT_GE(board_.counters.cpu_ns, used);
  EXPECT_LT(board_.counters.cpu_ns, used + kLong);
  EXPECT_EQ(board_.counters.migrations.has_value(), platform::read_migrations().has_value());
}

TEST_F(AMember, CountsMigrationsFromPrepareToFinish) {
  const platform::CpuSet before = platform::allowed_cpus();
  if (before.size() < 2 || !platform::read_migrations()) GTEST_SKIP() << "nothing can be seen to move here";
  platform::pin_this_thread(before.front());
  member_.count(Order::Kind::prepare);
  platform::pin_this_thread(before.back());
  for (const auto kind : {Order::Kind::begin, Order::Kind::end}) member_.count(kind);
  platform::pin_this_thread(before.front());
  member_.count(Order::Kind::finish);
  platform::pin_this_thread(before);
  EXPECT_GE(board_.counters.migrations.value_or(0), 2U);
}

TEST(ABoard, KeepsTheFirstFailureAndKeepsNobodyWaiting) {
  Board board;
  board.fail(ErrorCode::sequence_broken, std::string(10'000, 'x'));
  board.fail(ErrorCode::internal, "This followed.");
  EXPECT_EQ(board.code, ErrorCode::sequence_broken);
  EXPECT_EQ(std::string(board.message.data()), std::string(board.message.size() - 1, 'x')) << "as much as has room";
  EXPECT_EQ(board.obeyed, Board::kEverything);
  EXPECT_EQ(board.finished, Board::kEverything);
}

}  // namespace
}  // namespace threadping::engine
