// One producer and one consumer around a ring of numbered slots with nothing else: a cursor and a sequence on lines of
// their own, each kept by the other side until it no longer suffices; a check of each number, one clock pair.
//
// ring "sequenced-ring batch=N producer-work=STEPS" PRODUCER_CPU CONSUMER_CPU MESSAGES prints the mean time of a
// message, from the first that is sent to the last that is taken. The producer takes STEPS steps before each batch;
// "producer-work=STEPS" is optional.

#include <atomic>
#include <chrono>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <string>
#include <thread>
#include <vector>

#include "program.hpp"

namespace {

constexpr std::uint64_t kSize = 65536;

// As large as the probe's smallest.
struct Message {
  std::uint64_t number;
  std::uint64_t unused;
};

struct alignas(128) Sequence {
  std::atomic<std::uint64_t> value{0};
};

struct Ring {
  std::vector<Message> slots = std::vector<Message>(kSize);
  Sequence cursor;
  Sequence taken;
};

// One step is a multiplication and an addition that wait for those before, in a chain that goes on from batch to batch.
// Returns what they came to, or they would be left out.
std::uint64_t produce(Ring& ring, std::uint64_t batch, std::uint64_t steps, std::uint64_t messages) {
  Message* const slots = ring.slots.data();
  std::uint64_t room_until = kSize;
  std::uint64_t chain = 1;
  for (std::uint64_t next = 0; next < messages;) {
    for (std::uint64_t left = steps; left > 0; --left) {
      chain = chain * 6364136223846793005U + 1442695040888963407U;
      asm volatile("" : "+r"(chain));  // or several steps with known factors would be one
    }
    while (next + batch > room_until) room_until = ring.taken.value.load(std::memory_order_acquire) + kSize;
    for (std::uint64_t left = batch; left > 0; --left, ++next) slots[next & (kSize - 1)].number = next;
    ring.cursor.value.store(next, std::memory_order_release);
  }
  return chain;
}

void consume(Ring& ring, std::uint64_t messages) {
  const Message* const slots = ring.slots.data();
  for (std::uint64_t next = 0; next < messages;) {
    const std::uint64_t published = ring.cursor.value.load(std::memory_order_acquire);
    if (published == next) continue;
    for (; next < published; ++next)
      if (slots[next & (kSize - 1)].number != next) refuse("Message " + std::to_string(next) + " was due.");
    ring.taken.value.store(next, std::memory_order_release);
  }
}

}  // namespace

int main(int count, char** words) {
  const std::string asked = count == 5 ? words[1] : "";
  const std::string known = "sequenced-ring batch=";
  if (!asked.starts_with(known))
    refuse("Usage: ring \"sequenced-ring batch=N producer-work=STEPS\" PRODUCER_CPU CONSUMER_CPU MESSAGES");
  char* behind = nullptr;
  const std::uint64_t batch = std::strtoull(asked.c_str() + known.size(), &behind, 10);
  const std::string further = behind;
  const std::string work = " produce=";
  const std::uint64_t steps = further.starts_with(work) ? std::strtoull(further.c_str() + work.size(), nullptr, 10) : 0;
  const std::uint64_t messages = std::strtoull(words[4], nullptr, 10) / batch * batch;
  Ring ring;
  std::thread consumer([&] {
    pin_this_thread(std::atoi(words[3]));
    consume(ring, messages);
  });
  pin_this_thread(std::atoi(words[2]));
  const auto start = std::chrono::steady_clock::now();
  volatile std::uint64_t result = produce(ring, batch, steps, messages);
  consumer.join();
  const std::chrono::duration<double, std::nano> took = std::chrono::steady_clock::now() - start;
  static_cast<void>(result);
  std::printf("operation ns: %.4f\n", took.count() / static_cast<double>(messages));
}
