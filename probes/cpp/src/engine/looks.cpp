#include "engine/looks.hpp"

#include <array>
#include <set>
#include <utility>

namespace threadping::engine {

constexpr double kLooksInTheTime = 100;  // all looking together takes 1% of it
constexpr const char* kUnknownThread = "The kernel does not know virtual threads: it cannot say what happened to them.";

/// By the chance at which all looks take their share of the time, if stretches go on as so far; more often or seldomer
/// as time has earned more looks than were taken. A chance never is so small that one outlier represents all.
bool Draws::next(std::uint64_t now_ns) {
  if (now_ns < end_ns_) return false;
  const auto period = static_cast<double>(period_ns_);
  credit_ = std::min(kMostCredit, credit_ + share_ * static_cast<double>(now_ns - std::min(now_ns, at_ns_)) / period);
  const double fits = share_ * periods_ / stretches_ / (1 + after_ / drawn_);
  const double chance = std::min(1.0, fits * std::clamp(1 + credit_ / kMostCredit, 0.25, 2.0));
  ++number_;
  looks_ = 0;
  weight_ = random() < chance ? 1 / chance : 0;
  at_ns_ = now_ns;
  end_ns_ = now_ns + static_cast<std::uint64_t>(period / (1 + outliers_ / periods_ / kPerStretch));
  return true;
}

void Draws::count(std::uint64_t outliers, std::uint64_t now_ns) {
  if (counted_ != number_) {
    counted_ = number_;
    counted_ns_ = at_ns_;
    ++stretches_;
    drawn_ += weight_ > 0 ? 1 : 0;
  }
  periods_ += static_cast<double>(now_ns - std::min(now_ns, counted_ns_)) / static_cast<double>(period_ns_);
  counted_ns_ = std::max(now_ns, counted_ns_);
  outliers_ += static_cast<double>(outliers);
}

void Draws::looked(bool after, std::uint64_t ns) {
  end_ns_ += ns;
  credit_ -= 1;
  ++looks_;
  after_ += after ? 1 : 0;
}

/// SplitMix64 (Steele, Lea and Flood, OOPSLA 2014).
double Draws::random() {
  std::uint64_t mixed = state_ += 0x9e3779b97f4a7c15;
  mixed = (mixed ^ (mixed >> 30U)) * 0xbf58476d1ce4e5b9;
  mixed = (mixed ^ (mixed >> 27U)) * 0x94d049bb133111eb;
  return static_cast<double>((mixed ^ (mixed >> 31U)) >> 11U) * 0x1p-53;
}

Looks::Looks(const contract::OutliersRequest& wanted, std::unique_ptr<platform::Onlooker> onlooker,
             double threads_a_cpu, std::uint64_t seed)
    : wanted_(wanted),
      onlooker_(std::move(onlooker)),
      longest_(wanted.most),
      sample_(wanted.most),
      look_ns_(measure_look()),
      draws_(static_cast<std::uint64_t>(kLooksInTheTime) * look_ns_, 1 / threads_a_cpu, seed) {}

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

/// Whether it took no longer than usual: else something happened in it, which is no operation's. A quota stops a thread
/// when it returns from the kernel, so mostly in a look.
bool Looks::look(bool after) {
  constexpr std::uint64_t kUsual = 8;
  before_ = onlooker_->look();
  draws_.looked(after, look_ns_);
  ++looks_;
  return before_.done_ns <= before_.at_ns + kUsual * look_ns_;
}

/// And not long before, for what took so long: what else happened since the look would be held against it.
bool Looks::saw_begin(const Timing& timing) const {
  const std::uint64_t reach_ns = std::max(draws_.period_ns(), timing.ns());
  return looks_ > 0 && timing.from_ns >= before_.at_ns && timing.from_ns - before_.at_ns <= reach_ns;
}

/// The longest gets what was seen: it is the likeliest cause of it. What overlaps it was delayed by the same.
void Looks::after(std::span<const Timing> timings, bool may) {
  if (timings.empty()) return;
  const std::uint64_t now_ns = timings.back().to_ns;
  const auto longest = std::ranges::max_element(timings, {}, &Timing::ns);
  if (longest->ns() < least_ns_) return draws_.count(0, now_ns);
  const platform::Look before = before_;
  const bool saw = onlooker_ && may && draws_.may_look() && saw_begin(*longest) && look(true);
  std::uint64_t outliers = 0;
  for (const Timing& timing : timings) {
    if (timing.ns() < least_ns_) continue;
    ++outliers;
    Outlier outlier{.timing = timing,
                    .draw = onlooker_ ? std::optional(draws_.number()) : std::nullopt,
                    .weight = onlooker_ ? draws_.weight() : 1};
    const bool overlaps = timing.from_ns <= longest->to_ns && timing.to_ns >= longest->from_ns;
    if (saw && overlaps && timing.from_ns >= before.at_ns) outlier.seen = onlooker_->between(before, before_);
    longest_.keep(outlier);
    if (outlier.weight > 0) sample_.keep(outlier, draws_);
  }
  draws_.count(outliers, now_ns);
}

void Looks::forget() {
  longest_.clear();
  sample_.clear();
  looks_ = 0;
}

std::vector<Outlier> Looks::outliers() const {
  std::vector<Outlier> all(sample_.all().begin(), sample_.all().end());
  std::set<std::uint64_t> begins;
  for (Outlier& one : all) {
    one.weight *= sample_.each_for();
    begins.insert(one.timing.from_ns);
  }
  for (Outlier one : longest_.all()) {
    if (begins.contains(one.timing.from_ns)) continue;
    one.weight = 0;
    all.push_back(one);
  }
  return all;
}

contract::Evidence evidence_of(std::span<const Looker> lookers) {
  contract::Evidence evidence;
  for (const auto& [thread, timed, looks] : lookers) {
    evidence.look_ns += static_cast<double>(looks->look_ns()) / static_cast<double>(lookers.size());
    evidence.looks += looks->looks();
    for (const Outlier& one : looks->outliers())
      evidence.outliers.push_back({.of = timed,
                                   .thread = thread,
                                   .at_ns = one.timing.from_ns,
                                   .ns = one.ns(),
                                   .seen = one.seen,
                                   .draw = one.draw,
                                   .weight = one.weight});
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
