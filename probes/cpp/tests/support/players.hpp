#pragma once

#include <algorithm>
#include <chrono>
#include <future>
#include <memory>
#include <utility>
#include <vector>

#include "support/stages.hpp"

namespace threadping::tests {

/// More operations than anybody performs.
inline constexpr std::uint64_t kForEver = std::uint64_t{1} << 60;

/// Some threads on one line, each playing a part. None outlives the test, even if the mechanism loses something.
class Players {
 public:
  explicit Players(std::unique_ptr<Acting> of_one_line) : acting(std::move(of_one_line)) {}
  Players(const Players&) = delete;
  Players& operator=(const Players&) = delete;
  ~Players() { stop(); }

  template <class Play>
  void start(Play play) {
    playing_.push_back(std::async(std::launch::async, play));
  }

  /// Whether all have ended by themselves, waiting for as long as a busy machine may need.
  bool end() { return ended_within(std::chrono::seconds(30)); }

  /// Whether all have ended because they were stopped, again and again as a watchdog does.
  bool stop() {
    for (int attempt = 0; attempt < 10'000; ++attempt) {
      acting->stage->stop(0);
      if (ended_within(std::chrono::milliseconds(1))) return true;
    }
    return false;
  }

  const std::unique_ptr<Acting> acting;

 private:
  bool ended_within(std::chrono::nanoseconds time) {
    return std::ranges::all_of(playing_, [&](auto& one) { return one.wait_for(time) == std::future_status::ready; });
  }

  std::vector<std::future<void>> playing_;  ///< Gone, and joined, before the stage is.
};

}  // namespace threadping::tests
