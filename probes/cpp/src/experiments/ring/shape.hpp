#pragma once

#include <cstdint>
#include <string_view>

#include "engine/experiment.hpp"

namespace threadping::ring {

/// What a trial asks of its mechanism.
struct Shape {
  std::uint64_t size = 2;       ///< So many messages it holds.
  std::uint64_t payload = 0;    ///< Words of each message.
  std::uint64_t in_flight = 0;  ///< At most so many of a producer's are not taken yet; 0 leaves it to the size.
  std::uint64_t batch = 1;      ///< So many are sent at once.
  std::uint64_t producers = 1;
  std::uint64_t consumers = 1;
};

/// What a mechanism can do, and how it is called.
struct Traits {
  std::string_view name;  ///< The same in every language.
  bool blocking = false;  ///< Whether who waits sleeps in the kernel.
  bool batches = false;   ///< Whether it sends several messages at once.
  bool many_producers = false;
  bool power_of_two = false;  ///< Whether its size must be one.
  bool bounded = true;        ///< Whether it is full when it holds `size`; otherwise that many may be in flight.
};

/// The shape that these parameters and threads make. Throws Failure(bad_request) for what does not fit together.
Shape shape_of(const Traits& traits, const engine::Setup& setup);

}  // namespace threadping::ring
