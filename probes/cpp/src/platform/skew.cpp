#include "platform/skew.hpp"

#include <algorithm>
#include <atomic>
#include <limits>
#include <system_error>
#include <thread>

#include "failure.hpp"
#include "platform/lines.hpp"
#include "platform/pause.hpp"
#include "platform/pinning.hpp"

namespace threadping::platform {
namespace {

constexpr std::uint64_t kTime = 3'000'000;

/// The other may have to wait for its CPU before it answers.
constexpr std::uint64_t kPatience = 100'000'000;

/// What the two exchange: a question, the answer to it, or the end. An answer only replaces the
/// question, so that the end stays.
class Word {
 public:
  Word() = default;

  /// The other's reading; nullopt where it did not come in time.
  std::optional<std::uint64_t> ask(std::uint64_t until_ns) {
    word_.store(kQuestion, std::memory_order_release);
    for (std::uint32_t looks = 1;; ++looks) {
      const std::uint64_t word = word_.load(std::memory_order_acquire);
      if (word != kQuestion) return word;
      if (looks % kLooks == 0 && now_ns() >= until_ns) return std::nullopt;
    }
  }

  void end() { word_.store(kEnd, std::memory_order_release); }

  /// Answers whatever is asked until the end.
  void answer(Clock clock) {
    for (std::uint64_t word = 0; (word = word_.load(std::memory_order_acquire)) != kEnd;) {
      if (word != kQuestion)
        pause();
      else
        word_.compare_exchange_strong(word, clock(), std::memory_order_acq_rel);
    }
  }

 private:
  static constexpr std::uint64_t kNothing = 0;
  static constexpr std::uint64_t kQuestion = 1;
  static constexpr std::uint64_t kEnd = 2;
  static constexpr std::uint32_t kLooks = 1024;

  alignas(kLinePair) std::atomic<std::uint64_t> word_{kNothing};
};

/// A reading less another, which may be the later one.
std::int64_t less(std::uint64_t reading, std::uint64_t other) { return static_cast<std::int64_t>(reading - other); }

/// The narrowest bounds that some milliseconds of exchanges give. Where one clock gained on the other meanwhile they
/// may cross: it is both then.
std::optional<Skew> exchange(Word& word, Clock clock) {
  using Any = std::numeric_limits<std::int64_t>;
  Skew bounds{.least_ns = Any::min(), .most_ns = Any::max()};
  const std::uint64_t patience = now_ns() + kPatience;
  if (!word.ask(patience)) return std::nullopt;
  const std::uint64_t until = now_ns() + kTime;
  do {  // once at least: the other may lose its CPU right after it has answered
    const std::uint64_t before = clock();
    const std::optional<std::uint64_t> answer = word.ask(patience);
    const std::uint64_t after = clock();
    if (!answer) break;
    bounds.least_ns = std::max(bounds.least_ns, less(*answer, after));
    bounds.most_ns = std::min(bounds.most_ns, less(*answer, before));
  } while (now_ns() < until);
  if (bounds.least_ns == Any::min()) return std::nullopt;
  const auto [least, most] = std::minmax(bounds.least_ns, bounds.most_ns);
  return Skew{.least_ns = least, .most_ns = most};
}

}  // namespace

/// A CPU that may not be used is refused where the measuring threads are pinned, and so are threads that cannot be
/// started: here nothing is measured then.
std::optional<Skew> measure_skew(int one, int other, Clock clock_of_one, Clock clock_of_other) {
  Word word;
  std::optional<Skew> skew;
  const auto ask = [&] {
    try {
      pin_this_thread(one);
      skew = exchange(word, clock_of_one);
    } catch (const std::exception&) {
      skew.reset();
    }
    word.end();
  };
  const auto answer = [&] {
    try {
      pin_this_thread(other);
    } catch (const std::exception&) {
      return;
    }
    word.answer(clock_of_other);
  };
  try {
    const std::jthread asking(ask);
    const std::jthread answering(answer);
  } catch (const std::system_error&) {
    return std::nullopt;
  }
  return skew;
}

std::optional<Skew> intersection(const std::optional<Skew>& one, const std::optional<Skew>& other) {
  if (!one || !other) return one ? one : other;
  const auto [least, most] =
      std::minmax(std::max(one->least_ns, other->least_ns), std::min(one->most_ns, other->most_ns));
  return Skew{.least_ns = least, .most_ns = most};
}

std::int64_t certain_ns(const Skew& skew) { return std::max({skew.least_ns, -skew.most_ns, std::int64_t{0}}); }

}  // namespace threadping::platform
