// The cost of recording a duration, in addition to its two clock reads; Recording.java measures the same.

#include <algorithm>
#include <cstdint>
#include <cstdio>
#include <vector>

#include "engine/histogram.hpp"
#include "platform/clock.hpp"

namespace {

using threadping::platform::now_ns;

constexpr int kBatches = 21;
constexpr std::uint64_t kDurations = 1'000'000;

/// Nanoseconds for each of many durations, what is done with them included.
template <class Take>
double cost_of(Take take) {
  const std::uint64_t start = now_ns();
  for (std::uint64_t each = 0; each < kDurations; ++each) {
    const std::uint64_t began = now_ns();
    take(now_ns() - began);
  }
  return static_cast<double>(now_ns() - start) / kDurations;
}

double median(std::vector<double> values) {
  std::ranges::sort(values);
  return values[values.size() / 2];
}

}  // namespace

int main() {
  threadping::engine::Histogram recorder;
  std::uint64_t sum = 0;
  std::vector<double> clock;
  std::vector<double> recorded;
  for (int batch = 0; batch < kBatches; ++batch) {  // alternating, so that drift falls on both
    clock.push_back(cost_of([&](std::uint64_t ns) { sum += ns; }));
    recorded.push_back(cost_of([&](std::uint64_t ns) { recorder.record(ns); }));
  }
  threadping::contract::Distribution all;
  recorder.add_to(all);
  std::uint64_t kept = 0;
  for (const auto& [value, count] : all.counts) kept += count;
  if (kept != kBatches * kDurations || sum == 0) return 1;
  std::printf("cpp      two readings %5.1f ns, recorded %5.1f ns: %4.1f ns for recording\n", median(clock),
              median(recorded), median(recorded) - median(clock));
  return 0;
}
