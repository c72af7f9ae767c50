// The price of an experiment: toy.cpp, which starts no thread and writes no JSON.

#include "toy/toy.hpp"

#include <gtest/gtest.h>

#include <array>
#include <numeric>
#include <string>

#include "engine/trial.hpp"
#include "experiments/all.hpp"
#include "support/requests.hpp"

namespace threadping::toy {
namespace {

using contract::Unit;

class Toy : public testing::TestWithParam<Unit> {};
INSTANTIATE_TEST_SUITE_P(Led, Toy, testing::Values(Unit::ns, Unit::ops),
                         [](const auto& info) { return info.param == Unit::ns ? "FromOutside" : "ByTheFirstThread"; });

TEST_P(Toy, IsMeasuredLikeAnyOther) {
  const engine::Experiment& toy = experiment(GetParam());
  for (const engine::Mechanism& mechanism : toy.mechanisms) {
    auto request = tests::quick_request(toy, tests::pinned(2, platform::allowed_cpus()));
    request.mechanism = mechanism.name;
    request.measure_ns = 120 * tests::kMillisecond;  // forty windows of each kind: each thread gets a CPU in some
    const contract::Result result = engine::run(request, toy);
    EXPECT_EQ(result.experiment, "toy");
    EXPECT_EQ(result.mechanism, mechanism.name);
    EXPECT_EQ(result.threads[0].role, "left");
    EXPECT_EQ(result.threads[1].role, "right");

    EXPECT_FALSE(result.cut);
    for (const auto& ops : result.windows.ops)
      EXPECT_GT(std::reduce(ops.begin(), ops.end()), 0U);  // ops/s: these over the windows' ns
    const contract::Held& increments = result.counts.at("increments");
    EXPECT_EQ(increments.made, result.warmup_ops + result.measured_ops);
    EXPECT_EQ(increments.found, increments.made);
    EXPECT_FALSE(result.distributions.at("increment").counts.empty());
  }
}

TEST_P(Toy, IsDescribedInItsOwnWords) {
  const std::array<const engine::Experiment*, 1> all{&experiment(GetParam())};
  const std::string described = describe_probe(all);
  const std::string windows = GetParam() == Unit::ns ? "ns" : "ops";
  const std::string added = R"("words":{"summary":"Adds in one locked instruction.","costs":"A locked instruction."})";
  for (const std::string& words : {R"("windows":")" + windows + '"', std::string(R"("name":"locked-add")"), added})
    EXPECT_NE(described.find(words), std::string::npos) << words << " in " << described;
}

}  // namespace
}  // namespace threadping::toy
