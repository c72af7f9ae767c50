// A runtime whose workers poll words in shared memory: here threads of C++, which know nothing else of the engine.

#include <map>
#include <thread>

#include "api/programs.hpp"

namespace threadping::tests {
namespace {

/// What all of a trial's workers do, and how many of them may start.
struct Runtime {
  std::size_t allowed = SIZE_MAX;
  threadping_code refusal = THREADPING_NO_THREAD;
  std::string fails_in = {};  // NOLINT(readability-redundant-member-init): GCC warns of fields that are left out
  std::atomic<std::uint64_t> added = 0;
  std::map<std::uint32_t, std::thread> threads = {};  // NOLINT(readability-redundant-member-init)
};
Runtime* runtime = nullptr;

std::uint64_t load(const std::uint64_t* word) { return __atomic_load_n(word, __ATOMIC_ACQUIRE); }
// NOLINTNEXTLINE(readability-non-const-parameter): it is stored to
void store(std::uint64_t* word, std::uint64_t value) { __atomic_store_n(word, value, __ATOMIC_RELEASE); }

/// Adds so often, and times one operation where it is asked to.
void add(threadping_worker* words, std::uint64_t count, bool timed) {
  const std::uint64_t from_ns = threadping_now_ns();
  runtime->added += count;
  store(words->operations, *words->operations + count);
  if (timed) words->timings[0] = {from_ns, threadping_now_ns()};
  threadping_take(words, timed ? 1 : 0, 0, 1);
}

void visit(threadping_worker* words) {
  add(words, words->lead_in, false);
  const std::uint64_t opened_ns = threadping_now_ns();
  add(words, words->throughput, false);
  const std::uint64_t closed_ns = threadping_now_ns();
  words->throughput_ns = closed_ns - opened_ns;
  words->throughput_done = words->throughput;
  add(words, words->sampling, true);
  words->sampling_ns = threadping_now_ns() - closed_ns;
  words->sampling_done = words->sampling;
}

void obey(threadping_worker* words) {
  for (std::uint64_t number = 0;;) {
    while (load(words->order) == number) threadping_await_order(words, number);
    number = load(words->order);
    threadping_take_up(words, number);
    if (words->leave != 0) return;
    if (words->count > 0) add(words, words->count, false);
    store(words->finished, number);
    while (words->chunk > 0 && load(words->order) == number) {
      threadping_look_before(words);
      add(words, words->chunk, words->every > 0);
    }
  }
}

void live(threadping_worker* words) {
  const bool set_up = threadping_set_up(words) == 0 && runtime->fails_in != "set_up";
  if (!set_up) threadping_worker_failed(words, THREADPING_UNSUPPORTED, "It has no legs.");
  if (words->leads != 0) threadping_lead(words);
  if (words->leads != 0 && words->apart != 0) {
    for (std::uint64_t number = 0;;) {
      while (load(words->asked) == number) std::this_thread::yield();
      number = load(words->asked);
      if (threadping_take_visit(words) == 0) break;
      visit(words);
      threadping_visited(words);
    }
  } else if (set_up && words->leads == 0) {
    obey(words);
  }
  threadping_end(words);
}

constexpr threadping_stage kStage{
    .size = sizeof(threadping_stage),
    .context = nullptr,
    .make = [](void* /*context*/, const threadping_setup* /*setup*/, threadping_failure* /*why*/) -> void* {
      return runtime;
    },
    .free = nullptr,
    .role_of = nullptr,
    .compares_clocks = nullptr,
    .stop = [](void* /*stage*/, std::uint32_t /*line*/, threadping_failure* /*why*/) {},
    .progress = nullptr,
    .count =
        [](void* /*stage*/, const std::uint64_t* ops, threadping_counts* counts, threadping_failure* /*why*/) {
          threadping_count(counts, "additions", ops[0] + ops[1], runtime->added, 1);
        },
    .memory = nullptr};

/// The same experiment as the loops', and one whose windows are visits; threads of a mechanism "apart" are led by
/// another.
std::string experiment_in(const std::string& unit, bool apart) {
  Json experiment = Json::parse(kExperiment);
  experiment["windows"] = unit;
  experiment["mechanisms"][0]["pinnable"] = !apart;
  return experiment.dump();
}

threadping_workers workers_of(const std::string& description) {
  return {.size = sizeof(threadping_workers),
          .description = description.c_str(),
          .stage = &kStage,
          .start =
              [](void* /*stage*/, threadping_worker* words, threadping_failure* why) {
                if (runtime->threads.size() == runtime->allowed)
                  threadping_fail(why, runtime->refusal, "No space.");
                else
                  runtime->threads[static_cast<std::uint32_t>(words->thread)] = std::thread(live, words);
              },
          .join = [](void* /*stage*/, std::uint32_t thread) { runtime->threads.at(thread).join(); },
          .visit = [](void* /*stage*/, threadping_worker* words) { visit(words); },
          .carriers = "no-such-thread",
          .clock = "an hourglass",
          .clock_ns = [](void* /*stage*/, threadping_failure* /*why*/) { return 4.5; },
          .upkeep =
              [](void* /*stage*/, threadping_failure* why) {
                if (runtime->fails_in == "upkeep") threadping_fail(why, THREADPING_INTERNAL, "It does not say.");
                return threadping_upkeep{.compile_ms = 1, .collections = 2};
              },
          .pauses =
              [](void* /*stage*/, threadping_pauses* pauses, threadping_failure* /*why*/) {
                threadping_pause(pauses, 3, 4, "tea");
                return 1;
              },
          .compilers = "no such thread,tp compiler"};
}

std::string outcome_of(Runtime& own, const std::string& unit, bool apart, std::uint64_t measure_ns = 5'000'000) {
  runtime = &own;
  const std::string description = experiment_in(unit, apart);
  const threadping_workers workers = workers_of(description);
  const OwnProbe probe = probe_of();
  threadping_add_workers(probe.get(), &workers);
  Json request = request_for("count", "made-up", 2, unit);
  request["patience_ns"] = 10'000'000'000;
  request["measure_ns"] = measure_ns;
  return measured(probe, request);
}

TEST(WorkersOfARuntime, AreRefusedWithoutWhatIsNeeded) {
  expect_needed("workers", threadping_add_workers, workers_of(kExperiment),
                Pointer{"start", &threadping_workers::start}, Pointer{"join", &threadping_workers::join},
                Pointer{"visit", &threadping_workers::visit}, Pointer{"clock", &threadping_workers::clock},
                Pointer{"clock_ns", &threadping_workers::clock_ns}, Pointer{"upkeep", &threadping_workers::upkeep},
                Pointer{"pauses", &threadping_workers::pauses});
}

TEST(WorkersOfARuntime, SleepForItsCompilersWhereTheirThreadsAreKnown) {
  const auto rested = [] {
    Runtime own;
    return Json::parse(outcome_of(own, "ns", false))["managed"]["rested_ns"];
  };
  EXPECT_TRUE(rested().is_null());
  std::atomic<bool> named = false;
  std::atomic<bool> ends = false;
  std::thread compiler([&] {
    pthread_setname_np(pthread_self(), "tp compiler 1");
    named = true;
    ends.wait(false);
  });
  while (!named) std::this_thread::yield();
  EXPECT_TRUE(rested().is_number());
  ends = true;
  ends.notify_all();
  compiler.join();
}

/// Under any lead. Where other programs have the CPUs it takes longer until something is timed.
TEST(WorkersOfARuntime, AreMeasured) {
  for (const bool apart : {false, true})
    for (const std::string unit : {"ns", "ops"}) {
      Json result;
      for (std::uint64_t ms = 5; ms < 5000 && (result.empty() || result["distributions"]["addition"]["counts"].empty());
           ms *= 4) {
        Runtime own;
        const std::string outcome = outcome_of(own, unit, apart, ms * 1'000'000);
        result = Json::parse(outcome, nullptr, false);
        ASSERT_FALSE(result.is_discarded()) << outcome;
      }
      EXPECT_FALSE(result["distributions"]["addition"]["counts"].empty());
      EXPECT_GT(result["measured"]["ops"], 0);
      EXPECT_EQ(result["clock"]["name"], "an hourglass");
      EXPECT_EQ(result["managed"]["pauses"].dump(), R"([{"at_ns":3,"ns":4,"name":"tea"}])");
    }
}

/// Any thread that the system refuses, and whatever else keeps it from starting.
TEST(WorkersOfARuntime, ThatCouldNotAllBeStartedEndAndSaySo) {
  for (const bool apart : {false, true})
    for (const std::string unit : {"ns", "ops"})
      for (std::size_t allowed = 0; allowed < 2; ++allowed) {
        const std::string too_few = "unsupported: Only " + std::to_string(allowed) + " of 2 threads could be started";
        Runtime refused{.allowed = allowed};
        const std::string outcome = outcome_of(refused, unit, apart);
        EXPECT_TRUE(outcome.starts_with(too_few + " (Resource temporarily unavailable)")) << outcome;
        Runtime full{.allowed = allowed, .refusal = THREADPING_UNSUPPORTED};
        EXPECT_EQ(outcome_of(full, unit, apart), too_few + ". No space.");
      }
}

TEST(WorkersOfARuntime, ThatFailEndTheTrial) {
  for (const bool apart : {false, true})
    for (const std::string unit : {"ns", "ops"}) {
      Runtime own{.fails_in = "set_up"};
      EXPECT_EQ(outcome_of(own, unit, apart), "unsupported: It has no legs.");
      Runtime silent{.fails_in = "upkeep"};
      EXPECT_EQ(outcome_of(silent, unit, apart), "internal: It does not say.");
    }
}

}  // namespace
}  // namespace threadping::tests
