/* A probe by the loops of threadping.h: `signal`, two threads that take turns at one word. The loops are this
 * program's own: threadping calls one for a chunk of handoffs, and reads no clock in it.
 *
 *   cc -O3 -Iinclude signal_loop.c -Llib -lthreadping -lstdc++ -lm -pthread -o signal-loop
 */
#include <stdatomic.h>
#include <stdlib.h>

#include "threadping.h"

#define LINES 128 /* a pair of cache lines: they are fetched together */
struct cell {
  _Alignas(LINES) _Atomic uint64_t turn; /* the handoffs so far: an even number is ping's turn */
  struct { _Alignas(LINES) uint64_t next; } side[2]; /* the next turn of each */
};
struct stage {
  struct player { struct stage* stage; uint32_t side; } players[2];
  uint32_t lines;
  struct cell cells[];
};

static void* make(void* context, const struct threadping_setup* setup, struct threadping_failure* why) {
  struct stage* stage = aligned_alloc(LINES, sizeof *stage + setup->lines * sizeof(struct cell));
  if (stage == NULL) return (void)context, threadping_fail(why, THREADPING_UNSUPPORTED, "No memory for the lines."), NULL;
  stage->lines = setup->lines;
  for (uint32_t side = 0; side < 2; ++side) stage->players[side] = (struct player){stage, side};
  for (uint32_t line = 0; line < setup->lines; ++line) stage->cells[line] = (struct cell){0, {{0}, {1}}};
  return stage;
}
static uint64_t progress(void* stage, uint32_t line, struct threadping_failure* why) {
  return (void)why, atomic_load_explicit(&((struct stage*)stage)->cells[line].turn, memory_order_relaxed);
}
static void stop(void* stage, uint32_t line, struct threadping_failure* why) {
  (void)why, atomic_store(&((struct stage*)stage)->cells[line].turn, THREADPING_STOPPED);
}
static void count(void* stage, const uint64_t* ops, struct threadping_counts* counts, struct threadping_failure* why) {
  uint64_t found = 0, seen = 0;
  for (uint32_t line = 0; line < ((struct stage*)stage)->lines; ++line, found += seen)
    if ((seen = progress(stage, line, why)) >= THREADPING_STOPPED) return; /* each for itself: several add up to 0 */
  threadping_count(counts, "handoffs", ops[0] + ops[1], found, 1);
}
static void* player(void* stage, uint32_t thread, struct threadping_failure* why) {
  return (void)why, &((struct stage*)stage)->players[thread];
}

/* Ping alone is asked to time: round trips, as a chain of readings from the one that opened the window on. */
static uint64_t run(void* player, const struct threadping_task* task, struct threadping_samples* samples,
                    struct threadping_failure* why) {
  const struct player* self = player;
  struct cell* cell = &self->stage->cells[task->line];
  uint64_t due = cell->side[self->side].next, done = 0, seen = 0, from_ns = task->opened_ns;
  for (; done < task->count; ++done, due += 2) {
    while ((seen = atomic_load_explicit(&cell->turn, memory_order_acquire)) < due) continue;
    if (seen != due) break;
    atomic_store_explicit(&cell->turn, due + 1, memory_order_release);
    if (task->every == 0) continue;
    const uint64_t to_ns = threadping_now_ns();
    threadping_add(samples, from_ns, to_ns);
    from_ns = to_ns;
  }
  cell->side[self->side].next = due;
  if (done < task->count && seen < THREADPING_STOPPED)
    threadping_fail(why, THREADPING_SEQUENCE_BROKEN, "A handoff was lost or doubled.");
  return done;
}

static const struct threadping_stage kStage = {sizeof kStage, NULL, make, free, NULL, NULL, stop, progress, count, NULL};
static const struct threadping_loops kLoops = {
    sizeof kLoops, "{\"name\":\"signal\",\"windows\":\"ops\",\"threads\":[2,2],"
    "\"roles\":[{\"name\":\"ping\",\"counts\":true},{\"name\":\"pong\",\"counts\":true}],"
    "\"mechanisms\":[{\"name\":\"c-word\",\"blocking\":false,\"timed\":[\"round-trip\"],\"lines\":16,"
    "\"words\":{\"summary\":\"one atomic word of C11\",\"costs\":\"a CPU for each thread\"}}]}",
    &kStage, player, NULL, run, NULL};

int main(int argc, char** argv) {
  struct threadping_probe* probe = threadping_probe_new(THREADPING_VERSION, "{\"probe\":\"c\",\"version\":\"1\","
      "\"toolchain\":{\"name\":\"cc\",\"version\":\"" __VERSION__ "\",\"flags\":[]}}");
  threadping_add_loops(probe, &kLoops);
  return threadping_main(probe, argc, argv);
}
