// Every parameter of every mechanism, at its ends and beyond them.

#include <gtest/gtest.h>

#include <set>

#include "engine/trial.hpp"
#include "experiments/all.hpp"
#include "support/failures.hpp"
#include "support/requests.hpp"

namespace threadping {
namespace {

using Given = std::map<std::string, contract::Param>;

/// This value, and that of the other parameter with which it goes.
Given with_partner(const engine::ParamInfo& param, const contract::Param& value) {
  Given given{{std::string(param.name), value}};
  const auto& [partner, wanted] = param.only_with;
  if (!partner.empty()) given[std::string(partner)] = std::string(wanted);
  return given;
}

/// 0.1 s is too long for trials of milliseconds; the tests of wakeup have shorter ones. Nor may messages
/// be so far apart: their rate is the highest.
bool is_a_pause(const engine::ParamInfo& param) { return param.name.ends_with("pause") || param.name == "rate"; }

/// Each number at one of its ends, and with it those that depend on nothing.
std::set<Given> at_an_end(const engine::Mechanism& mechanism, std::int64_t engine::ParamInfo::* end) {
  Given free;
  for (const engine::ParamInfo& param : mechanism.params)
    if (param.name == "rate")
      free["rate"] = param.most;
    else if (param.choices.empty() && param.only_with.param.empty() && !is_a_pause(param))
      free[std::string(param.name)] = param.*end;
  std::set<Given> all;
  for (const engine::ParamInfo& param : mechanism.params) {
    if (!param.choices.empty() || is_a_pause(param)) continue;
    Given given = with_partner(param, param.*end);
    given.insert(free.begin(), free.end());
    all.insert(given);
  }
  return all;
}

/// Of mechanisms with the same parameters one is asked. Those of queue and barrier depend on each other and on the
/// threads: ring/conformance_test.cpp, barrier/conformance_test.cpp.
TEST(EveryNumber, IsMeasuredWithAtItsEnds) {
  for (const engine::Experiment* experiment : experiments()) {
    if (experiment->name == "queue" || experiment->name == "barrier") continue;
    std::set<std::vector<std::string_view>> asked;
    for (const engine::Mechanism& mechanism : experiment->mechanisms) {
      std::vector<std::string_view> names;
      for (const engine::ParamInfo& param : mechanism.params) names.push_back(param.name);
      if (!asked.insert(names).second) continue;
      for (const auto end : {&engine::ParamInfo::least, &engine::ParamInfo::most}) {
        for (const Given& given : at_an_end(mechanism, end)) {
          SCOPED_TRACE(std::string(mechanism.name) + " with " + given.begin()->first);
          auto request = tests::quick_request(*experiment, tests::unpinned(2));
          request.mechanism = mechanism.name;
          request.params = given;
          request.lines = 1;
          request.warmup = tests::no_warmup();
          request.measure_ns = tests::kMillisecond;
          const contract::Result result = engine::run(request, *experiment);
          EXPECT_FALSE(result.cut);
          EXPECT_GT(result.measured_ops, 0U);
        }
      }
    }
  }
}

/// Values that this parameter may not have.
std::vector<contract::Param> impossible(const engine::ParamInfo& param) {
  if (!param.choices.empty()) return {"telepathy", std::int64_t{3}};
  return {param.least - 1, param.most + 1, "many"};
}

TEST(EveryParameter, IsRefusedBeyondWhatItMayBe) {
  for (const engine::Experiment* experiment : experiments())
    for (const engine::Mechanism& mechanism : experiment->mechanisms)
      for (const engine::ParamInfo& param : mechanism.params)
        for (const contract::Param& value : impossible(param))
          EXPECT_EQ(tests::code_of([&] {
                      const engine::Params params(mechanism.name, mechanism.params, with_partner(param, value));
                    }),
                    "bad-request")
              << mechanism.name << " with " << param.name;
}

}  // namespace
}  // namespace threadping
