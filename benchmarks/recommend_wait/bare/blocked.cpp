// What it costs to wake a thread that sleeps on an eventfd, with nothing around it.
//
// blocked SECONDS PER_SECOND CPU CPU prints the p99 from when a message is due until it is received: `p99 ns: 71234.0`.
// The sender only waits for the next due time, on the first CPU. With 0 a second each thread sleeps until the
// other one answers, and the program prints half a round trip: `one-way ns: 24012.3`.

#include <sys/eventfd.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <thread>
#include <vector>

#include "program.hpp"

namespace {

using Clock = std::chrono::steady_clock;
using std::chrono::duration;
using std::chrono::nanoseconds;

class Bell {
 public:
  void ring(std::uint64_t rings = 1) const {
    if (write(file_, &rings, sizeof rings) != sizeof rings) refuse("The eventfd broke.");
  }
  std::uint64_t await() const {
    std::uint64_t rings = 0;
    if (read(file_, &rings, sizeof rings) != sizeof rings) refuse("The eventfd broke.");
    return rings;
  }

 private:
  int file_ = eventfd(0, 0);
};

double p99_of_schedule(double seconds, double rate, int sender_cpu, int receiver_cpu) {
  const auto messages = static_cast<std::size_t>(seconds * rate);
  if (messages == 0) refuse("Nothing is due in this time.");
  const nanoseconds apart(static_cast<std::int64_t>(1e9 / rate));
  const auto start = Clock::now() + std::chrono::milliseconds(20);
  const Bell bell;
  std::vector<std::int64_t> late;
  late.reserve(messages);
  std::thread receiver([&] {
    pin_this_thread(receiver_cpu);
    while (late.size() < messages)
      for (std::uint64_t left = bell.await(); left > 0; --left)
        late.push_back(nanoseconds(Clock::now() - start - late.size() * apart).count());
  });
  pin_this_thread(sender_cpu);
  for (std::size_t sent = 0; sent < messages; ++sent) {
    while (Clock::now() < start + sent * apart) {
    }
    bell.ring();
  }
  receiver.join();
  std::ranges::sort(late);
  return static_cast<double>(late[(messages - 1) * 99 / 100]);
}

double one_way(double seconds, int here, int there) {
  constexpr std::uint64_t kStop = 2;
  const Bell ping;
  const Bell pong;
  std::thread echo([&] {
    pin_this_thread(there);
    while (ping.await() != kStop) pong.ring();
  });
  pin_this_thread(here);
  const auto start = Clock::now();
  const auto end = start + duration<double>(seconds);
  std::uint64_t trips = 0;
  auto now = Clock::time_point(start);
  for (; now < end; now = Clock::now(), ++trips) {
    ping.ring();
    pong.await();
  }
  ping.ring(kStop);
  echo.join();
  return duration<double, std::nano>(now - start).count() / static_cast<double>(2 * trips);
}

}  // namespace

int main(int count, char** words) {
  if (count != 5) refuse("Usage: blocked SECONDS PER_SECOND CPU CPU");
  const double seconds = std::atof(words[1]);
  const double rate = std::atof(words[2]);
  const int first = std::atoi(words[3]);
  const int second = std::atoi(words[4]);
  if (rate > 0)
    std::printf("p99 ns: %.1f\n", p99_of_schedule(seconds, rate, first, second));
  else
    std::printf("one-way ns: %.1f\n", one_way(seconds, first, second));
}
