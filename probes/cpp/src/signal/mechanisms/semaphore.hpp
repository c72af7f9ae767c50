#pragma once

#include <semaphore.h>

#include <atomic>
#include <cerrno>
#include <cstdint>

#include "platform/memory.hpp"
#include "signal/mechanism.hpp"
#include "signal/mechanisms/two_counters.hpp"

namespace threadping::signal {

/// Two POSIX semaphores (sem_wait, sem_post), each of which says that it is one side's turn.
///
/// The write that must be seen is the counter, which the semaphore orders; it only carries the sequence. A permit that
/// finds no news (the watchdog gives some) is ignored, and one that finds too many is given back, so that who looks
/// again does not wait.
struct Semaphore {
  static constexpr std::string_view kName = "semaphore";

  struct Cell {
    alignas(128) std::atomic<std::uint64_t> ping{0};
    alignas(128) std::atomic<std::uint64_t> pong{0};
    alignas(128) sem_t ping_turn{};
    alignas(128) sem_t pong_turn{};

    explicit Cell(platform::Sharing sharing) {
      const int between_processes = sharing == platform::Sharing::processes ? 1 : 0;
      sem_init(&ping_turn, between_processes, 1);
      sem_init(&pong_turn, between_processes, 0);
    }
    Cell(const Cell&) = delete;
    Cell& operator=(const Cell&) = delete;
    ~Cell() {
      sem_destroy(&ping_turn);
      sem_destroy(&pong_turn);
    }
  };

  template <Side S>
  static Awaited await(Cell& cell, std::uint64_t expected) {
    sem_t& own_turn = S == Side::ping ? cell.ping_turn : cell.pong_turn;
    const std::uint64_t wanted = TwoCounters<S>::theirs(expected);
    std::uint64_t seen = 0;
    do {
      while (sem_wait(&own_turn) != 0 && errno == EINTR) {
      }
    } while ((seen = theirs_of<S>(cell).load(std::memory_order_acquire)) < wanted);
    if (seen != wanted) {
      sem_post(&own_turn);
      return {.due = false, .seen = TwoCounters<S>::hand_overs(seen)};
    }
    return {.due = true, .seen = expected};
  }

  template <Side S>
  static void tell(Cell& cell, std::uint64_t expected) {
    own_of<S>(cell).store(TwoCounters<S>::own(expected) + 1, std::memory_order_release);
    sem_post(S == Side::ping ? &cell.pong_turn : &cell.ping_turn);
  }

  static void stop(Cell& cell) {
    poison_counters(cell);
    sem_post(&cell.ping_turn);
    sem_post(&cell.pong_turn);
  }
  static std::uint64_t hand_overs(const Cell& cell) { return sum_of_counters(cell); }
};

}  // namespace threadping::signal
