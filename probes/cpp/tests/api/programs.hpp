#pragma once

#include <gtest/gtest.h>

#include <atomic>
#include <cstdint>
#include <cstdlib>
#include <memory>
#include <nlohmann/json.hpp>
#include <string>
#include <string_view>

#include "failure.hpp"
#include "support/files.hpp"
#include "threadping.h"

/// Programs that use threadping.h, as C would, and what a trial of them comes to.
namespace threadping::tests {

inline constexpr const char* kIdentity =
    R"({"probe": "test", "version": "7", "toolchain": {"name": "none", "version": "1", "flags": ["-x"]}})";

/// An experiment of one role, whose windows are in ns, with one mechanism, "made-up".
inline constexpr const char* kExperiment = R"({"name": "count", "roles": [{"name": "adder", "counts": true}],
  "threads": [1, 8], "windows": "ns", "mechanisms": [{"name": "made-up", "blocking": false, "timed": ["addition"],
  "params": [{"name": "step", "default": 3, "choices": null, "needs": [], "range": [1, 9], "only_with": null},
             {"name": "way", "default": "up", "choices": ["up", "down"], "needs": [["east", "a compass"]],
              "range": null, "only_with": null}]}]})";

using Json = nlohmann::ordered_json;
using OwnProbe = std::unique_ptr<threadping_probe, decltype(&threadping_probe_free)>;

inline OwnProbe probe_of(std::uint32_t version = THREADPING_VERSION, const char* identity = kIdentity) {
  return {threadping_probe_new(version, identity), threadping_probe_free};
}

/// A brief trial with this number of threads, unpinned.
inline Json request_for(const std::string& experiment, const std::string& mechanism, std::size_t threads,
                        const std::string& unit = "ns") {
  Json request = Json::parse(read_file(example("good/request-unpinned.json")));
  request["experiment"] = experiment;
  request["mechanism"] = mechanism;
  request["params"] = Json::object();
  request["threads"] = std::vector<Json>(threads, {{"cpu", nullptr}});
  request["lines"] = 1;
  request["warmup"] = {{"rounds", 1},          {"ops", 20},         {"steady", nullptr},
                       {"limit_ns", 50000000}, {"look_ns", 100000}, {"uninterrupted", false}};
  request["windows"] = {{"unit", unit}, {"throughput", 1000000}, {"sampling", 1000000},
                        {"visits", 2},  {"chunk_ns", 20000},     {"clock_share", 0.5}};
  if (unit == "ops") request["windows"]["throughput"] = request["windows"]["sampling"] = 50;
  request["measure_ns"] = 5'000'000;
  request["bound_ns"] = 20'000'000'000;
  request["patience_ns"] = 100'000'000;
  return request;
}

/// What a call gives; of one that failed "code: sentence".
template <class Call>
std::string said(Call call) {
  threadping_failure why{.size = sizeof why, .code = THREADPING_OK, .sentence = {}};
  const std::unique_ptr<char, decltype(&free)> text(call(&why), free);
  if (text != nullptr) return text.get();
  return std::string(name_of(static_cast<ErrorCode>(why.code - 1))) + ": " + why.sentence;
}
inline std::string described(const OwnProbe& probe) {
  return said([&](threadping_failure* why) { return threadping_describe(probe.get(), why); });
}
inline std::string measured(const OwnProbe& probe, const Json& request) {
  return said([&](threadping_failure* why) { return threadping_run(probe.get(), request.dump().c_str(), why); });
}

template <class Struct, class Type>
struct Pointer {
  const char* name;
  Type Struct::* at;
};

/// That a struct without any one of these is refused by its name.
template <class Add, class Struct, class... Types>
void expect_needed(const std::string& name, Add add, const Struct& whole, Pointer<Struct, Types>... pointers) {
  const auto expect = [&](auto pointer) {
    Struct given = whole;
    given.*pointer.at = nullptr;
    const OwnProbe probe = probe_of();
    add(probe.get(), &given);
    EXPECT_EQ(described(probe), "bad-request: A struct threadping_" + name + " has no " + pointer.name +
                                    ": threadping.h says what may be null.");
  };
  (expect(pointers), ...);
}

/// Counts for each thread; a test has it fail.
struct Adding {
  inline static std::atomic<std::uint64_t> added{0};
  inline static std::atomic<const char*> fails_in = "";  ///< The callback that fails.
  inline static std::uint32_t failing_thread = 0;        ///< Which has no player then.
  inline static std::atomic<bool> runs_on{false};
  inline static std::string params;

  static bool fails(std::string_view callback, threadping_failure* why) {
    if (callback != fails_in.load()) return false;
    threadping_fail(why, THREADPING_UNSUPPORTED, ("No " + std::string(callback) + " here.").c_str());
    threadping_fail(why, THREADPING_INTERNAL, "This is not heard any more.");
    return true;
  }

  static void* make(void* /*context*/, const threadping_setup* setup, threadping_failure* why) {
    if (fails("make", why)) return nullptr;
    added = 0;
    params = std::string(setup->mechanism) + " " + setup->params + " " +
             std::to_string(threadping_param_number(setup, "step")) + " " + threadping_param_text(setup, "way");
    return &added;
  }
  static void stop(void* /*stage*/, std::uint32_t /*line*/, threadping_failure* why) { fails("stop", why); }
  static std::uint64_t progress(void* /*stage*/, std::uint32_t /*line*/, threadping_failure* why) {
    fails("progress", why);
    return 0;
  }
  static void count(void* /*stage*/, const std::uint64_t* ops, threadping_counts* counts, threadping_failure* why) {
    threadping_failure unheard{.size = sizeof unheard, .code = THREADPING_OK, .sentence = {}};
    if (!fails("count", why))
      threadping_count(counts, "additions", ops[0], fails("loss", &unheard) ? 1 : added.load(), 1);
  }
  static void* player(void* stage, std::uint32_t thread, threadping_failure* why) {
    return thread == failing_thread && fails("player", why) ? nullptr : stage;
  }
  static std::uint64_t run(void* /*player*/, const threadping_task* task, threadping_samples* samples,
                           threadping_failure* why) {
    if (fails("run", why)) return 0;
    while (runs_on) continue;
    const std::uint64_t from_ns = threadping_now_ns();
    added += task->count;
    if (task->every > 0) threadping_add(samples, from_ns, threadping_now_ns());
    threadping_read_clock(samples, 2);
    return task->count;
  }

  inline static threadping_stage stage{.size = sizeof(threadping_stage),
                                       .context = nullptr,
                                       .make = make,
                                       .free = nullptr,
                                       .role_of = nullptr,
                                       .compares_clocks = nullptr,
                                       .stop = stop,
                                       .progress = progress,
                                       .count = count,
                                       .memory = nullptr};
  inline static threadping_loops loops{.size = sizeof(threadping_loops),
                                       .description = kExperiment,
                                       .stage = &stage,
                                       .player = player,
                                       .free_player = nullptr,
                                       .run = run,
                                       .leave = nullptr};
};

}  // namespace threadping::tests
