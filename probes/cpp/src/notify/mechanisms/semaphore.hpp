#pragma once

#include <semaphore.h>

#include <cerrno>
#include <string_view>

#include "notify/mechanism.hpp"

namespace threadping::notify {

/// A POSIX semaphore (sem_post, sem_wait): each call gives a permit.
///
/// The write that must be seen is what is told, which the semaphore orders. The waiter first takes all the permits of
/// what it knows already, so that it does not wake for nothing later.
struct Semaphore {
  static constexpr std::string_view kName = "semaphore";

  struct Cell {
    alignas(128) Told told;
    alignas(128) sem_t permits{};

    Cell() { sem_init(&permits, 0, 0); }
    Cell(const Cell&) = delete;
    Cell& operator=(const Cell&) = delete;
    ~Cell() { sem_destroy(&permits); }
  };

  template <class Change>
  static void tell(Cell& cell, Change change) {
    change();
    sem_post(&cell.permits);
  }

  template <class HasNews>
  static void await(Cell& cell, HasNews has_news) {
    while (sem_trywait(&cell.permits) == 0) {
    }
    while (!has_news())
      while (sem_wait(&cell.permits) != 0 && errno == EINTR) {
      }
  }
};

}  // namespace threadping::notify
