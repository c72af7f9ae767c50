#include "ring/roles.hpp"

#include <new>

namespace threadping::ring {

Roles::Roles(const Shape& shape, std::size_t lines)
    : shape_(shape),
      books_(lines, platform::Sharing::threads, 0, [&](void* place, std::byte* /*room*/) { new (place) Books(shape); }),
      batches_(shape.consumers) {}

void Roles::begin() {
  for (Batches& batches : batches_) batches.sizes.emplace();
}

/// A consumer that the bound kept from following its producers to the end has not taken all messages.
message::Counts Roles::counts(std::uint64_t made) {
  message::Held messages{.made = made};
  for (std::size_t line = 0; line < books_.size(); ++line) {
    if (stopped(line) || !books_[line].all_followed()) return {};
    messages.found += books_[line].taken();
  }
  return {{"messages", messages}};
}

message::Distributions Roles::distributions() {
  message::Distributions all{{"batch", {}}};
  for (const Batches& batches : batches_)
    if (batches.sizes) batches.sizes->add_to(all["batch"]);
  return all;
}

}  // namespace threadping::ring
