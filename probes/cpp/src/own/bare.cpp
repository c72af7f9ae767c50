#include "own/bare.hpp"

#include <algorithm>
#include <future>
#include <string>
#include <thread>

#include "own/watching.hpp"
#include "platform/clock.hpp"
#include "platform/pinning.hpp"

namespace threadping::own {
namespace {

constexpr std::uint64_t kFirst = 1'024;
constexpr std::uint64_t kSoon = 8;  ///< A loop of this part of the time shows how many fill it.
constexpr std::uint64_t kMost = std::uint64_t{1} << 36;

}  // namespace

std::uint64_t timed_together(const Standing& cpus, const std::function<void()>& first,
                             const std::function<void()>& other) {
  std::atomic<int> ready{0};
  std::uint64_t ns = 0;
  const auto together = [&](int cpu) {
    platform::pin_this_thread(cpu);
    ++ready;
    while (ready < 2) std::this_thread::yield();  // the other may have to start on this CPU
  };
  std::jthread others([&] {
    guarded([&] {
      together(cpus[1]);
      other();
    });
  });
  std::jthread firsts([&] {
    guarded([&] {
      together(cpus[0]);
      const std::uint64_t from_ns = platform::now_ns();
      first();
      ns = platform::now_ns() - from_ns;
    });
  });
  others.join();
  firsts.join();
  return ns;
}

double ns_in_bare_loop(const BareLoop& loop, const Standing& cpus, std::uint64_t target_ns) {
  const auto timed = [&] {
    platform::pin_this_thread(cpus[0]);  // what it makes is located where a trial's is
    const auto target = static_cast<double>(target_ns);
    std::uint64_t count = kFirst;
    double ns = loop(cpus, count);
    while (ns * static_cast<double>(count * kSoon) < target && count < kMost) {
      count *= 4;
      ns = loop(cpus, count);
    }
    ns = std::min(ns, loop(cpus, count));  // one that was disturbed suggests too few
    return loop(cpus, std::max(count, static_cast<std::uint64_t>(target / ns)));
  };
  return std::async(std::launch::async, timed).get();  // the caller stays where it was
}

void refuse_wrong(std::uint64_t messages) {
  if (messages > 0) refuse(std::to_string(messages) + " messages came in the hand-written baseline that were not due.");
}

}  // namespace threadping::own
