#include "own/watching.hpp"

#include <chrono>
#include <cstdlib>
#include <exception>
#include <mutex>
#include <thread>

#include "platform/clock.hpp"
#include "platform/text_files.hpp"

namespace threadping::own {
namespace {

using namespace std::chrono_literals;

constexpr std::uint64_t kLongest_ns = 5'000'000'000;
constexpr std::uint64_t kFewOperations = 2'000;

}  // namespace

void refuse(const std::string& sentence) {
  static std::mutex first;
  first.lock();
  platform::print_error(sentence + "\n");
  std::_Exit(EXIT_FAILURE);
}

void guarded(const std::function<void()>& deed) {
  try {
    deed();
  } catch (const std::exception& error) {
    refuse(std::string("It threw an exception: ") + error.what() + ".");
  } catch (...) {
    refuse("It threw an exception.");
  }
}

void Together::run(const std::vector<Part>& parts, const std::function<std::string()>& stalled,
                   const std::function<void()>& meanwhile) {
  std::vector<std::atomic<std::uint64_t>> operations(parts.size());
  std::atomic<std::size_t> ended{0};
  std::vector<std::jthread> threads;
  threads.reserve(parts.size());
  for (std::size_t place = 0; place < parts.size(); ++place)
    threads.emplace_back([&, place] {
      guarded([&] { parts[place](operations[place]); });
      ++ended;
    });
  std::uint64_t before = 0;
  auto moved = std::chrono::steady_clock::now();
  while (ended < parts.size()) {
    guarded(meanwhile);
    std::this_thread::sleep_for(1ms);
    std::uint64_t sum = ended;
    for (const auto& one : operations) sum += one.load(std::memory_order_relaxed);
    const auto now = std::chrono::steady_clock::now();
    if (sum != before) moved = now;
    before = sum;
    if (now - moved > std::chrono::milliseconds(patience_ms)) guarded([&] { refuse(stalled()); });
  }
}

void check_ends(const std::string& wait, std::uint64_t after_ns, const std::function<void()>& stop,
                const std::function<void()>& deed) {
  const std::uint64_t began = platform::now_ns();
  std::atomic<bool> ended{false};
  Together::run(
      {[&](std::atomic<std::uint64_t>&) {
        deed();
        ended = true;
        deed();
      }},
      [&] {
        return (ended ? "A wait that began after stop() was not ended: " : "A wait was not ended by stop(): ") + wait +
               " has not returned for some seconds.";
      },
      [&] {
        if (!ended && platform::now_ns() - began > after_ns) stop();
      });
}

void NowAndThen::pause() {
  state_ = state_ * 6364136223846793005 + 1442695040888963407;
  const std::uint64_t random = state_ >> 33;
  if (random % 64 == 0) std::this_thread::sleep_for(std::chrono::microseconds(random / 64 % 100));
}

bool is_enough(std::uint64_t operations, std::uint64_t since_ns) {
  return platform::now_ns() - since_ns > (operations < kFewOperations ? kLongest_ns : Together::enough_ns);
}

}  // namespace threadping::own
