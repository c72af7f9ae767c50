#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <span>
#include <vector>

#include "message/result.hpp"
#include "signal/visit.hpp"

namespace threadping::signal {

/// What ping has measured. All memory is taken and touched when it is made; adding a visit allocates nothing.
class Readings {
 public:
  Readings(std::uint32_t lines, std::uint64_t measure_ns);

  /// Whether another visit fits. The room is for visits of at least a microsecond, up to about a million of them.
  [[nodiscard]] bool has_room() const { return blocks_used_ < blocks_.size(); }

  /// How many single round trips can still be kept.
  [[nodiscard]] std::uint32_t singles_left() const {
    return static_cast<std::uint32_t>(singles_.size() - singles_used_);
  }

  /// A block of `round_trips` on `line` between two clock readings.
  void add_block(std::uint32_t line, std::uint32_t round_trips, std::uint64_t start_ns, std::uint64_t end_ns);

  /// Single round trips: the chain of stamps that begins at `start_ns`.
  void add_singles(std::uint64_t start_ns, std::span<const std::uint64_t> stamps);

  [[nodiscard]] std::vector<std::vector<double>> blocks_by_line() const;
  [[nodiscard]] std::map<std::uint64_t, std::uint64_t> singles_by_value() const;

 private:
  struct Block {
    std::uint32_t line = 0;
    double round_trip_ns = 0;
  };
  std::uint32_t lines_;
  std::vector<Block> blocks_;
  std::size_t blocks_used_ = 0;
  std::vector<std::uint64_t> singles_;
  std::size_t singles_used_ = 0;
};

}  // namespace threadping::signal
