#pragma once

#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <cerrno>
#include <cstdint>
#include <cstring>
#include <set>
#include <string>
#include <utility>

#include "failure.hpp"
#include "signal/mechanism.hpp"

namespace threadping::signal {

/// The file descriptors of a cell: where each side reads and where it writes.
struct Descriptors {
  int ping_in = -1;
  int ping_out = -1;
  int pong_in = -1;
  int pong_out = -1;
};

/// Throws Failure(internal): `what` could not be had, for the reason in errno.
[[noreturn]] inline void refuse_descriptors(const char* what) {
  throw Failure(ErrorCode::internal, std::string("No ") + what + " can be opened: " + std::strerror(errno) + ".");
}

/// What the mechanisms share that hand over by writing to and reading from the kernel: `Mechanism::open()` gives the
/// Descriptors of a cell; eight bytes go through at a time.
///
/// A message is the number of hand-overs that have happened, plus one: an eventfd cannot carry 0, and where it adds up
/// two messages the sum shows it. The kernel orders what was written before. The counters and the flag are the
/// watchdog's: a message that it writes is read once, but a stopped cell must stay so.
template <class Mechanism>
struct Messages {
  class Cell {
   public:
    Cell() : descriptors_(Mechanism::open()) { write(descriptors_.pong_out, 1); }
    Cell(const Cell&) = delete;
    Cell& operator=(const Cell&) = delete;
    ~Cell() {
      const auto& [ping_in, ping_out, pong_in, pong_out] = descriptors_;
      for (const int descriptor : std::set{ping_in, ping_out, pong_in, pong_out}) close(descriptor);
    }

    template <Side S>
    std::uint64_t receive() {
      std::uint64_t& unread = end<S>().unread;
      if (stopped_.load(std::memory_order_acquire)) return kPoison;
      return unread != 0 ? std::exchange(unread, 0)
                         : read(S == Side::ping ? descriptors_.ping_in : descriptors_.pong_in);
    }
    template <Side S>
    void put_back(std::uint64_t message) {
      end<S>().unread = message;
    }
    template <Side S>
    void send(std::uint64_t message) {
      end<S>().sent.store(message, std::memory_order_relaxed);
      write(S == Side::ping ? descriptors_.ping_out : descriptors_.pong_out, message);
    }

    void stop() {
      if (stopped_.exchange(true, std::memory_order_acq_rel)) return;
      write(descriptors_.ping_out, kPoison);
      write(descriptors_.pong_out, kPoison);
    }
    [[nodiscard]] std::uint64_t hand_overs() const {
      if (stopped_.load(std::memory_order_acquire)) return kPoison;
      return std::max(ping_.sent.load(std::memory_order_relaxed), pong_.sent.load(std::memory_order_relaxed)) - 1;
    }

   private:
    struct alignas(128) End {
      std::atomic<std::uint64_t> sent{1};
      std::uint64_t unread = 0;  ///< A message that was not the one that was due, kept for whoever asks again.
    };

    template <Side S>
    End& end() {
      return S == Side::ping ? ping_ : pong_;
    }

    /// The next message; poison when there will be none.
    static std::uint64_t read(int descriptor) {
      std::uint64_t message = 0;
      ssize_t got = 0;
      while ((got = ::read(descriptor, &message, sizeof message)) < 0 && errno == EINTR) {
      }
      return got == sizeof message ? message : kPoison;
    }
    static void write(int descriptor, std::uint64_t message) {
      while (::write(descriptor, &message, sizeof message) < 0 && errno == EINTR) {
      }
    }

    alignas(128) std::atomic<bool> stopped_{false};
    Descriptors descriptors_;
    End ping_;
    End pong_;
  };

  template <Side S>
  static Awaited await(Cell& cell, std::uint64_t expected) {
    const std::uint64_t message = cell.template receive<S>();
    if (message >= kPoison) return {.due = false, .seen = kPoison};
    if (message != expected + 1) {
      cell.template put_back<S>(message);
      return {.due = false, .seen = message - 1};
    }
    return {.due = true, .seen = expected};
  }

  template <Side S>
  static void tell(Cell& cell, std::uint64_t expected) {
    cell.template send<S>(expected + 2);
  }

  static void stop(Cell& cell) { cell.stop(); }
  static std::uint64_t hand_overs(const Cell& cell) { return cell.hand_overs(); }

 private:
  friend Mechanism;
  Messages() = default;
};

}  // namespace threadping::signal
