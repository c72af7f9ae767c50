// What a program hands to threadping_checks.h, which ends the process where something is missing.

#include <gtest/gtest.h>

#include <string>

#include "threadping_checks.h"

namespace threadping::own {
namespace {

constexpr threadping_checked_signal kCheckedSignal{
    .size = sizeof(threadping_checked_signal),
    .awaiting = "await",
    .make = []() -> void* { return nullptr; },
    .free = [](void* /*signal*/) {},
    .publish = [](void* /*signal*/, std::uint64_t /*number*/) {},
    .await = [](void* /*signal*/, std::uint64_t number) { return number; },
    .stop = [](void* /*signal*/) {},
    .peek = [](const void* /*signal*/) { return std::uint64_t{0}; }};

constexpr threadping_checked_lock kCheckedLock{
    .size = sizeof(threadping_checked_lock),
    .make = []() -> void* { return nullptr; },
    .free = [](void* /*lock*/) {},
    .hold = [](void* /*lock*/, void (*critical)(void* of), void* of) { critical(of); }};

constexpr threadping_checked_queue kCheckedQueue{
    .size = sizeof(threadping_checked_queue),
    .sending = "send",
    .taking = "take",
    .unbounded = "say so",
    .many_producers = 0,
    .bounded = 1,
    .make = [](std::size_t /*messages*/, std::size_t /*producers*/) -> void* { return nullptr; },
    .free = [](void* /*queue*/) {},
    .send = [](void* /*queue*/, const std::uint64_t* /*letter*/) { return 1; },
    .take = [](void* /*queue*/, std::uint64_t* /*letter*/) { return 1; },
    .stop = [](void* /*queue*/) {},
    .fill = nullptr};

// NOLINTBEGIN(cppcoreguidelines-avoid-goto): GoogleTest's
template <class Struct, class Member>
void expect_needed(void (*check)(const Struct*), Struct given, const char* name, Member Struct::* member) {
  given.*member = nullptr;
  EXPECT_EXIT(check(&given), testing::ExitedWithCode(1),
              std::string("^It has no ") + name + ": threadping_checks\\.h says what may be null\\.");
}

template <class Struct>
void expect_sized(void (*check)(const Struct*), Struct given) {
  const char* other = "^It was compiled with a threadping_checks\\.h of another libthreadping\\.";
  given.size -= 1;
  EXPECT_EXIT(check(&given), testing::ExitedWithCode(1), other);
  EXPECT_EXIT(check(nullptr), testing::ExitedWithCode(1), other);
}

TEST(Checks, RefuseASignalWithoutWhatIsNeeded) {
  const auto missing = [](const char* name, auto member) {
    expect_needed(threadping_check_signal, kCheckedSignal, name, member);
  };
  missing("awaiting", &threadping_checked_signal::awaiting);
  missing("make", &threadping_checked_signal::make);
  missing("free", &threadping_checked_signal::free);
  missing("publish", &threadping_checked_signal::publish);
  missing("await", &threadping_checked_signal::await);
  missing("stop", &threadping_checked_signal::stop);
  missing("peek", &threadping_checked_signal::peek);
}

TEST(Checks, RefuseALockWithoutWhatIsNeeded) {
  const auto missing = [](const char* name, auto member) {
    expect_needed(threadping_check_lock, kCheckedLock, name, member);
  };
  missing("make", &threadping_checked_lock::make);
  missing("free", &threadping_checked_lock::free);
  missing("hold", &threadping_checked_lock::hold);
}

TEST(Checks, RefuseAQueueWithoutWhatIsNeeded) {
  const auto missing = [](const char* name, auto member) {
    expect_needed(threadping_check_queue, kCheckedQueue, name, member);
  };
  missing("sending", &threadping_checked_queue::sending);
  missing("taking", &threadping_checked_queue::taking);
  missing("unbounded", &threadping_checked_queue::unbounded);
  missing("make", &threadping_checked_queue::make);
  missing("free", &threadping_checked_queue::free);
  missing("send", &threadping_checked_queue::send);
  missing("take", &threadping_checked_queue::take);
  missing("stop", &threadping_checked_queue::stop);
}

TEST(Checks, RefuseStructsOfAnotherSize) {
  expect_sized(threadping_check_signal, kCheckedSignal);
  expect_sized(threadping_check_lock, kCheckedLock);
  expect_sized(threadping_check_queue, kCheckedQueue);
}
// NOLINTEND(cppcoreguidelines-avoid-goto)

}  // namespace
}  // namespace threadping::own
