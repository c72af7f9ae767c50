#include "platform/clock.hpp"

#include <algorithm>
#include <array>
#include <limits>
#include <vector>

namespace threadping::platform {
namespace {

constexpr int kBatches = 9;
constexpr std::size_t kReadings = 2000;

}  // namespace

std::uint64_t smallest_step(const std::map<std::uint64_t, std::size_t>& differences) {
  std::size_t all = 0;
  for (const auto& [difference, count] : differences) all += count;
  std::vector<std::uint64_t> places;  // of each run of neighbours the most frequent
  std::uint64_t last = 0;
  for (const auto& [difference, count] : differences) {
    if (count * 100 < all) continue;
    if (places.empty() || difference > last + 1)
      places.push_back(difference);
    else if (count > differences.at(places.back()))
      places.back() = difference;
    last = difference;
  }
  std::uint64_t smallest = 0;
  for (std::size_t run = 1; run < places.size(); ++run) {
    const std::uint64_t apart = places[run] - places[run - 1];
    smallest = smallest == 0 ? apart : std::min(smallest, apart);
  }
  if (smallest <= 1) return 1;
  const bool explains_all = std::ranges::all_of(differences, [&](const auto& each) {
    const std::uint64_t rest = each.first % smallest;
    return each.second * 100 < all || rest <= 1 || rest >= smallest - 1;
  });
  return explains_all ? smallest : 1;
}

ClockQuality measure_clock() {
  double best = std::numeric_limits<double>::max();
  std::map<std::uint64_t, std::size_t> differences;
  std::array<std::uint64_t, kReadings + 1> readings{};
  for (int batch = 0; batch < kBatches; ++batch) {
    for (std::uint64_t& reading : readings) reading = now_ns();
    best = std::min(best, static_cast<double>(readings.back() - readings.front()) / kReadings);
    for (std::size_t index = 0; index < kReadings; ++index) ++differences[readings[index + 1] - readings[index]];
  }
  return {.cost_ns = best, .resolution_ns = smallest_step(differences)};
}

}  // namespace threadping::platform
