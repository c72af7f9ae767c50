#include "signal/readings.hpp"

#include <algorithm>

#include "tally.hpp"

namespace threadping::signal {
namespace {

constexpr std::size_t kMostBlocks = std::size_t{1} << 20;
constexpr std::size_t kMostSingles = std::size_t{1} << 20;
constexpr std::uint64_t kShortestVisit = 1'000;

}  // namespace

Readings::Readings(std::uint32_t lines, std::uint64_t measure_ns)
    : lines_(lines),
      blocks_(std::min(kMostBlocks, static_cast<std::size_t>(measure_ns / kShortestVisit) + 1024)),
      singles_(kMostSingles) {}

void Readings::add_block(std::uint32_t line, std::uint32_t round_trips, std::uint64_t start_ns, std::uint64_t end_ns) {
  blocks_[blocks_used_++] = {.line = line, .round_trip_ns = static_cast<double>(end_ns - start_ns) / round_trips};
}

void Readings::add_singles(std::uint64_t start_ns, std::span<const std::uint64_t> stamps) {
  for (const std::uint64_t stamp : stamps) {
    singles_[singles_used_++] = stamp - start_ns;
    start_ns = stamp;
  }
}

std::vector<std::vector<double>> Readings::blocks_by_line() const {
  std::vector<std::vector<double>> by_line(lines_);
  for (const Block& block : std::span(blocks_).first(blocks_used_)) by_line[block.line].push_back(block.round_trip_ns);
  return by_line;
}

std::map<std::uint64_t, std::uint64_t> Readings::singles_by_value() const {
  Tally tally;
  tally.add(std::span(singles_).first(singles_used_));
  return tally.by_value();
}

}  // namespace threadping::signal
