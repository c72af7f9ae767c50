// Its stop() does nothing.
#pragma once
#include "mailbox.hpp"

template <class Message>
class UnstoppableQueue : public Mailbox<Message> {
 public:
  using Mailbox<Message>::Mailbox;
  void stop() override {}
};
