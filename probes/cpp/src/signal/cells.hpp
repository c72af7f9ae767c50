#pragma once

#include <concepts>
#include <cstddef>
#include <cstdint>
#include <span>

#include "params.hpp"
#include "platform/lines.hpp"
#include "signal/loop.hpp"
#include "signal/mechanism.hpp"

namespace threadping::signal {

/// The cells of one trial and the timed loops over them, whatever the mechanism. One call is a whole loop: what it
/// costs to find the mechanism is paid once a block.
class Cells {
 public:
  explicit Cells(platform::Sharing sharing) : sharing_(sharing) {}
  Cells(const Cells&) = delete;
  Cells& operator=(const Cells&) = delete;
  virtual ~Cells() = default;

  virtual Taken take_turns(Side side, std::size_t line, std::uint64_t first, std::uint64_t count) = 0;
  virtual Taken stamp_turns(std::size_t line, std::uint64_t first, std::span<std::uint64_t> stamps) = 0;
  virtual void stop(std::size_t line) = 0;
  virtual std::uint64_t peek(std::size_t line) = 0;
  [[nodiscard]] virtual std::size_t size() const = 0;

  /// Whether pong is to be a thread or a process.
  [[nodiscard]] platform::Sharing sharing() const { return sharing_; }

 private:
  platform::Sharing sharing_;
};

/// The cells of mechanism M.
template <SignalMechanism M>
class CellsOf final : public Cells {
 public:
  CellsOf(const Params& params, std::size_t count, platform::Sharing sharing)
      : Cells(sharing), mechanism_(made_with(params)), lines_(count, sharing) {}

  Taken take_turns(Side side, std::size_t line, std::uint64_t first, std::uint64_t count) override {
    return side == Side::ping ? signal::take_turns<M, Side::ping>(mechanism_, lines_[line], first, count)
                              : signal::take_turns<M, Side::pong>(mechanism_, lines_[line], first, count);
  }
  Taken stamp_turns(std::size_t line, std::uint64_t first, std::span<std::uint64_t> stamps) override {
    return signal::stamp_turns<M>(mechanism_, lines_[line], first, stamps);
  }
  void stop(std::size_t line) override { mechanism_.stop(lines_[line]); }
  std::uint64_t peek(std::size_t line) override { return mechanism_.peek(lines_[line]); }
  [[nodiscard]] std::size_t size() const override { return lines_.size(); }

 private:
  static M made_with(const Params& params) {
    if constexpr (std::constructible_from<M, const Params&>)
      return M(params);
    else
      return M{};
  }

  M mechanism_;
  platform::Lines<typename M::Cell> lines_;
};

}  // namespace threadping::signal
