// What both leads are made of: the route, orders that wait for the workers, and the order in which things happen.

#include "engine/lead.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <set>
#include <thread>

#include "platform/clock.hpp"
#include "support/requests.hpp"
#include "support/stages.hpp"
#include "toy/toy.hpp"

namespace threadping::engine {
namespace {

using Log = std::vector<std::string>;

std::string name_of(Order::Reading reading) { return "order " + std::to_string(static_cast<int>(reading)); }

/// Makes visits of ten operations and logs what it does.
class Bare : public Lead {
 public:
  Bare(Scene& scene, Log& log) : Lead(scene, nullptr, 4), log_(log) {}
  using Lead::give;
  using Lead::line_of;

 private:
  void idle() const override { std::this_thread::yield(); }
  [[nodiscard]] std::uint64_t ops() const override { return ops_; }
  std::optional<double> calibrate(std::uint64_t /*until_ns*/) override { return visited("calibrate"), 1.0; }
  bool perform(std::uint32_t /*line*/, std::uint64_t /*count*/) override { return true; }
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

/// A lead and two workers that the test plays.
class ALead : public testing::Test {
 protected:
  Bare lead(std::uint64_t time = tests::kHour) {
    scene_.deadline_ns = platform::now_ns() + time;
    return {scene_, log_};
  }

