// moodycamel::BlockingReaderWriterCircularBuffer (Debian: libreaderwriterqueue-dev): both sides sleep.
#pragma once
#include <readerwriterqueue/readerwritercircularbuffer.h>

#include <atomic>
#include <chrono>
#include <cstddef>

template <class Message>
class CircularBuffer {
 public:
  explicit CircularBuffer(std::size_t size) : queue_(size) {}
  bool send(const Message& message) {
    while (!queue_.wait_enqueue_timed(message, kLook))
      if (stopped_) return false;
    return true;
  }
  bool take(Message& message) {
    while (!queue_.wait_dequeue_timed(message, kLook))
      if (stopped_) return false;
    return true;
  }
  void stop() { stopped_ = true; }

 private:
  static constexpr std::chrono::milliseconds kLook{100};  // it knows no stop: it is looked for
  moodycamel::BlockingReaderWriterCircularBuffer<Message> queue_;
  std::atomic<bool> stopped_{false};
};
