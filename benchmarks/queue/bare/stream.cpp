// One producer and one consumer around moodycamel's ReaderWriterQueue with nothing else: numbers, a check of each, one
// clock pair.
//
// stream "readerwriterqueue rest=STEPS producer-work=STEPS" PRODUCER_CPU CONSUMER_CPU MESSAGES prints the mean time of
// a message, from the first that is sent to the last that is taken. The consumer takes rest=STEPS after each take, that
// is whenever it has emptied the queue, and the producer takes producer-work=STEPS after each message: these two set
// the pace of a stream.

#include <readerwriterqueue/readerwriterqueue.h>

#include <chrono>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <string>
#include <thread>

#include "program.hpp"

namespace {

constexpr std::size_t kSize = 65536;

// As large as the probe's smallest.
struct Message {
  std::uint64_t number;
  std::uint64_t unused;
};

// One step is a multiplication and an addition that wait for those before, the first one for those of the last time.
void take_steps(std::uint64_t& state, std::uint64_t steps) {
  for (; steps > 0; --steps) {
    state = state * 6364136223846793005U + 1442695040888963407U;
    asm volatile("" : "+r"(state));
  }
}

double message_ns(std::uint64_t rest, std::uint64_t pause, int producer_cpu, int consumer_cpu, std::uint64_t messages) {
  moodycamel::ReaderWriterQueue<Message> queue(kSize);
  std::thread consumer([&] {
    pin_this_thread(consumer_cpu);
    Message message{};
    std::uint64_t rested = 1;
    for (std::uint64_t due = 0; due < messages;) {
      if (!queue.try_dequeue(message)) continue;
      do {
        if (message.number != due++) refuse("Message " + std::to_string(due) + " was due.");
      } while (queue.try_dequeue(message));
      take_steps(rested, rest);
    }
  });
  pin_this_thread(producer_cpu);
  std::uint64_t paused = 1;
  const auto start = std::chrono::steady_clock::now();
  for (std::uint64_t number = 0; number < messages; ++number) {
    while (!queue.try_enqueue({.number = number, .unused = 0})) {
    }
    take_steps(paused, pause);
  }
  consumer.join();
  const std::chrono::duration<double, std::nano> took = std::chrono::steady_clock::now() - start;
  return took.count() / static_cast<double>(messages);
}

}  // namespace

int main(int count, char** words) {
  unsigned long long rest = 0;
  unsigned long long pause = 0;
  if (count != 5 || std::sscanf(words[1], "readerwriterqueue rest=%llu producer-work=%llu", &rest, &pause) != 2)
    refuse("Usage: stream 'readerwriterqueue rest=STEPS producer-work=STEPS' PRODUCER_CPU CONSUMER_CPU MESSAGES");
  std::printf("operation ns: %.4f\n",
              message_ns(rest, pause, std::atoi(words[2]), std::atoi(words[3]), std::strtoull(words[4], nullptr, 10)));
}
