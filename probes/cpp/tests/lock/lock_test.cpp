#include "lock/lock.hpp"

#include <gtest/gtest.h>

#include "failure.hpp"
#include "support/requests.hpp"

namespace threadping::lock {
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

TEST(Lock, RunsTheMechanismThatIsNamed) {
  for (const MechanismInfo& mechanism : describe()) {
    auto request = tests::lock_request(1);
    request.mechanism = mechanism.name;
    EXPECT_EQ(run(request).mechanism, mechanism.name);
  }
}

TEST(Lock, RefusesWhatItDoesNotKnow) {
  auto request = tests::lock_request(1);
  request.mechanism = "mutexx";
  EXPECT_EQ(failure_of(request), ErrorCode::unknown_mechanism);

  request = tests::lock_request(1);
  request.params["wait"] = "spin";
  EXPECT_EQ(failure_of(request), ErrorCode::unknown_param);

  request = tests::lock_request(1);
  request.params["critical"] = std::int64_t{1'000'001};
  EXPECT_EQ(failure_of(request), ErrorCode::bad_request);

  request = tests::lock_request(2);
  request.cpus[0] = 0;
  request.pin = message::Pin::process;
  EXPECT_EQ(failure_of(request), ErrorCode::bad_request);
}

}  // namespace
}  // namespace threadping::lock
