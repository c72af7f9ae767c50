// What both leads are made of: the route, orders that wait for the members, and the order in which things happen.

#include "crew/lead.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <set>
#include <span>
#include <string>
#include <thread>
#include <vector>

#include "platform/clock.hpp"
#include "platform/shared.hpp"
#include "support/loops.hpp"
#include "support/requests.hpp"

namespace threadping::crew {
namespace {

using Log = std::vector<std::string>;

/// Makes visits of ten operations and logs what it does.
class Bare : public Lead {
 public:
  Bare(const Scene& scene, Log& log) : Lead(scene), log_(log) {}
  using Lead::give;
  using Lead::goes_on;
  using Lead::line_of;
  using Lead::order;
  using Lead::running;

 private:
  void idle() const override { std::this_thread::yield(); }
  [[nodiscard]] std::uint64_t ops() const override { return ops_; }
  bool warm_up() override { return visited("warm-up"); }
  bool visit(std::size_t step) override { return visited("visit " + std::to_string(step)); }

  bool visited(const std::string& what) {
    log_.push_back(what);
    ops_ += 10;
    std::this_thread::sleep_for(std::chrono::microseconds(400));
    return goes_on();
  }

  Log& log_;
  std::uint64_t ops_ = 0;
};

std::string name_of(Order::Kind kind) { return "order " + std::to_string(static_cast<int>(kind)); }

constexpr Order kWork{.kind = Order::Kind::work, .count = 5};

/// A lead and two members, who are played by the test.
class ALead : public testing::Test {
 protected:
  Bare lead(std::uint64_t deadline_ns = platform::now_ns() + tests::kHour) {
    deadline_ns_ = deadline_ns;
    return {{request_, loops_, common_, boards_, result_, deadline_ns_}, log_};
  }
  void obey(std::uint64_t number) {
    for (Board& board : boards_) board.obeyed = number;
  }
  /// Logs so many orders and finishes each a while after it has obeyed it.
  void obey_all(std::uint64_t orders) {
    for (std::uint64_t number = 1; number <= orders; ++number) {
      while (common_.orders.number() < number) std::this_thread::yield();
      const auto kind = common_.orders.order(number).kind;
      obey(number);
      std::this_thread::sleep_for(std::chrono::milliseconds(1));
      if (kind != Order::Kind::rest) log_.push_back(name_of(kind));
      for (Board& board : boards_) board.finished = number;
    }
  }

  message::Request request_;
  tests::NoWork loops_;
  Common common_;
  platform::Shared<Board> boards_{2, platform::Sharing::threads};
  message::Result result_;
  Log log_;
  std::uint64_t deadline_ns_ = 0;
};

TEST_F(ALead, GivesTheNextOrderWhenAllHaveObeyedTheOneBefore) {
  Bare hasty = lead(platform::now_ns() + tests::kMillisecond);
  EXPECT_TRUE(hasty.give(kWork));
  boards_[0].obeyed = 1;
  EXPECT_FALSE(hasty.give(kWork)) << "the second has not read the first order";
  EXPECT_EQ(common_.orders.number(), 1U);
  boards_[1].obeyed = 1;
  EXPECT_TRUE(hasty.give(kWork));
  EXPECT_EQ(common_.orders.number(), 2U);
}

TEST_F(ALead, WaitsUntilAllHaveBegunToObey) {
  std::thread members([&] {
    while (common_.orders.number() == 0) std::this_thread::yield();
    obey(1);
  });
  EXPECT_TRUE(lead().order(kWork));
  EXPECT_EQ(boards_[1].obeyed, 1U);
  members.join();
}

TEST_F(ALead, WaitsNoLongerThanTheBound) {
  EXPECT_FALSE(lead(platform::now_ns() + tests::kMillisecond).order(kWork));
  EXPECT_EQ(common_.orders.number(), 1U);
}

/// What is slow to read is read before and after what is quick, and nothing is performed until all have read theirs;
/// the log would be a data race otherwise.
TEST_F(ALead, HasAllCountersReadBeforeAndAfterTheVisits) {
  request_.warmup = {.rounds = 2, .ops = 5, .limit_ns = 0, .look_ns = 1};
  request_.measure_ns = tests::kMillisecond;
  std::thread members([&] { obey_all(5); });
  EXPECT_TRUE(lead().run());
  members.join();

  Log expected{"warm-up", name_of(Order::Kind::prepare), name_of(Order::Kind::begin)};
  const std::size_t visits = log_.size() - 5;
  ASSERT_GE(visits, 1U);
  for (std::size_t visit = 0; visit < visits; ++visit) expected.push_back("visit " + std::to_string(visit));
  expected.push_back(name_of(Order::Kind::end));
  expected.push_back(name_of(Order::Kind::finish));
  EXPECT_EQ(log_, expected);

  EXPECT_EQ(result_.warmup_ops, 10U);
  EXPECT_TRUE(result_.warmup_complete);
  EXPECT_GE(result_.warmup_ns, 400'000U);
  EXPECT_EQ(result_.measured_ops, 10 * visits);
  EXPECT_GE(result_.measured_ns, request_.measure_ns);
}

TEST_F(ALead, MeasuresNothingWhereTheBoundPassedInTheWarmUp) {
  request_.warmup = {.rounds = 3, .ops = 5, .limit_ns = 0, .look_ns = 1};
  obey(1);
  EXPECT_FALSE(lead(platform::now_ns()).run());
  EXPECT_EQ(log_, Log{"warm-up"});
  EXPECT_FALSE(result_.warmup_complete) << "ten of fifteen";
  EXPECT_EQ(result_.measured_ops, 0U);
}

TEST_F(ALead, DoesNotWaitForWhoeverHasFailed) {
  request_.measure_ns = tests::kHour;
  for (Board& board : boards_) board.fail(ErrorCode::internal, "Why.");
  Bare all_alone = lead();
  EXPECT_FALSE(all_alone.goes_on());
  EXPECT_FALSE(all_alone.run());
  EXPECT_EQ(log_, Log{"warm-up"});
}

TEST_F(ALead, GoesOnUntilTheBound) {
  EXPECT_TRUE(lead().goes_on());
  EXPECT_FALSE(lead(platform::now_ns()).goes_on());
}

TEST_F(ALead, KnowsHowManyMembersCanRunAtOnce) {
  for (Board& board : boards_) board.cpus_start.set({8000});
  obey(Board::kEverything);
  Bare on_one = lead(platform::now_ns());
  on_one.run();
  EXPECT_EQ(on_one.running(), 1U);
  boards_[1].cpus_start.set({0, 3, 8000});
  Bare on_three = lead(platform::now_ns());
  on_three.run();
  EXPECT_EQ(on_three.running(), 2U);
}

std::vector<std::uint32_t> route(const Bare& lead) {
  std::vector<std::uint32_t> lines;
  for (std::size_t step = 0; step < 512; ++step) lines.push_back(lead.line_of(step));
  return lines;
}

TEST_F(ALead, GoesToEveryLineInAnOrderOfTheSeedAgainAndAgain) {
  request_.lines = 256;
  request_.seed = 7;
  const std::vector<std::uint32_t> first = route(lead());
  const std::span round = std::span(first).first(256);
  EXPECT_EQ(std::set(round.begin(), round.end()).size(), 256U);
  EXPECT_TRUE(std::ranges::equal(round, std::span(first).subspan(256)));
  EXPECT_FALSE(std::ranges::is_sorted(round));
  EXPECT_EQ(route(lead()), first);
  request_.seed = 8;
  EXPECT_NE(route(lead()), first);
}

}  // namespace
}  // namespace threadping::crew
