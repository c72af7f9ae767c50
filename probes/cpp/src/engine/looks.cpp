#include "engine/witness.hpp"

#include <algorithm>
#include <array>

#include "platform/clock.hpp"

namespace threadping::engine {

Witness::Witness(const contract::OutliersRequest& wanted, std::span<const int> others, bool with_trace_points)
    : wanted_(wanted), onlooker_(others, with_trace_points), longest_(wanted.most), look_ns_(measure_look()) {}

/// The median of some looks one after the other.
std::uint64_t Witness::measure_look() {
  std::array<std::uint64_t, 15> looks{};
  std::uint64_t last = onlooker_.look().at_ns;
  for (std::uint64_t& look : looks) {
    const std::uint64_t now = onlooker_.look().at_ns;
    look = now - last;
    last = now;
  }
  std::ranges::sort(looks);
  return std::max<std::uint64_t>(looks[looks.size() / 2], 1);
}

void Witness::begin(const Recorder& recorder) {
  constexpr std::uint64_t kTick = 10'000'000;
  least_ns_ = least_outlier(wanted_, recorder);
  const std::uint64_t now = platform::now_ns();
  if (now - steal_at_ns_ >= kTick) read_steal(now);
  before(now);
}

/// The longest gets what was seen: it is the likeliest cause of it. But not of one that another thread began before the
/// last look: that was not seen whole.
void Witness::after(std::span<const Timing> timings) {
  const auto longest = std::ranges::max_element(timings, {}, &Timing::ns);
  if (longest == timings.end() || !is_outlier(*longest)) return;
  const platform::Look now = onlooker_.look();
  const bool saw_it_begin = longest->from_ns >= before_.at_ns;
  const platform::Seen seen = seen_until(now);
  for (auto timing = timings.begin(); timing != timings.end(); ++timing) {
    if (!is_outlier(*timing)) continue;
    longest_.keep({.timing = *timing, .seen = timing == longest && saw_it_begin ? std::optional(seen) : std::nullopt});
  }
  set_out_from(now);
}

/// Steal time is known of the CPU on which it was read before.
platform::Seen Witness::seen_until(const platform::Look& after) {
  platform::Seen seen = onlooker_.between(before_, after);
  const platform::Steal before = steal_;
  read_steal(after.at_ns);
  if (steal_.cpu == before.cpu) seen.steal_ns = platform::difference(steal_.ns, before.ns);
  return seen;
}

void Witness::read_steal(std::uint64_t now_ns) {
  steal_ = onlooker_.steal();
  steal_at_ns_ = now_ns;
}

}  // namespace threadping::engine
