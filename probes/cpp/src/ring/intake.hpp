#pragma once

#include <atomic>
#include <cstdint>

#include "crew/recorder.hpp"
#include "ring/books.hpp"
#include "ring/mechanism.hpp"
#include "ring/message.hpp"

namespace threadping::ring {

/// Throws Failure(sequence_broken): `id` came where `due` was.
[[noreturn]] void refuse_sequence(std::uint64_t due, std::uint64_t id);

/// Throws Failure(sequence_broken): the payload of this message is not its own.
[[noreturn]] void refuse_payload(std::uint64_t id);

/// What a consumer has at hand while it takes: it holds every message against the id that is due, and its payload
/// against the id. Of the producer whose message came last that id stands in a register.
template <RingMechanism M>
class Intake {
 public:
  using Message = M::Message;

  Intake(M& mechanism, const M::Taker& taker, Consumer& consumer, std::uint64_t payload)
      : mechanism_(mechanism), taker_(taker), consumer_(consumer), payload_(payload) {
    turn_to(0);
  }

  /// To be put back after the loop. A destructor that did so would keep all this in memory.
  [[nodiscard]] const M::Taker& taker() const { return taker_; }

  /// Whether there is nothing to take any more: all producers have left, or the mechanism was stopped.
  [[nodiscard]] bool over() const { return consumer_.all_left() || mechanism_.stopped(); }

  /// Takes what there is, `most` messages at most, and gives how many they were; `stamped` is given the stamp of each
  /// that has one. Each producer learns what was taken of it, after all that was to be read from the messages.
  template <class Stamped>
  [[gnu::always_inline]] std::uint64_t take(std::uint64_t most, crew::Recorder* batches, Stamped stamped) {
    const std::uint64_t ended = consumer_.ended;
    const std::uint64_t came = mechanism_.take(taker_, most, [&](const Message& message) { look(message, stamped); });
    const std::uint64_t taken = came - (consumer_.ended - ended);
    if (taken == 0) return 0;
    tell_taken();
    mechanism_.tell();
    if (batches != nullptr) batches->record(taken);
    return taken;
  }

 private:
  template <class Stamped>
  [[gnu::always_inline]] void look(const Message& message, Stamped& stamped) {
    const std::uint64_t id = message.id;
    if (id != due_) [[unlikely]] {
      if (producer_of(id) != producer_of(due_)) turn_to_producer_of(id);
      if (number_of(id) == kEnd) {
        ++consumer_.ended;
        return;
      }
      if ((id & ~kStamped) != due_) refuse_sequence(due_, id);
      if ((id & kStamped) != 0) stamped(message.stamp);
    }
    due_ += kNextId;
    if constexpr (Message::kMostWords > 0) check_payload(message);
  }

  [[gnu::always_inline]] void check_payload(const Message& message) const {
    std::uint64_t difference = 0;
    for (std::uint64_t word = 0; word < payload_; ++word) difference |= message.words[word] ^ message.id;
    if (difference != 0) [[unlikely]]
      refuse_payload(message.id);
  }

  void turn_to_producer_of(std::uint64_t id) {
    if (producer_of(id) >= consumer_.accounts.size()) refuse_sequence(due_, id);
    tell_taken();
    turn_to(producer_of(id));
  }

  void turn_to(std::uint64_t producer) {
    account_ = &consumer_.accounts[producer];
    due_ = id_of(producer, account_->taken.load(std::memory_order_relaxed));
  }

  void tell_taken() { account_->taken.store(number_of(due_), std::memory_order_release); }

  M& mechanism_;
  M::Taker taker_;
  Consumer& consumer_;
  Account* account_ = nullptr;
  std::uint64_t due_ = 0;
  const std::uint64_t payload_;
};

}  // namespace threadping::ring
