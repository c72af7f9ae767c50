/* A probe by the operations of threadping.h: a signal of four functions, which `signal`, `wakeup` and `load`
 * measure, and a queue of five, which `load` measures. The loops are threadping's.
 *
 *   cc -O3 -Iinclude signal_and_queue.c -Llib -lthreadping -lstdc++ -lm -pthread -o signal-and-queue
 */
#include <pthread.h>
#include <stdlib.h>

#include "threadping.h"

struct word { pthread_mutex_t lock; pthread_cond_t changed; uint64_t number; }; /* its awaiter sleeps */
_Static_assert(sizeof(struct word) <= THREADPING_CELL, "it fits into a cell");

static void open_word(void* cell, const struct threadping_setup* setup, struct threadping_failure* why) {
  struct word* word = cell;
  if (pthread_mutex_init(&word->lock, NULL) != 0 || pthread_cond_init(&word->changed, NULL) != 0)
    (void)setup, threadping_fail(why, THREADPING_UNSUPPORTED, "No lock to be had.");
}
static void publish(void* cell, uint64_t number) {
  struct word* word = cell;
  pthread_mutex_lock(&word->lock);
  if (word->number < number) word->number = number; /* after a stop it stays stopped */
  pthread_mutex_unlock(&word->lock);
  pthread_cond_signal(&word->changed);
}
static uint64_t await(void* cell, uint64_t number) {
  struct word* word = cell;
  pthread_mutex_lock(&word->lock);
  while (word->number < number) pthread_cond_wait(&word->changed, &word->lock);
  const uint64_t seen = word->number;
  pthread_mutex_unlock(&word->lock);
  return seen;
}
static void stop(void* cell) { publish(cell, THREADPING_STOPPED); }
static uint64_t peek(const void* cell) {
  return __atomic_load_n(&((const struct word*)cell)->number, __ATOMIC_RELAXED);
}

/* A ring of numbers; both sides spin. */
struct ring { _Alignas(128) uint64_t sent; _Alignas(128) uint64_t taken; _Alignas(128) uint64_t size, stopped, at[]; };

static void* open_ring(uint64_t numbers, const struct threadping_setup* setup, struct threadping_failure* why) {
  struct ring* ring = aligned_alloc(128, (sizeof *ring + numbers * sizeof(uint64_t) + 127) / 128 * 128);
  if (ring == NULL) return (void)setup, threadping_fail(why, THREADPING_UNSUPPORTED, "No memory."), NULL;
  ring->sent = ring->taken = ring->stopped = 0, ring->size = numbers;
  return ring;
}
static int is_stopped(struct ring* ring) { return __atomic_load_n(&ring->stopped, __ATOMIC_RELAXED) != 0; }
static void send(void* queue, uint64_t number) {
  struct ring* ring = queue;
  while (ring->sent - __atomic_load_n(&ring->taken, __ATOMIC_ACQUIRE) == ring->size && !is_stopped(ring)) continue;
  ring->at[ring->sent % ring->size] = number;
  __atomic_store_n(&ring->sent, ring->sent + 1, __ATOMIC_RELEASE);
}
static size_t take(void* queue, uint64_t* numbers, size_t most) {
  struct ring* ring = queue;
  uint64_t there;
  while ((there = __atomic_load_n(&ring->sent, __ATOMIC_ACQUIRE) - ring->taken) == 0)
    if (is_stopped(ring)) return 0;
  const size_t count = there < most ? (size_t)there : most;
  for (size_t each = 0; each < count; ++each) numbers[each] = ring->at[(ring->taken + each) % ring->size];
  __atomic_store_n(&ring->taken, ring->taken + count, __ATOMIC_RELEASE);
  return count;
}
static void stop_ring(void* queue) { __atomic_store_n(&((struct ring*)queue)->stopped, 1, __ATOMIC_RELAXED); }

static const struct threadping_signal kSignal = {sizeof kSignal, "{\"name\":\"c-condition\",\"blocking\":true,"
    "\"words\":{\"summary\":\"pthread_cond_wait\",\"costs\":\"system calls for each wake-up\"}}",
    open_word, NULL, publish, await, stop, peek};
static const struct threadping_queue kQueue = {sizeof kQueue, "{\"name\":\"c-ring\",\"blocking\":false,"
    "\"words\":{\"summary\":\"a ring of numbers\",\"costs\":\"a CPU for each thread\"}}",
    open_ring, free, send, take, stop_ring};

int main(int argc, char** argv) {
  struct threadping_probe* probe = threadping_probe_new(THREADPING_VERSION, "{\"probe\":\"c\",\"version\":\"1\","
      "\"toolchain\":{\"name\":\"cc\",\"version\":\"" __VERSION__ "\",\"flags\":[]}}");
  threadping_add_signal(probe, &kSignal);
  threadping_add_queue(probe, &kQueue);
  return threadping_main(probe, argc, argv);
}
