// A right one, which waits; the broken ones are of it.
#pragma once
#include <condition_variable>
#include <cstddef>
#include <deque>
#include <mutex>

template <class Message>
class Mailbox {
 public:
  explicit Mailbox(std::size_t size) : size_(size) {}
  bool send(const Message& message) {
    std::unique_lock lock(mutex_);
    room_.wait(lock, [&] { return messages_.size() < size_ || stopped_; });
    if (stopped_) return false;
    messages_.push_back(message);
    wake();
    return true;
  }
  bool take(Message& message) {
    std::unique_lock lock(mutex_);
    some_.wait(lock, [&] { return !messages_.empty() || stopped_; });
    if (stopped_) return false;
    message = messages_.front();
    messages_.pop_front();
    room_.notify_one();
    return true;
  }
  virtual void stop() {
    const std::unique_lock lock(mutex_);
    stopped_ = true;
    room_.notify_all();
    some_.notify_all();
  }
  virtual ~Mailbox() = default;

 protected:
  virtual void wake() { some_.notify_one(); }

  const std::size_t size_;
  bool stopped_ = false;
  std::mutex mutex_;
  std::condition_variable room_, some_;
  std::deque<Message> messages_;
};
