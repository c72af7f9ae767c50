// What a program with loops of its own may get wrong, and the sentence that says so.

#include "api/programs.hpp"

namespace threadping::tests {
namespace {

class AProgram : public testing::Test {
 protected:
  AProgram() { Adding::fails_in = ""; }
  static std::string outcome() {
    const OwnProbe probe = probe_of();
    threadping_add_loops(probe.get(), &Adding::loops);
    return measured(probe, request_for("count", "made-up", 1));
  }
};

TEST_F(AProgram, IsDescribedAndMeasured) {
  const OwnProbe probe = probe_of();
  threadping_add_loops(probe.get(), &Adding::loops);
  const Json description = Json::parse(described(probe));
  EXPECT_EQ(description["probe"], "test");
  EXPECT_EQ(description["toolchain"]["flags"], Json({"-x"}));
  const Json& mechanism = description["experiments"][0]["mechanisms"][0];
  EXPECT_EQ(mechanism["params"], Json::parse(kExperiment)["mechanisms"][0]["params"]);
  EXPECT_EQ(mechanism["lines"], 1);

  Json request = request_for("count", "made-up", 1);
  request["params"]["step"] = 5;
  request["measure_ns"] = 200'000'000;  // in 5 ms of a busy machine it may have no CPU while a sampling window is open
  const Json result = Json::parse(measured(probe, request));
  EXPECT_EQ(result["counts"]["additions"]["made"], Adding::added.load());
  EXPECT_FALSE(result["distributions"]["addition"]["counts"].empty());
  EXPECT_EQ(Adding::params, R"(made-up {"step":5,"way":"up"} 5 up)");
}

TEST_F(AProgram, OfAnotherVersionIsRefused) {
  const OwnProbe probe = probe_of(2);
  const std::string sentence =
      "bad-request: This program is of version 2 of threadping.h and libthreadping of version 1: compile it with the "
      "threadping.h that came with the library.";
  EXPECT_EQ(described(probe), sentence);
  EXPECT_EQ(measured(probe, request_for("count", "made-up", 1)), sentence);
}

/// Of each struct; what is right afterwards changes nothing.
TEST_F(AProgram, WhoseStructsAreOfAnotherSizeIsRefused) {
  const auto refused = [](auto add, auto given) {
    given.size = sizeof given - 8;
    const OwnProbe probe = probe_of();
    add(probe.get(), &given);
    threadping_add_loops(probe.get(), &Adding::loops);
    return described(probe);
  };
  const auto sentence = [](const std::string& name, std::size_t size) {
    return "bad-request: A struct " + name + " has " + std::to_string(size - 8) + " bytes for this program and " +
           std::to_string(size) +
           " for libthreadping: set its size, and compile with the threadping.h that came with "
           "the library.";
  };
  EXPECT_EQ(refused(threadping_add_loops, Adding::loops), sentence("threadping_loops", sizeof(threadping_loops)));
  EXPECT_EQ(refused(threadping_add_signal, threadping_signal{}),
            sentence("threadping_signal", sizeof(threadping_signal)));
  EXPECT_EQ(refused(threadping_add_queue, threadping_queue{}), sentence("threadping_queue", sizeof(threadping_queue)));
  EXPECT_EQ(refused(threadping_add_workers, threadping_workers{}),
            sentence("threadping_workers", sizeof(threadping_workers)));
  threadping_stage stage = Adding::stage;
  stage.size = 3;
  threadping_loops loops = Adding::loops;
  loops.stage = &stage;
  const OwnProbe probe = probe_of();
  threadping_add_loops(probe.get(), &loops);
  EXPECT_TRUE(described(probe).starts_with("bad-request: A struct threadping_stage has 3 bytes")) << described(probe);
}

TEST_F(AProgram, ThatLeavesOutWhatIsNeededIsRefused) {
  expect_needed("loops", threadping_add_loops, Adding::loops, Pointer{"description", &threadping_loops::description},
                Pointer{"run", &threadping_loops::run});
  const auto add = [](threadping_probe* probe, const threadping_stage* stage) {
    threadping_loops loops = Adding::loops;
    loops.stage = stage;
    threadping_add_loops(probe, &loops);
  };
  expect_needed("stage", add, Adding::stage, Pointer{"make", &threadping_stage::make},
                Pointer{"stop", &threadping_stage::stop}, Pointer{"count", &threadping_stage::count});
}

TEST_F(AProgram, ThatDescribesItselfWronglyIsCorrected) {
  const auto answer_to = [](const std::string& from, const std::string& to) {
    std::string text = kExperiment;
    if (!from.empty()) text.replace(text.find(from), from.size(), to);
    threadping_loops loops = Adding::loops;
    loops.description = text.c_str();
    const OwnProbe probe = probe_of();
    threadping_add_loops(probe.get(), &loops);
    threadping_add_loops(probe.get(), &loops);
    return described(probe);
  };
  EXPECT_EQ(answer_to("}", ""), "bad-request: The description is not JSON.");
  EXPECT_EQ(answer_to("\"name\": \"count\", ", ""), "bad-request: The description's name is missing.");
  EXPECT_EQ(answer_to("[1, 8]", "[1]"), "bad-request: The description's threads must be a list of two.");
  EXPECT_EQ(answer_to("\"ns\"", "\"hours\""), "bad-request: The description's windows must be 'ops' or 'ns'.");
  EXPECT_EQ(answer_to("\"default\": 3", "\"default\": 30"),
            "bad-request: The description's mechanisms.0.params.0.default must be a whole number from 1 to 9.");
  EXPECT_EQ(answer_to("\"default\": \"up\"", "\"default\": \"down\""),
            "bad-request: The description's mechanisms.0.params.1.choices must be texts, the default first.");
  EXPECT_EQ(answer_to("\"blocking\"", "\"mood\": 1, \"blocking\""),
            "bad-request: The description's field 'mechanisms.0.mood' is not known to schema 4.");
  EXPECT_EQ(answer_to("", ""), "bad-request: made-up of count is added twice.");
  EXPECT_EQ(described(probe_of(THREADPING_VERSION, "{}")), "bad-request: The description's toolchain is missing.");
}

TEST_F(AProgram, IsAskedForNothingThatItHasNot) {
  const OwnProbe probe = probe_of();
  threadping_add_loops(probe.get(), &Adding::loops);
  EXPECT_EQ(measured(probe, request_for("divination", "made-up", 1)),
            "unknown-experiment: No experiment 'divination' here.");
  EXPECT_EQ(measured(probe, request_for("count", "telepathy", 1)),
            "unknown-mechanism: No mechanism 'telepathy' in count here.");
  EXPECT_EQ(measured(probe, request_for("count", "made-up", 9)), "bad-request: count takes 1 to 8 threads, not 9.");
}

/// Any of them; and the trial ends.
TEST_F(AProgram, WhoseCallbackFailsIsHeard) {
  for (const char* callback : {"make", "player", "run", "count"}) {
    Adding::fails_in = callback;
    EXPECT_EQ(outcome(), "unsupported: No " + std::string(callback) + " here.");
  }
  Adding::fails_in = "loss";
  EXPECT_TRUE(outcome().starts_with("count-wrong: Of ")) << outcome();
}

/// Any thread, under any lead: nobody waits for the bound.
TEST_F(AProgram, WhoseThreadFailsInItsFirstStepsEnds) {
  for (const std::string unit : {"ns", "ops"})
    for (Adding::failing_thread = 0; Adding::failing_thread < 4; ++Adding::failing_thread) {
      Json experiment = Json::parse(kExperiment);
      experiment["windows"] = unit;
      const std::string description = experiment.dump();
      threadping_loops loops = Adding::loops;
      loops.description = description.c_str();
      const OwnProbe probe = probe_of();
      threadping_add_loops(probe.get(), &loops);
      Json request = request_for("count", "made-up", 4, unit);
      request["bound_ns"] = 7'200'000'000'000;
      Adding::fails_in = "player";
      EXPECT_EQ(measured(probe, request), "unsupported: No player here.");
    }
  Adding::failing_thread = 0;
}

/// Its threads are given up, and use what they have been given for as long as they like.
TEST_F(AProgram, WhoseStopIsNotObeyedHasStalled) {
  OwnProbe probe = probe_of();
  threadping_add_loops(probe.get(), &Adding::loops);
  Adding::runs_on = true;
  Json request = request_for("count", "made-up", 2);
  request["bound_ns"] = 50'000'000;
  const std::string outcome = measured(probe, request);
  EXPECT_TRUE(outcome.starts_with("stalled: ")) << outcome;
  Adding::fails_in = "stop";
  EXPECT_EQ(measured(probe, request), "unsupported: No stop here.");
  Adding::runs_on = false;
  static const threadping_probe* kept = nullptr;
  kept = probe.release();  // they still use it
  EXPECT_NE(kept, nullptr);
}

TEST_F(AProgram, WhoseSentenceIsTooLongIsHeardInPart) {
  threadping_failure why{.size = sizeof why, .code = THREADPING_OK, .sentence = {}};
  threadping_fail(&why, THREADPING_STALLED, std::string(1000, 'x').c_str());
  EXPECT_EQ(std::string(why.sentence), std::string(511, 'x'));
  EXPECT_EQ(why.code, THREADPING_STALLED);
}

}  // namespace
}  // namespace threadping::tests