  Log log_;
  Scene scene_{.request = tests::request_of(2),
               .experiment = toy::experiment(contract::Unit::ns),
               .stage = std::make_unique<tests::NoWork>()};
  contract::Request& request_ = scene_.request;
  contract::Result& result_ = scene_.result;
};

TEST_F(ALead, GivesTheNextOrderWhenAllHaveObeyedTheOneBefore) {
  Bare hasty = lead(tests::kMillisecond);
  EXPECT_TRUE(hasty.give({}));
  scene_.boards[0].obeyed = 1;
  EXPECT_FALSE(hasty.give({})) << "the second has not read the first order";
  EXPECT_EQ(scene_.orders->number(), 1U);
  scene_.boards[1].obeyed = 1;
  EXPECT_FALSE(hasty.give({})) << "the bound has passed";
  scene_.deadline_ns += tests::kHour;
  EXPECT_TRUE(hasty.give({}));
  EXPECT_EQ(scene_.orders->number(), 2U);
}

/// What is slow to read is read before and after what is quick, and nothing is performed until all have read theirs;
/// the log would be a data race otherwise.
TEST_F(ALead, HasAllCountersReadBeforeAndAfterTheVisits) {
  request_.warmup = {
      .rounds = 4, .ops = 5, .steady = std::nullopt, .limit_ns = tests::kHour, .look_ns = 1, .uninterrupted = false};
  request_.measure_ns = tests::kMillisecond;
  std::thread workers([&] {
    for (std::uint64_t number = 1; number <= 6; ++number) {
      while (scene_.orders->number() < number) std::this_thread::yield();
      const auto reading = scene_.orders->order(number).reading;
      for (Board& board : scene_.boards) board.obeyed = number;
      std::this_thread::sleep_for(std::chrono::milliseconds(1));
      if (reading != Order::Reading::none) log_.push_back(name_of(reading));
      if (reading == Order::Reading::end)
        for (Board& board : scene_.boards) board.measured_ops = 7;
      for (Board& board : scene_.boards) board.finished = number;
    }
  });
  EXPECT_TRUE(lead().run());
  workers.join();

  Log expected{name_of(Order::Reading::prepare), "calibrate", "visit 0", name_of(Order::Reading::begin)};
  const std::size_t visits = log_.size() - 6;
  ASSERT_GE(visits, 1U);
  for (std::size_t visit = 0; visit < visits; ++visit) expected.push_back("visit " + std::to_string(visit));
  expected.insert(expected.end(), {name_of(Order::Reading::end), name_of(Order::Reading::finish)});
  EXPECT_EQ(log_, expected);
  EXPECT_EQ(result_.warmup_ops, 20U);
  EXPECT_EQ(result_.warmup_ended, contract::WarmupEnd::rounds);
  EXPECT_GE(result_.warmup_ns, 400'000U);
  EXPECT_EQ(result_.measured_ops, 7 * scene_.boards.size()) << "each thread counts its own";
  EXPECT_GE(result_.measured_ns, request_.measure_ns);
}

/// A visit follows; what it takes to ping is no warm-up.
TEST_F(ALead, PingsBetweenWarmUpAndMeasuringWhileTheWorkersSleep) {
  struct Pinging : Host {
    std::optional<double> ping(int /*one*/, int /*other*/) override {
      log->emplace_back(scene->orders->order(scene->orders->number()).rest_ns > 0 ? "ping" : "nobody sleeps");
      std::this_thread::sleep_for(std::chrono::milliseconds(50));
      return 30;
    }
    Scene* scene = nullptr;
    Log* log = nullptr;
  };
  Pinging host;
  Scene scene{.request = tests::request_of(1),
              .experiment = toy::experiment(contract::Unit::ns),
              .stage = std::make_unique<tests::NoWork>(),
              .host = host};
  host.scene = &scene;
  host.log = &log_;
  scene.request.warmup = {
      .rounds = 1, .ops = 10, .steady = std::nullopt, .limit_ns = tests::kHour, .look_ns = 1, .uninterrupted = false};
  scene.request.measure_ns = 1;
  scene.request.pings = {{0, 1}, {0, 2}};
  scene.deadline_ns = platform::now_ns() + tests::kHour;
  std::atomic<bool> over{false};
  std::thread worker([&] {
    while (!over) {
      scene.boards[0].obeyed = scene.boards[0].finished = scene.orders->number();
      std::this_thread::yield();
    }
  });
  EXPECT_TRUE(Bare(scene, log_).run());
  over = true;
  worker.join();
  EXPECT_EQ(log_, (Log{"calibrate", "ping", "ping", "visit 0"}));
  EXPECT_EQ(scene.result.pings.size(), 2U);
  EXPECT_LT(scene.result.warmup_ns, scene.result.pings.back().at_ns - scene.result.pings.front().at_ns);
}

/// The last order that a stopped lead gave is not taken back: some may obey it already.
TEST_F(ALead, EndsWhenAllHaveReadWhatItOrderedLast) {
  class Cut : public Bare {
   public:
    using Bare::Bare;

   private:
    std::optional<double> calibrate(std::uint64_t /*until_ns*/) override {
      give({.chunk = 1});
      return std::nullopt;
    }
  };
  std::atomic<bool> has_read = false;
  std::thread workers([&] {
    for (std::uint64_t number = 1; number <= 3; ++number) {
      while (scene_.orders->number() < number) std::this_thread::yield();
      std::this_thread::sleep_for(std::chrono::milliseconds(2));
      has_read = number == 3;
      for (Board& board : scene_.boards) board.obeyed = board.finished = number;
    }
  });
  scene_.deadline_ns = platform::now_ns() + tests::kHour;
  EXPECT_FALSE(Cut(scene_, log_).run());
  EXPECT_TRUE(has_read);
  workers.join();
}

TEST_F(ALead, GoesToEveryLineInAnOrderOfTheSeedAgainAndAgain) {
  const auto route = [&](std::uint64_t seed) {
    request_.lines = 256;
    request_.seed = seed;
    const Bare bare = lead();
    std::vector<std::uint32_t> lines(512);
    for (std::size_t step = 0; step < lines.size(); ++step) lines[step] = bare.line_of(step);
    return lines;
  };
  const std::vector<std::uint32_t> lines = route(7);
  const std::span round = std::span(lines).first(256);
  EXPECT_EQ(std::set(round.begin(), round.end()).size(), 256U);
  EXPECT_TRUE(std::ranges::equal(round, std::span(lines).subspan(256)));
  EXPECT_FALSE(std::ranges::is_sorted(round));
  EXPECT_EQ(route(7), lines);
  EXPECT_NE(route(8), lines);
}

/// One whose two workers the test plays: they take up every order, and the second does nothing but read the clock.
class AnOutsider : public testing::Test {
 protected:
  std::vector<Order> orders_in(const Experiment& experiment) {
    Scene scene{.request = tests::quick_request(experiment, tests::unpinned(2)),
                .experiment = experiment,
                .stage = std::make_unique<tests::NoWork>(),
                .host = *host_};
    scene.request.pin = pin_;
    if (pinned_) scene.request.cpus = {0, 1};
    scene.request.measure_ns = 30 * tests::kMillisecond;
    scene.request.warmup = warmup_;
    scene.result.clock.cost_ns = 25;
    for (Board& board : scene.boards) board.cpus_start.set({0, 1});
    scene.deadline_ns = platform::now_ns() + tests::kHour;
    std::vector<Order> orders;
    std::thread workers([&] {
      for (std::uint64_t number = 0;;) {
        while (scene.orders->number() == number) ++scene.boards[1].readings;
        number = scene.orders->number();
        if (scene.orders->order(number).leave) return;
        orders.push_back(scene.orders->order(number));
        for (Board& board : scene.boards) {
          board.ops += orders.back().count;
          ++board.switches;
          board.cpu = &board == scene.boards.begin() ? 0 : static_cast<int>(number % 2);
          board.obeyed = board.finished = number;
        }
      }
    });
    EXPECT_TRUE(outsider(scene)->run());
    scene.orders->leave();
    workers.join();
    windows_ = scene.result.windows;
    warmup_ended_ = scene.result.warmup_ended;
    return orders;
  }

  contract::WarmupRequest warmup_ = tests::no_warmup();
  Host* host_ = &native();
  bool pinned_ = false;
  contract::Pin pin_ = contract::Pin::thread;
  contract::Windows windows_;
  contract::WarmupEnd warmup_ended_{};
};

/// They do nothing, each window in as much time.
TEST_F(AnOutsider, IsNotSteadyWhereNothingIsDone) {
  warmup_.steady = 1.0;
  warmup_.limit_ns = 50 * tests::kMillisecond;
  orders_in(toy::experiment(contract::Unit::ns));
  EXPECT_EQ(warmup_ended_, contract::WarmupEnd::limit);
}

TEST_F(AnOutsider, HasEachRoundPerformedInOneLoopWhereThatIsWanted) {
  warmup_ = {.rounds = 3,
             .ops = 100,
             .steady = std::nullopt,
             .limit_ns = 5 * tests::kSecond,
             .look_ns = tests::kMillisecond,
             .uninterrupted = true};
  std::vector<std::uint64_t> counts;
  for (const Order& order : orders_in(toy::experiment(contract::Unit::ns)))
    if (order.count > 0) counts.push_back(order.count);
  EXPECT_EQ(counts, std::vector<std::uint64_t>(3, 50)) << "half of them by each";
}

/// On a busy machine a trial may have two windows, and the reader no CPU in the first.
TEST_F(AnOutsider, HoldsWhoeverReadsTheClockMostToItsShare) {
  std::uint32_t most = 0;
  for (int trial = 0; trial < 50 && most < 4; ++trial) {
    orders_in(toy::experiment(contract::Unit::ns));
    most = std::ranges::max(windows_.every);
  }
  EXPECT_GE(most, 4U);
}

/// All others come to rest between two windows.
TEST_F(AnOutsider, LetsAStreamFlowFromTheFirstOrderToTheLast) {
  const auto rests = [](const Order& order) { return order.chunk == 0 && order.reading == Order::Reading::none; };
  Experiment toy = toy::experiment(contract::Unit::ns);
  EXPECT_GT(std::ranges::count_if(orders_in(toy), rests), 4);
  toy.stream = true;
  const std::vector<Order> orders = orders_in(toy);
  EXPECT_TRUE(rests(orders.front())) << "before it begins";
  EXPECT_TRUE(
      std::ranges::all_of(orders.begin() + 1, orders.end(), [](const Order& order) { return order.chunk > 0; }));
  EXPECT_TRUE(std::ranges::any_of(orders, [](const Order& order) { return order.chunk > 0 && order.every == 0; }));
}

/// A stream flows between two rests, or one who waits for it would never rest; and one with a schedule never rests.
TEST_F(AnOutsider, HasThreadsSleepWhileTheyWarmUpAndARuntimeCompiles) {
  struct Compiling : Host {
    [[nodiscard]] bool managed() const override { return true; }
    std::optional<platform::Activity> compilers() override {
      return platform::Activity{.cpu_ns = 0, .awake = looks++ < 3};
    }
    int looks = 0;
  } host;
  host_ = &host;
  warmup_.steady = 1.0;
  warmup_.limit_ns = 150 * tests::kMillisecond;
  const auto sleeps = [](const Order& order) { return order.rest_ns > 0; };
  Experiment toy = toy::experiment(contract::Unit::ns);
  EXPECT_EQ(std::ranges::count_if(orders_in(toy), sleeps), 2);
  host.looks = 0;
  toy.stream = true;
  const std::vector<Order> orders = orders_in(toy);
  EXPECT_EQ(std::ranges::count_if(orders, sleeps), 2);
  EXPECT_TRUE(std::ranges::all_of(orders, [&](const Order& order) { return !sleeps(order) || order.chunk > 0; }));
  host.looks = 0;
  toy.open_loop = true;
  EXPECT_EQ(std::ranges::count_if(orders_in(toy), sleeps), 0);
}

/// What comes in throughput windows and between them too.
TEST_F(AnOutsider, HasAnOpenLoopTimedAllTheTime) {
  Experiment toy = toy::experiment(contract::Unit::ns);
  toy.stream = toy.open_loop = true;
  const std::vector<Order> orders = orders_in(toy);
  EXPECT_TRUE(
      std::ranges::all_of(orders.begin() + 1, orders.end(), [](const Order& order) { return order.every > 0; }));
}

/// Each of two threads is switched out once between two orders; a stream has no rest between two windows.
TEST_F(AnOutsider, ReportsTheSwitchesOfEachWindow) {
  Experiment toy = toy::experiment(contract::Unit::ns);
  toy.stream = true;
  orders_in(toy);
  EXPECT_EQ(windows_.switches, std::vector<std::uint64_t>(windows_.ns.size(), 2));
}

/// One of two threads takes up every second order on the other's CPU; a stream has a window an order.
TEST_F(AnOutsider, ReportsHowManyCpusTheThreadsWereOnAtTheEndOfEachWindow) {
  Experiment toy = toy::experiment(contract::Unit::ns);
  toy.stream = true;
  const std::vector<Order> orders = orders_in(toy);
  ASSERT_EQ(windows_.cpus.value().size(), windows_.ns.size());
  const auto begin = std::ranges::find(orders, Order::Reading::begin, &Order::reading);
  const auto after_first = static_cast<std::uint64_t>(begin - orders.begin()) + 3;  // the number of the order after it
  EXPECT_EQ(windows_.cpus->front(), 1 + after_first % 2);
  for (std::size_t window = 1; window < windows_.ns.size(); ++window)
    EXPECT_EQ(windows_.cpus->at(window - 1) + windows_.cpus->at(window), 3) << window;
}

TEST_F(AnOutsider, DoesNotLookWhereEachThreadHasACpuOfItsOwn) {
  pinned_ = true;
  orders_in(toy::experiment(contract::Unit::ns));
  EXPECT_FALSE(windows_.cpus.has_value());
  pin_ = contract::Pin::process;
  orders_in(toy::experiment(contract::Unit::ns));
  EXPECT_TRUE(windows_.cpus.has_value());
}

}  // namespace
}  // namespace threadping::engine
