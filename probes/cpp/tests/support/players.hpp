#pragma once

#include <algorithm>
#include <chrono>
#include <functional>
#include <future>
#include <memory>
#include <utility>
#include <vector>

#include "support/stages.hpp"

namespace threadping::tests {

/// More operations than anybody performs.
inline constexpr std::uint64_t kForEver = std::uint64_t{1} << 60;

/// Some threads, each playing a part. None outlives the test, even if what they play with loses something.
class Playing {
 public:
  /// `stop`: ends the waits of all of them.
  explicit Playing(std::function<void()> stop) : stop_(std::move(stop)) {}
  Playing(const Playing&) = delete;
  Playing& operator=(const Playing&) = delete;
  ~Playing() { stop(); }

  void start(const std::function<void()>& play) { playing_.push_back(std::async(std::launch::async, play)); }

  /// Whether all have ended by themselves, waiting for as long as a busy machine may need.
  bool end() { return ended_within(std::chrono::seconds(30)); }

  /// Whether all have ended because they were stopped, again and again as a watchdog does.
  bool stop() {
    for (int attempt = 0; attempt < 10'000; ++attempt) {
      stop_();
      if (ended_within(std::chrono::milliseconds(1))) return true;
    }
    return false;
  }

 private:
  bool ended_within(std::chrono::nanoseconds time) {
    return std::ranges::all_of(playing_, [&](auto& one) { return one.wait_for(time) == std::future_status::ready; });
  }

  std::function<void()> stop_;
  std::vector<std::future<void>> playing_;  ///< Gone, and joined, before what they play with is.
};

/// Those of one line of a stage.
class Players : public Playing {
 public:
  explicit Players(const std::shared_ptr<Acting>& of_one_line)
      : Playing([of_one_line] { of_one_line->stage->stop(0); }), acting(of_one_line) {}

  const std::shared_ptr<Acting> acting;
};

}  // namespace threadping::tests
