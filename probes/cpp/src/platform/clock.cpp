#include "platform/clock.hpp"

#include <algorithm>
#include <array>
#include <limits>
#include <map>

namespace threadping::platform {
namespace {

constexpr int kBatches = 9;
constexpr std::size_t kReadings = 2000;

/// Conversion from ticks rounds to whole nanoseconds, so that steps of 10 ns show as 9, 10 and 11: a gap of one
/// nanosecond says nothing, a larger one between values that are common is a step.
std::uint64_t smallest_gap(const std::map<std::uint64_t, std::size_t>& differences) {
  constexpr std::size_t kCommon = kBatches * kReadings / 100;
  std::uint64_t smallest = std::numeric_limits<std::uint64_t>::max();
  std::uint64_t last = std::numeric_limits<std::uint64_t>::max();
  for (const auto& [difference, count] : differences) {
    if (count < kCommon) continue;
    if (difference > last + 1) smallest = std::min(smallest, difference - last);
    last = difference;
  }
  return smallest == std::numeric_limits<std::uint64_t>::max() ? 1 : smallest;
}

}  // namespace

ClockQuality measure_clock() {
  double best = std::numeric_limits<double>::max();
  std::map<std::uint64_t, std::size_t> differences;
  std::array<std::uint64_t, kReadings + 1> readings{};
  for (int batch = 0; batch < kBatches; ++batch) {
    for (std::uint64_t& reading : readings) reading = now_ns();
    best = std::min(best, static_cast<double>(readings.back() - readings.front()) / kReadings);
    for (std::size_t index = 0; index < kReadings; ++index) ++differences[readings[index + 1] - readings[index]];
  }
  return {.cost_ns = best, .resolution_ns = smallest_gap(differences)};
}

}  // namespace threadping::platform
