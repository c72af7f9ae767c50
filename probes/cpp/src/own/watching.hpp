#pragma once

#include <atomic>
#include <cstdint>
#include <functional>
#include <string>
#include <vector>

namespace threadping::own {

/// Says what was seen, and ends the process: threads that hang cannot be ended otherwise. Only the first is
/// printed.
[[noreturn]] void refuse(const std::string& sentence);

/// Does what calls the user's code, and refuses what that throws.
void guarded(const std::function<void()>& deed);

/// What threads do at once. Each counts its operations, so that it is seen when none moves any more.
class Together {
 public:
  using Part = std::function<void(std::atomic<std::uint64_t>& operations)>;

  /// Maximum time without progress. Two threads on one busy CPU alternate within some 100 ms.
  static constexpr std::uint64_t kUsualPatience_ms = 3'000;
  static inline std::uint64_t patience_ms = kUsualPatience_ms;

  /// Time after which a thread has worked long enough, unless it came to little on a busy CPU.
  static constexpr std::uint64_t kUsuallyEnough_ns = 400'000'000;
  static inline std::uint64_t enough_ns = kUsuallyEnough_ns;

  /// Performs all parts, in a thread each, and comes back when all have ended. `stalled` is asked when nobody has moved
  /// for some seconds: it says what to refuse. `meanwhile` is called again and again until all have ended.
  static void run(
      const std::vector<Part>& parts, const std::function<std::string()>& stalled,
      const std::function<void()>& meanwhile = [] {});
};

/// Nanoseconds until a thread counts as waiting.
inline constexpr std::uint64_t kAwaited = 20'000'000;

/// A wait that has begun is ended by stop(), which is called until it is, and one that begins then ends by itself.
void check_ends(const std::string& wait, std::uint64_t after_ns, const std::function<void()>& stop,
                const std::function<void()>& deed);

/// A pause of up to 0.1 ms, now and then: so that others get to wait, and to sleep.
class NowAndThen {
 public:
  explicit NowAndThen(std::uint64_t seed) : state_(seed * 2 + 1) {}
  void pause();

 private:
  std::uint64_t state_;
};

/// Whether a thread has worked long enough at a check.
[[nodiscard]] bool is_enough(std::uint64_t operations, std::uint64_t since_ns);

}  // namespace threadping::own
