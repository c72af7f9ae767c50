#pragma once

#include <algorithm>
#include <array>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "engine/params.hpp"
#include "mechanisms/pair.hpp"
#include "mechanisms/signals.hpp"
#include "mechanisms/signals/counter.hpp"
#include "support/yields.hpp"

namespace threadping::tests {

/// A signal's own parameters with their defaults.
template <class S>
engine::Params defaults_of() {
  return {"signal", engine::params_with<S>(std::array<engine::ParamInfo, 0>{}), {}};
}

/// Any signal, and a cell of it.
class AnySignal {
 public:
  AnySignal() = default;
  AnySignal(const AnySignal&) = delete;
  AnySignal& operator=(const AnySignal&) = delete;
  virtual ~AnySignal() = default;

  virtual void publish(std::uint64_t n) = 0;
  virtual std::uint64_t await(std::uint64_t n) = 0;
  virtual void stop() = 0;
  virtual std::uint64_t peek() = 0;
};

template <signals::Signal S>
class AnyOf : public AnySignal {
 public:
  void publish(std::uint64_t n) override { signal_.publish(cell_, n); }
  std::uint64_t await(std::uint64_t n) override { return signal_.await(cell_, n); }
  void stop() override { signal_.stop(cell_); }
  std::uint64_t peek() override { return signal_.peek(cell_); }

 private:
  const S signal_ = signals::made_with<S>(defaults_of<S>());
  S::Cell cell_ = signals::cell_for<typename S::Cell>(platform::Sharing::threads);
};

/// One of the second of a pair's cells, which may have something in common with the first.
template <signals::Signal S>
class SecondOf : public AnySignal {
 public:
  void publish(std::uint64_t n) override { signal_.publish(pair_->pong, n); }
  std::uint64_t await(std::uint64_t n) override { return signal_.await(pair_->pong, n); }
  void stop() override { signal_.stop(pair_->pong); }
  std::uint64_t peek() override { return signal_.peek(pair_->pong); }

 private:
  using Pair = signals::TwoLines<typename S::Cell>;
  const S signal_ = signals::made_with<S>(defaults_of<S>());
  const std::unique_ptr<Pair> pair_ = std::make_unique<Pair>(platform::Sharing::threads);
};

/// A signal to be asked, and how one is made.
struct NamedSignal {
  std::string name;
  std::unique_ptr<AnySignal> (*make)();
  bool orders = true;  ///< Whether what was written before a number is seen with it.

  friend std::ostream& operator<<(std::ostream& out, const NamedSignal& signal) { return out << signal.name; }
};

inline constexpr auto kAlone = []<class S>() -> NamedSignal {
  return {.name = std::string(S::kName),
          .make = []() -> std::unique_ptr<AnySignal> { return std::make_unique<AnyOf<S>>(); }};
};
inline constexpr auto kInAPair = []<class S>() -> NamedSignal {
  return {.name = std::string(S::kName) + "_in_a_pair",
          .make = []() -> std::unique_ptr<AnySignal> { return std::make_unique<SecondOf<S>>(); }};
};

/// Every signal: alone, and as the second of a pair.
inline std::vector<NamedSignal> every_signal() {
  using Counters =
      signals::Signals<signals::Counter<signals::Add, Yields>, signals::Counter<signals::Seqcst, Yields>,
                       signals::Counter<signals::Release, Yields>, signals::Counter<signals::Relaxed, Yields>>;
  std::vector<NamedSignal> all;
  for (const auto& some : {signals::Blocking::each(kAlone), signals::Blocking::each(kInAPair), Counters::each(kAlone)})
    all.insert(all.end(), some.begin(), some.end());
  for (NamedSignal& signal : all) {
    signal.orders = signal.name != "relaxed";
    std::ranges::replace(signal.name, '-', '_');
  }
  return all;
}

}  // namespace threadping::tests
