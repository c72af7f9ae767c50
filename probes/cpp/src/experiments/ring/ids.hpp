#pragma once

#include <cstdint>

namespace threadping::ring {

// An id is its producer, the number of the message among that producer's, and whether it is stamped: 16, 47 and 1 bits.
// Of one producer the next id is two more.

inline constexpr std::uint64_t kStamped = 1;
inline constexpr std::uint64_t kNextId = 2;

/// The number of a producer's last message, which nothing follows.
inline constexpr std::uint64_t kEnd = (std::uint64_t{1} << 47) - 1;

constexpr std::uint64_t id_of(std::uint64_t producer, std::uint64_t number) { return producer << 48 | number << 1; }
constexpr std::uint64_t producer_of(std::uint64_t id) { return id >> 48; }
constexpr std::uint64_t number_of(std::uint64_t id) { return id >> 1 & kEnd; }

/// Throws Failure(sequence_broken): `id` came where `due` was.
[[noreturn]] void refuse_sequence(std::uint64_t due, std::uint64_t id);

/// Throws Failure(sequence_broken): the payload of this message is not its own.
[[noreturn]] void refuse_payload(std::uint64_t id);

}  // namespace threadping::ring
