#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "message/result.hpp"

namespace threadping::message {

/// What all threads together did between two looks at their counts.
struct Window {
  std::uint32_t line = 0;
  bool sampled = false;  ///< Whether some operations were timed.
  std::uint64_t ns = 0;
  std::vector<std::uint64_t> ops;  ///< Of each thread.
};

/// One trial of `lock`.
struct LockResult : Result {
  std::vector<Window> windows;
  std::uint32_t sample_every = 1;  ///< One operation in so many is timed in a sampled window.
  Distribution waits;
  bool exact = true;  ///< Whether the mechanism promises that no increment is lost.
  std::uint64_t made = 0;
  std::uint64_t found = 0;
};

/// The result message.
std::string to_json(const LockResult& result);

}  // namespace threadping::message
