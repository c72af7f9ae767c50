#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "message/result.hpp"

namespace threadping::message {

struct PartialBlock {
  std::uint32_t line = 0;
  std::uint32_t round_trips = 0;
  std::uint64_t ns = 0;
};

/// One trial of `signal`.
struct SignalResult : Result {
  std::uint32_t block_round_trips = 1;
  std::vector<std::vector<double>> lines;  ///< For each line the mean round trip of each block, in order.
  std::optional<PartialBlock> partial;
  Distribution singles;  ///< Of round trips.
};

/// The result message.
std::string to_json(const SignalResult& result);

}  // namespace threadping::message
