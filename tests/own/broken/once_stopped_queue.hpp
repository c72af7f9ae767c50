// Its stop() ends the waits that have begun, and none that begins later.
#pragma once
#include "mailbox.hpp"

template <class Message>
class OnceStoppedQueue : public Mailbox<Message> {
 public:
  using Mailbox<Message>::Mailbox;
  bool take(Message& message) {
    const bool took = Mailbox<Message>::take(message);
    if (!took) Mailbox<Message>::stopped_ = false;
    return took;
  }
};
