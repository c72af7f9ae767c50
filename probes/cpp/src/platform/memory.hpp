#pragma once

#include <cstddef>
#include <memory>
#include <new>
#include <string_view>

namespace threadping::platform {

/// The users of some memory: the threads of this process, or also a process that it forks.
enum class Sharing { threads, processes };

/// A trial takes no more in all: a request that would need more is a mistake.
inline constexpr std::size_t kMostBytes = std::size_t{1} << 30;

/// How much more a trial may take: of kMostBytes, or of what was available here when it was asked first, whatever is
/// less, what nobody has claimed.
std::size_t bytes_left();

/// A trial begins. What earlier ones of this process have left behind for threads that could not be stopped, and Java's
/// cells, which are never given back, is none of its claims.
void count_claims_anew();

/// Throws Failure(bad_request) for more than that: `what` would take so much, and what the reader may do.
void refuse_excess(std::size_t bytes, std::string_view what, std::string_view remedy);

/// Claims memory for one thing, until the trial ends. Throws likewise.
void claim(std::size_t bytes, std::string_view what, std::string_view remedy);

/// Memory claimed for one thing, before it is touched, and until this is gone. The sum of all claims is bounded.
class Claim {
 public:
  /// Throws as refuse_excess().
  Claim(std::size_t bytes, std::string_view what, std::string_view remedy);
  Claim(const Claim&) = delete;
  Claim& operator=(const Claim&) = delete;
  ~Claim();

  [[nodiscard]] std::size_t bytes() const { return bytes_; }

 private:
  std::size_t bytes_;
};

/// Pages of zeroes, not touched yet; small ones only, since a huge page would put all that lies in it on
/// neighbouring physical lines.
class Memory {
 public:
  /// Throws Failure(bad_request) for more than may be claimed, Failure(unsupported) when the system refuses.
  Memory(std::size_t bytes, Sharing sharing);
  Memory(const Memory&) = delete;
  Memory& operator=(const Memory&) = delete;
  ~Memory();

  [[nodiscard]] std::byte* start() const { return start_; }

 private:
  const Claim claim_;
  std::byte* start_ = nullptr;
};

/// Some Ts in memory that this process shares with its threads, or with processes that it forks. T must not point to
/// what another process does not see.
template <class T>
class Shared {
 public:
  Shared(std::size_t count, Sharing sharing) : memory_(count * sizeof(T), sharing), count_(count) {
    for (std::size_t index = 0; index < count; ++index) new (memory_.start() + index * sizeof(T)) T;
  }
  Shared(const Shared&) = delete;
  Shared& operator=(const Shared&) = delete;
  ~Shared() { std::destroy_n(begin(), count_); }

  [[nodiscard]] T* begin() const { return std::launder(reinterpret_cast<T*>(memory_.start())); }
  [[nodiscard]] T* end() const { return begin() + count_; }
  [[nodiscard]] std::size_t size() const { return count_; }
  T& operator[](std::size_t index) const { return begin()[index]; }
  T* operator->() const { return begin(); }

 private:
  Memory memory_;
  std::size_t count_;
};

}  // namespace threadping::platform
