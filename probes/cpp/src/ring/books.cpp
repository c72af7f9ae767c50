#include "ring/books.hpp"

#include <algorithm>

#include "ring/message.hpp"

namespace threadping::ring {

Books::Books(const Shape& shape)
    : producers(shape.producers), consumers(shape.consumers), accounts_(shape.producers * shape.consumers) {
  for (std::size_t index = 0; index < producers.size(); ++index) producers[index].next = id_of(index, 0);
  for (std::size_t index = 0; index < consumers.size(); ++index)
    consumers[index].accounts = std::span(accounts_).subspan(index * shape.producers, shape.producers);
}

std::uint64_t Books::taken_of(std::size_t producer) const {
  std::uint64_t least = UINT64_MAX;
  for (const Consumer& consumer : consumers)
    least = std::min(least, consumer.accounts[producer].taken.load(std::memory_order_acquire));
  return least;
}

std::uint64_t Books::taken() const {
  std::uint64_t sum = 0;
  for (std::size_t producer = 0; producer < producers.size(); ++producer) sum += taken_of(producer);
  return sum;
}

std::uint64_t Books::progress() const {
  std::uint64_t sum = 0;
  for (const Producer& producer : producers) sum += producer.sent.load(std::memory_order_relaxed);
  for (const Account& account : accounts_) sum += account.taken.load(std::memory_order_relaxed);
  return sum;
}

bool Books::all_followed() const {
  std::uint64_t left = 0;
  for (const Producer& producer : producers) left += producer.left;
  return std::ranges::all_of(consumers, [left](const Consumer& consumer) { return consumer.left == left; });
}

}  // namespace threadping::ring
