#pragma once

#include <array>
#include <cstddef>
#include <cstdint>

#include "engine/params.hpp"

namespace threadping::queues {

/// What is sent: its id, when it was sent if the id says so, and words that all hold the id.
template <std::size_t kWords>
struct Message {
  std::uint64_t id;
  std::uint64_t stamp;
  std::array<std::uint64_t, kWords> words;

  static constexpr std::size_t kMostWords = kWords;
};

template <>
struct Message<0> {
  std::uint64_t id;
  std::uint64_t stamp;

  static constexpr std::size_t kMostWords = 0;
};

/// The sizes that there are: queues hold messages by value, each in a slot of the smallest that suffices. A size for
/// every payload would be code for every payload.
using Bare = Message<0>;     ///< 16 bytes.
using Small = Message<6>;    ///< 64 bytes.
using Large = Message<126>;  ///< 1024 bytes.
static_assert(sizeof(Bare) == 16 && sizeof(Small) == 64 && sizeof(Large) == 1024);

/// The words that fill a message of this many bytes behind its id and its stamp, rounded up to whole words.
constexpr std::uint64_t words_in(std::int64_t bytes) {
  return (static_cast<std::uint64_t>(bytes) - sizeof(Bare) + sizeof(std::uint64_t) - 1) / sizeof(std::uint64_t);
}

/// Calls `visit` as a template over the message that holds this payload: `visit.template operator()<Bare>()`.
template <class Visit>
auto with_message(const engine::Params& params, Visit visit) {
  const std::uint64_t payload = words_in(params.number("message-bytes"));
  if (payload > Small::kMostWords) return visit.template operator()<Large>();
  if (payload > Bare::kMostWords) return visit.template operator()<Small>();
  return visit.template operator()<Bare>();
}

// An id is its producer, the number of the message among that producer's, and what is to be done with it: 16, 46 and 2
// bits. Of one producer the next id is four more.

inline constexpr std::uint64_t kStamped = 1;  ///< It says when it was sent.
inline constexpr std::uint64_t kMarked = 2;   ///< Its consumer reports how far it has come.
inline constexpr std::uint64_t kMarks = kStamped | kMarked;
inline constexpr std::uint64_t kNextId = 4;

/// The number of a producer's last message, which nothing follows.
inline constexpr std::uint64_t kEnd = (std::uint64_t{1} << 46) - 1;

constexpr std::uint64_t id_of(std::uint64_t producer, std::uint64_t number) { return producer << 48 | number << 2; }
constexpr std::uint64_t producer_of(std::uint64_t id) { return id >> 48; }
constexpr std::uint64_t number_of(std::uint64_t id) { return id >> 2 & kEnd; }

/// Throws Failure(sequence_broken): `id` came where `due` was.
[[noreturn]] void refuse_sequence(std::uint64_t due, std::uint64_t id);

/// Throws Failure(sequence_broken): the payload of this message is not its own.
[[noreturn]] void refuse_payload(std::uint64_t id);

}  // namespace threadping::queues
