#include "mechanisms/message.hpp"

#include <string>

#include "failure.hpp"

namespace threadping::queues {
namespace {

Failure broken(const std::string& what) { return {ErrorCode::sequence_broken, what}; }

}  // namespace

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
