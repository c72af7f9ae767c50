// One producer and one consumer around moodycamel's ReaderWriterQueue with nothing else: numbers, a check of each, one
// clock pair.
//
// stream MECHANISM PRODUCER_CPU CONSUMER_CPU MESSAGES prints what a message takes on the average, from the first that
// is sent to the last that was taken.

#include <readerwriterqueue/readerwriterqueue.h>

#include <chrono>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <string>
#include <thread>

#include "standing.hpp"

namespace {

constexpr std::size_t kSize = 65536;

// As large as the probe's smallest.
struct Message {
  std::uint64_t number;
  std::uint64_t unused;
};

double message_ns(int producer_cpu, int consumer_cpu, std::uint64_t messages) {
  moodycamel::ReaderWriterQueue<Message> queue(kSize);
  std::thread consumer([&] {
    pin_this_thread(consumer_cpu);
    Message message{};
    for (std::uint64_t due = 0; due < messages; ++due) {
      while (!queue.try_dequeue(message)) {
      }
      if (message.number != due) refuse("Message " + std::to_string(due) + " was due.");
    }
  });
  pin_this_thread(producer_cpu);
  const auto start = std::chrono::steady_clock::now();
  for (std::uint64_t number = 0; number < messages; ++number)
    while (!queue.try_enqueue({.number = number, .unused = 0})) {
    }
  consumer.join();
  const std::chrono::duration<double, std::nano> took = std::chrono::steady_clock::now() - start;
  return took.count() / static_cast<double>(messages);
}

}  // namespace

int main(int count, char** words) {
  if (count != 5 || std::string(words[1]) != "readerwriterqueue")
    refuse("Usage: stream readerwriterqueue PRODUCER_CPU CONSUMER_CPU MESSAGES");
  std::printf("operation ns: %.4f\n",
              message_ns(std::atoi(words[2]), std::atoi(words[3]), std::strtoull(words[4], nullptr, 10)));
}
