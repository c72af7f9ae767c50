// A signal and a queue of a program's, in threadping's own loops.

#include <deque>
#include <mutex>
#include <tuple>

#include "api/programs.hpp"
#include "threadping_barrier.h"

namespace threadping::tests {
namespace {

using Word = std::atomic<std::uint64_t>;

std::atomic<int> open_cells{0};
bool loses = false;
bool breaks = false;
bool breaks_at_a_peek = false;

void break_at(std::uint64_t number) {
  if (breaks && number == 5) threadping_operation_failed(THREADPING_INTERNAL, "It broke.");
}

Word& word(void* cell) { return *static_cast<Word*>(cell); }

constexpr threadping_signal kSignal{
    .size = sizeof(threadping_signal),
    .description = R"({"name": "own-word", "blocking": true, "words": {"summary": "A word.", "costs": "A CPU."}})",
    .open =
        [](void* cell, const threadping_setup* setup, threadping_failure* why) {
          if (word(cell) != 0 || setup->mechanism != std::string("own-word"))
            threadping_fail(why, THREADPING_INTERNAL, "A cell is not empty.");
          ++open_cells;
        },
    .close = [](void* /*cell*/) { --open_cells; },
    .publish =
        [](void* cell, std::uint64_t number) {
          word(cell) = number;
          break_at(number);
        },
    .await =
        [](void* cell, std::uint64_t number) {
          while (word(cell) < number) continue;
          return word(cell).load();
        },
    .stop = [](void* cell) { word(cell) = THREADPING_STOPPED; },
    .peek =
        [](const void* cell) {
          if (breaks_at_a_peek) threadping_operation_failed(THREADPING_INTERNAL, "It broke.");
          return static_cast<const Word*>(cell)->load();
        }};

struct List {
  std::mutex lock;
  std::deque<std::uint64_t> numbers;
  std::atomic<bool> stopped = false;
};
List& list(void* queue) { return *static_cast<List*>(queue); }

constexpr threadping_queue kQueue{
    .size = sizeof(threadping_queue),
    .description = R"({"name": "own-list", "blocking": false, "words": {"summary": "A list.", "costs": "A lock."}})",
    .open = [](std::uint64_t /*numbers*/, const threadping_setup* /*setup*/, threadping_failure* /*why*/) -> void* {
      return new List;
    },
    .close = [](void* queue) { delete &list(queue); },
    .send =
        [](void* queue, std::uint64_t number) {
          const std::scoped_lock held(list(queue).lock);
          break_at(number);
          if (!loses || number != 50) list(queue).numbers.push_back(number);
        },
    .take = [](void* queue, std::uint64_t* numbers, std::size_t most) -> std::size_t {
      while (!list(queue).stopped) {
        const std::scoped_lock held(list(queue).lock);
        std::size_t count = 0;
        for (; count < most && !list(queue).numbers.empty(); ++count) {
          numbers[count] = list(queue).numbers.front();
          list(queue).numbers.pop_front();
        }
        if (count > 0) return count;
      }
      return 0;
    },
    .stop = [](void* queue) { list(queue).stopped = true; }};

/// A barrier by four operations, which nobody measures here.
constexpr threadping_barrier kBarrier{
    .size = sizeof(threadping_barrier),
    .description =
        R"({"name": "own-barrier", "blocking": false, "words": {"summary": "A barrier.", "costs": "Nothing."}})",
    .open = [](std::uint32_t /*workers*/, int /*crowded*/, const threadping_setup* /*setup*/,
               threadping_failure* /*why*/) -> void* { return nullptr; },
    .close = nullptr,
    .release = [](void* /*barrier*/, std::uint64_t /*round*/) {},
    .await = [](void* /*barrier*/, std::uint32_t /*worker*/, std::uint64_t /*round*/) {},
    .arrive = [](void* /*barrier*/, std::uint32_t /*worker*/, std::uint64_t /*round*/) {},
    .join = [](void* /*barrier*/, std::uint64_t /*round*/) {},
    .stop = nullptr,
    .call = nullptr};

OwnProbe with_both() {
  OwnProbe probe = probe_of();
  threadping_add_signal(probe.get(), &kSignal);
  threadping_add_queue(probe.get(), &kQueue);
  return probe;
}

TEST(OperationsOfAProgram, AreMeasuredByWhatTheyCanDo) {
  const OwnProbe probe = with_both();
  std::string all;
  const Json description = Json::parse(described(probe));
  for (const Json& experiment : description["experiments"])
    for (const Json& mechanism : experiment["mechanisms"]) {
      const std::string name = experiment["name"];
      all += name + " " + mechanism["name"].get<std::string>() + ", ";
      const Json result = Json::parse(measured(probe, request_for(name, mechanism["name"], 2, experiment["windows"])));
      EXPECT_GT(result["measured"]["ops"], 0) << name;
      EXPECT_EQ(open_cells, 0) << name;
    }
  EXPECT_EQ(all, "signal own-word, wakeup own-word, load own-word, load own-list, ");
}

TEST(OperationsOfAProgram, AreRefusedWithoutWhatIsNeeded) {
  expect_needed("signal", threadping_add_signal, kSignal, Pointer{"description", &threadping_signal::description},
                Pointer{"publish", &threadping_signal::publish}, Pointer{"await", &threadping_signal::await},
                Pointer{"stop", &threadping_signal::stop}, Pointer{"peek", &threadping_signal::peek});
  expect_needed("queue", threadping_add_queue, kQueue, Pointer{"description", &threadping_queue::description},
                Pointer{"open", &threadping_queue::open}, Pointer{"send", &threadping_queue::send},
                Pointer{"take", &threadping_queue::take}, Pointer{"stop", &threadping_queue::stop});
  expect_needed("barrier", threadping_add_barrier, kBarrier, Pointer{"description", &threadping_barrier::description},
                Pointer{"open", &threadping_barrier::open}, Pointer{"release", &threadping_barrier::release},
                Pointer{"await", &threadping_barrier::await}, Pointer{"arrive", &threadping_barrier::arrive},
                Pointer{"join", &threadping_barrier::join});
}

TEST(OperationsOfAProgram, AreOneCallInPlaceOfFourWhereThreadsAreTheBarriersOwn) {
  threadping_barrier brings = kBarrier;
  brings.release = nullptr;
  brings.await = nullptr;
  brings.arrive = nullptr;
  brings.join = nullptr;
  brings.call = [](void* /*barrier*/, void (*body)(void* of, std::uint32_t thread), void* of) { body(of, 0); };
  for (const threadping_barrier& barrier : {kBarrier, brings}) {
    const OwnProbe probe = probe_of();
    threadping_add_barrier(probe.get(), &barrier);
    EXPECT_NE(described(probe).find("own-barrier"), std::string::npos) << described(probe);
  }
}

TEST(OperationsOfAProgram, ThatLoseSomethingAreFoundOut) {
  loses = true;
  const std::string outcome = measured(with_both(), request_for("load", "own-list", 2));
  loses = false;
  EXPECT_EQ(outcome,
            "sequence-broken: Message 50 of producer 0 was due, but 51 came: one was lost, doubled or "
            "overtaken.");
}

TEST(OperationsOfAProgram, ThatFailEndTheTrial) {
  breaks = true;
  for (const auto& [experiment, mechanism, windows] :
       {std::tuple("signal", "own-word", "ops"), std::tuple("wakeup", "own-word", "ns"),
        std::tuple("load", "own-word", "ns"), std::tuple("load", "own-list", "ns")})
    EXPECT_EQ(measured(with_both(), request_for(experiment, mechanism, 2, windows)), "internal: It broke.")
        << experiment;
  breaks = false;
  breaks_at_a_peek = true;
  for (const auto& [experiment, windows] : {std::pair("signal", "ops"), std::pair("wakeup", "ns")})
    EXPECT_EQ(measured(with_both(), request_for(experiment, "own-word", 2, windows)), "internal: It broke.")
        << experiment;
  breaks_at_a_peek = false;
}

/// In `signal`, where the loops are; in `wakeup` and `load` its operations are measured all the same.
TEST(OperationsOfAProgram, StandBehindItsLoopsOfTheSameName) {
  std::string text = kExperiment;
  const auto changed = [&](const std::string& from, const std::string& to) {
    text.replace(text.find(from), from.size(), to);
  };
  changed(R"("count")", R"("signal")");
  changed(R"("made-up")", R"("own-word")");
  threadping_loops loops = Adding::loops;
  loops.description = text.c_str();
  const OwnProbe probe = probe_of();
  threadping_add_loops(probe.get(), &loops);
  threadping_add_signal(probe.get(), &kSignal);
  const Json experiments = Json::parse(described(probe))["experiments"];
  ASSERT_EQ(experiments.size(), 3);
  EXPECT_EQ(experiments[0]["name"], "signal");
  EXPECT_EQ(experiments[0]["mechanisms"].size(), 1);
  EXPECT_EQ(experiments[0]["mechanisms"][0]["params"], Json::parse(kExperiment)["mechanisms"][0]["params"]);
}

}  // namespace
}  // namespace threadping::tests
