#include "signal/signal.hpp"

#include <gtest/gtest.h>

#include <string>

#include "failure.hpp"
#include "support/requests.hpp"

namespace threadping::signal {
namespace {

ErrorCode failure_of(const message::Request& request) {
  try {
    run(request);
  } catch (const Failure& failure) {
    return failure.code();
  }
  ADD_FAILURE() << "accepted";
  return ErrorCode::internal;
}

TEST(Signal, RunsTheMechanismThatIsNamed) {
  for (const MechanismInfo& mechanism : describe()) {
    auto request = tests::quick_request(std::nullopt, std::nullopt);
    request.mechanism = mechanism.name;
    EXPECT_EQ(run(request).mechanism, mechanism.name);
  }
}

TEST(Signal, RefusesWhatItDoesNotKnow) {
  auto request = tests::quick_request(std::nullopt, std::nullopt);
  request.mechanism = "cas-one-lin";
  EXPECT_EQ(failure_of(request), ErrorCode::unknown_mechanism);

  request = tests::quick_request(std::nullopt, std::nullopt);
  request.params["strength"] = "great";
  EXPECT_EQ(failure_of(request), ErrorCode::unknown_param);

  request = tests::quick_request(std::nullopt, std::nullopt);
  request.params["wait"] = "snooze";
  EXPECT_EQ(failure_of(request), ErrorCode::bad_request);

  request = tests::quick_request(std::nullopt, std::nullopt);
  request.cpus.emplace_back(std::nullopt);
  EXPECT_EQ(failure_of(request), ErrorCode::bad_request);

  request = tests::quick_request(platform::allowed_cpus().front(), std::nullopt);
  request.pin = message::Pin::process;
  EXPECT_EQ(failure_of(request), ErrorCode::bad_request);
}

}  // namespace
}  // namespace threadping::signal
