#include "engine/looks.hpp"

#include <array>
#include <utility>

namespace threadping::engine {

constexpr double kLooksInTheTime = 100;  // all looking together takes 1% of it
constexpr const char* kUnknownThread = "The kernel does not know virtual threads: it cannot say what happened to them.";

Looks::Looks(const contract::OutliersRequest& wanted, std::unique_ptr<platform::Onlooker> onlooker,
             double threads_a_cpu)
    : wanted_(wanted),
      onlooker_(std::move(onlooker)),
      longest_(wanted.most),
      look_ns_(measure_look()),
      budget_(static_cast<std::uint64_t>(kLooksInTheTime * static_cast<double>(look_ns_) * threads_a_cpu)) {}

/// The median of some looks one after the other.
std::uint64_t Looks::measure_look() {
  if (!onlooker_) return 0;
  std::array<std::uint64_t, 15> looks{};
  std::uint64_t last = onlooker_->look().at_ns;
  for (std::uint64_t& look : looks) {
    const std::uint64_t now = onlooker_->look().at_ns;
    look = now - last;
    last = now;
  }
  std::ranges::sort(looks);
  return std::max<std::uint64_t>(looks[looks.size() / 2], 1);
}

void Looks::look() {
  before_ = onlooker_->look();
  budget_.spend();
  ++looks_;
}

/// And not long before: what else happened since the look would be held against it.
bool Looks::saw_begin(const Timing& timing) const {
  return looks_ > 0 && timing.from_ns >= before_.at_ns && timing.from_ns - before_.at_ns <= budget_.period_ns();
}

/// The longest gets what was seen: it is the likeliest cause of it.
void Looks::after(std::span<const Timing> timings, std::uint64_t now_ns, bool may) {
  const auto longest = std::ranges::max_element(timings, {}, &Timing::ns);
  if (longest == timings.end() || longest->ns() < least_ns_) return;
  std::optional<platform::Seen> seen;
  if (may && longest_.wants(longest->ns()) && saw_begin(*longest) && budget_.has(1, now_ns)) {
    const platform::Look before = before_;
    look();
    seen = onlooker_->between(before, before_);
  }
  for (const Timing& timing : timings)
    if (timing.ns() >= least_ns_) longest_.keep({.timing = timing, .seen = &timing == &*longest ? seen : std::nullopt});
}

void Looks::forget() {
  longest_.clear();
  looks_ = 0;
}

contract::Evidence evidence_of(std::span<const Looker> lookers) {
  contract::Evidence evidence;
  for (const auto& [thread, timed, looks] : lookers) {
    evidence.look_ns += static_cast<double>(looks->look_ns()) / static_cast<double>(lookers.size());
    evidence.looks += looks->looks();
    for (const auto& [timing, seen] : looks->outliers())
      evidence.outliers.push_back(
          {.of = timed, .thread = thread, .at_ns = timing.from_ns, .ns = timing.ns(), .seen = seen});
    const platform::Onlooker* onlooker = looks->onlooker();
    if (onlooker != nullptr) evidence.interrupts = onlooker->interrupts();
    for (const std::string& sentence :
         onlooker != nullptr ? onlooker->lacking() : std::vector<std::string>{kUnknownThread})
      if (std::ranges::find(evidence.lacking, sentence) == evidence.lacking.end()) evidence.lacking.push_back(sentence);
  }
  std::ranges::sort(evidence.outliers, {}, &contract::Outlier::at_ns);
  return evidence;
}

}  // namespace threadping::engine
