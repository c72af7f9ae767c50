#include "mechanisms/queue.hpp"

#include <bit>
#include <string>

#include "failure.hpp"
#include "mechanisms/message.hpp"
#include "numbers.hpp"

namespace threadping::queues {
namespace {

Failure bad(const std::string& why) { return {ErrorCode::bad_request, why}; }

std::string parameter(const Traits& traits, std::string_view name) {
  return "The parameter '" + std::string(name) + "' of " + std::string(traits.name) + " must be ";
}

Failure broken(const std::string& what) { return {ErrorCode::sequence_broken, what}; }

/// "2 producers".
std::string some(std::uint64_t count, const std::string& what) {
  return std::to_string(count) + " " + what + (count == 1 ? "" : "s");
}

void check(const Traits& traits, const Shape& shape, std::uint64_t threads) {
  if (traits.power_of_two && !std::has_single_bit(shape.size))
    throw bad(parameter(traits, "size") + "a power of two, such as " + std::to_string(std::bit_ceil(shape.size)) +
              ", not " + std::to_string(shape.size) + ".");
  const auto fits = [&](std::string_view name, std::uint64_t number, std::string_view in, std::uint64_t most) {
    if (number > most)
      throw bad(parameter(traits, name) + "at most its '" + std::string(in) + "', " + std::to_string(most) + ", not " +
                std::to_string(number) + ".");
  };
  fits("batch", shape.batch, "size", shape.size);
  fits("depth", shape.in_flight, "size", shape.size);
  if (shape.in_flight > 0) fits("batch", shape.batch, "depth", shape.in_flight);
  if (const std::uint64_t wanted = shape.producers + shape.consumers; threads != wanted)
    throw bad(some(shape.producers, "producer") + " and " + some(shape.consumers, "consumer") + " are " +
              some(wanted, "thread") + ", not " + std::to_string(threads) + ".");
}

}  // namespace

Shape shape_of(const Traits& traits, const engine::Params& params, std::size_t threads) {
  const auto number = [&](std::string_view name, std::uint64_t otherwise) {
    return params.has(name) ? static_cast<std::uint64_t>(params.number(name)) : otherwise;
  };
  Shape shape{.size = number("size", 0),
              .payload = words_in(static_cast<std::int64_t>(number("message-bytes", sizeof(Bare)))),
              .in_flight = number("depth", 0),
              .batch = number("batch", 1),
              .producers = number("producers", 1),
              .consumers = number("consumers", 1)};
  check(traits, shape, threads);
  return shape;
}

void refuse_sequence(std::uint64_t due, std::uint64_t id) {
  const bool of_another = producer_of(id) != producer_of(due);
  throw broken("Message " + with_commas(number_of(due)) + " of producer " + std::to_string(producer_of(due)) +
               " was due, but " + with_commas(number_of(id)) +
               (of_another ? " of producer " + std::to_string(producer_of(id)) : "") +
               " came: one was lost, doubled or overtaken.");
}

void refuse_payload(std::uint64_t id) {
  throw broken("Message " + with_commas(number_of(id)) + " of producer " + std::to_string(producer_of(id)) +
               " came with a payload that is not its own: it was torn or overwritten.");
}

}  // namespace threadping::queues
