#pragma once

#include <cstdint>

namespace threadping::platform {

/// Lets one thread sleep until another, or another process, rings, or a time has passed. An eventfd, because it sleeps
/// in one system call, needs no clock conversion and is understood by ThreadSanitizer.
class Bell {
 public:
  Bell();
  Bell(const Bell&) = delete;
  Bell& operator=(const Bell&) = delete;
  ~Bell();

  void ring() const;

  /// Sleeps until `done`, which is asked again at every ring; false if it was not so by then. Asks once if that has
  /// passed.
  template <class Done>
  [[nodiscard]] bool await(Done done, std::uint64_t until_ns) const {
    while (!done())
      if (!sleep(until_ns)) return done();
    return true;
  }

 private:
  /// Until the next ring; false if the time passed first.
  [[nodiscard]] bool sleep(std::uint64_t until_ns) const;

  int rings_;
};

}  // namespace threadping::platform
