// moodycamel::ReaderWriterQueue (Debian: libreaderwriterqueue-dev).
#pragma once
#include <readerwriterqueue/readerwriterqueue.h>

#include <cstddef>

template <class Message>
class ReaderWriter {
 public:
  explicit ReaderWriter(std::size_t size) : queue_(size) {}
  bool push(const Message& message) { return queue_.try_enqueue(message); }
  bool pop(Message& message) { return queue_.try_dequeue(message); }

 private:
  moodycamel::ReaderWriterQueue<Message> queue_;
};
