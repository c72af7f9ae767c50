/* threadping.h: have threadping's engine measure mechanisms of any language.
 *
 * A program that links libthreadping.a is a probe (contract/README.md): it describes itself, and measures one trial in
 * one process. The library reads the request, starts and pins the threads, leads them through warm-up and windows,
 * watches over them, times, looks into outliers and writes the result. The program adds what is measured, by one of
 *
 *   loops       its own timed loops, one indirect call for a chunk of operations: threadping_add_loops()
 *   operations  of a signal or a queue, which threadping's loops call: threadping_add_signal(), threadping_add_queue()
 *   workers     threads of its own runtime, which look at words in shared memory: threadping_add_workers()
 *
 * - A struct of the program's begins with its size, sizeof(struct ...), and lives, with all that it points to, as long
 *   as its probe. Another size than the library's is refused, with a sentence.
 * - Texts are UTF-8 and end with 0; descriptions and parameters are the contract's JSON. Times are nanoseconds of
 *   threadping_now_ns(). Fields and callbacks that may be null say so.
 * - A callback that fails calls threadping_fail() and returns; nothing may be thrown out of it, nor jump past it. What
 *   fails first is the trial's error. "Any thread" means: several at once, at any time until `free`.
 */
#ifndef THREADPING_H
#define THREADPING_H

#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/* Of this header. A library of another version refuses the program, with a sentence. */
#define THREADPING_VERSION 1u

/* The contract's error codes. Exit status 2 up to UNSUPPORTED: the request cannot be met as written; 1 from there on. */
enum threadping_code {
  THREADPING_OK, THREADPING_BAD_REQUEST, THREADPING_UNKNOWN_EXPERIMENT, THREADPING_UNKNOWN_MECHANISM,
  THREADPING_UNKNOWN_PARAM, THREADPING_UNSUPPORTED, THREADPING_PIN_FAILED, THREADPING_STALLED,
  THREADPING_SEQUENCE_BROKEN, THREADPING_COUNT_WRONG, THREADPING_INTERNAL,
  THREADPING_NO_THREAD /* the system refused a thread: the library says how many there were, and what to do */
};
struct threadping_failure {
  size_t size;
  uint32_t code; /* THREADPING_OK: none */
  char sentence[512];
};
/* Cuts a longer sentence. The first failure stands. */
void threadping_fail(struct threadping_failure*, enum threadping_code, const char* sentence);

/* ---- the probe: one thread makes it, adds to it and runs it ---- */

struct threadping_probe;

/* `identity`: {"probe", "version", "toolchain"} as in describe.schema.json. What is wrong with this or with what is
 * added is said by all that follows, and nothing is measured. The sizes are threadping_probe_new()'s to check. */
struct threadping_probe* threadping_probe_new(uint32_t version, const char* identity);
void threadping_probe_free(struct threadping_probe*);
/* The whole program: `describe`, and `run --request FILE --result FILE [--parent PID]`. Gives the exit status; end
 * with it by _exit(), since threads may remain that could not be stopped. */
int threadping_main(struct threadping_probe*, int argc, char** argv);
/* The same in parts: the message of `describe`; the experiment that a request names; the message of a result. A text
 * for free(); null where it failed. After a failed run threads may still use the probe: keep it. */
char* threadping_describe(const struct threadping_probe*, struct threadping_failure*);
char* threadping_experiment(const char* request, struct threadping_failure*);
char* threadping_run(const struct threadping_probe*, const char* request, struct threadping_failure*);

/* The clock that all times are of: CLOCK_MONOTONIC. Any thread. */
uint64_t threadping_now_ns(void);

/* ---- what a trial is made of ---- */

struct threadping_setup { /* valid until `free` of what is made of it */
  size_t size;
  const char* mechanism;
  uint32_t lines;     /* so many cells; a stream has one */
  uint32_t threads;
  uint64_t seed;
  const char* params; /* every parameter of the mechanism, as {"wait":"spin","size":64}: checked, defaults included */
  const int* home;    /* the CPUs where cells are to be touched first; null: anywhere. Loops and operations are made */
  size_t homes;       /* by a thread that runs there. */
};
/* A parameter that the mechanism has, by its name: a whole number, or a text that lives as long as the setup. */
int64_t threadping_param_number(const struct threadping_setup*, const char* name);
const char* threadping_param_text(const struct threadping_setup*, const char* name);

struct threadping_counts; /* what must be equal when a trial has ended, by name, such as "hand-overs" */
void threadping_count(struct threadping_counts*, const char* name, uint64_t made, uint64_t found, int must_be_equal);

/* The cells of a trial and who acts on them. `stage` is what `make` gave. */
struct threadping_stage {
  size_t size;
  void* (*make)(const struct threadping_setup*, struct threadping_failure*); /* by one thread, before all others */
  void (*free)(void* stage);               /* after all others; never where threads could not be stopped */
  uint32_t (*role_of)(void* stage, uint32_t thread); /* any thread. Null: the roles in turn */
  int (*compares_clocks)(void* stage, uint32_t one, uint32_t other); /* is one's reading held against the other's? Null: no */
  /* Ends every wait on this line that would not end by itself. Any thread, again and again until all have ended: a
   * thread that is just storing may overwrite it. */
  void (*stop)(void* stage, uint32_t line, struct threadping_failure*);
  /* Changes with every operation on this line. Any thread. Null: the threads' own counts are enough. */
  uint64_t (*progress)(void* stage, uint32_t line, struct threadping_failure*);
  /* When all have ended: `ops` of each thread. Counts nothing where stop() left nothing to compare. */
  void (*count)(void* stage, const uint64_t* ops, struct threadping_counts*, struct threadping_failure*);
  const void* (*memory)(void* stage); /* where the cells are, or null: nobody knows. May be null itself */
};

/* ---- loops: of any experiment, be it one of threadping's or another ---- */

struct threadping_task {
  uint32_t line;
  uint32_t every;     /* 0: read no clock. Otherwise time one operation in so many, the middle one of its group */
  uint64_t count;     /* perform so many operations */
  uint64_t opened_ns; /* what the window began with, where this thread opened it: a chain of readings starts there */
};
struct threadping_timing { uint64_t from_ns, to_ns; };
struct threadping_samples; /* of the thread that runs, until it returns */
void threadping_add(struct threadping_samples*, uint64_t from_ns, uint64_t to_ns);
/* The same in place, without a call in the loop: free places, and that so many of them were filled. */
struct threadping_timing* threadping_places(struct threadping_samples*, size_t* room);
void threadping_filled(struct threadping_samples*, size_t count);
void threadping_record(struct threadping_samples*, size_t index, uint64_t value); /* of the role's `numbers` */
void threadping_tally(struct threadping_samples*, size_t index, uint64_t made, uint64_t found); /* of its `tallies` */
void threadping_read_clock(struct threadping_samples*, uint64_t times); /* all readings: by them `every` is fitted */
void threadping_about_to_time(struct threadping_samples*); /* after a pause, with no reading at hand: may look around */
void threadping_others_wait(struct threadping_samples*, int wait); /* behind this thread: then nobody looks around */

struct threadping_loops {
  size_t size;
  const char* description; /* an experiment as in describe.schema.json, with one mechanism, and where they differ from
     their defaults "stalled" (what to say when nobody moves), "stream" and "open_loop" (false), and of a role "numbers"
     ([{"name","unit"}]) and "tallies" ([name]) */
  const struct threadping_stage* stage;
  /* A thread's part, made by itself once it stands on its CPU; freed by another after it has ended. Null of `player`:
   * the stage is every thread's; of `free_player`: nothing to free. */
  void* (*player)(void* stage, uint32_t thread, struct threadping_failure*);
  void (*free_player)(void* player);
  /* Performs a task. Gives how many operations it completed: fewer where stop() ended a wait or the stream ended. */
  uint64_t (*run)(void* player, const struct threadping_task*, struct threadping_samples*, struct threadping_failure*);
  /* The end of a stream, once, after all else: a sender says so; a receiver takes until all have. Null: nothing. */
  uint64_t (*leave)(void* player, struct threadping_samples*, struct threadping_failure*);
};
void threadping_add_loops(struct threadping_probe*, const struct threadping_loops*);

/* ---- operations: of `signal` (two cells), `notify` and `paced` (one); of a queue `paced` ---- */

#define THREADPING_CELL 128 /* bytes of a cell, which are 0 and begin a pair of cache lines */

/* A number that only grows: one thread publishes 1, 2, 3, ..., one awaits. 0 is published from the start. */
struct threadping_signal {
  size_t size;
  const char* description; /* a mechanism as in describe.schema.json, without "timed"; "lines" is 1 where it lacks */
  int (*open)(void* cell, const struct threadping_setup*, struct threadping_failure*); /* 0: made. May be null, */
  void (*close)(void* cell);                                                           /* and so may this */
  void (*publish)(void* cell, uint64_t number);   /* wakes who awaits it, and never waits for it; a release */
  uint64_t (*await)(void* cell, uint64_t number); /* gives what is published: that or more; an acquire */
  void (*stop)(void* cell);          /* has every await give at least THREADPING_STOPPED; any thread, again and again */
  uint64_t (*peek)(const void* cell);             /* what is published; any thread; neither waits nor orders */
};
#define THREADPING_STOPPED ((uint64_t)1 << 62)
void threadping_add_signal(struct threadping_probe*, const struct threadping_signal*);

/* Numbers in the order in which they were sent, from one thread to another. */
struct threadping_queue {
  size_t size;
  const char* description; /* as a signal's */
  void* (*open)(uint64_t numbers, const struct threadping_setup*, struct threadping_failure*); /* room for so many */
  void (*close)(void* queue);
  void (*send)(void* queue, uint64_t number);     /* waits where there is no room, until there is or stop() */
  size_t (*take)(void* queue, uint64_t* numbers, size_t most); /* waits for one at least; 0: stopped */
  void (*stop)(void* queue);                      /* any thread, again and again */
};
void threadping_add_queue(struct threadping_probe*, const struct threadping_queue*);

/* ---- workers: in a runtime whose threads cannot run below C, each looks by itself at the words that it shares ---- */

struct threadping_number { uint64_t index, value; };
/* Words of 8 bytes in native byte order. Those up to `numbers` do not change; the others are the calling worker's. */
struct threadping_worker {
  uint64_t size;
  uint64_t thread, leads, apart, stream, crowded; /* leads: it is the first, and windows are operations; apart: of a
     mechanism that is not pinnable, whose visits are led by a thread of the library; crowded: more workers than CPUs */
  const uint64_t* order;       /* the number of the latest order: load it with acquire, as often as you like */
  uint64_t* operations;        /* completed so far, after each run; store with release, as the next two */
  uint64_t* readings;          /* of the clock so far, likewise */
  uint64_t* finished;          /* the number of the order whose `count` is performed */
  const uint64_t* asked;       /* apart: the number of the latest visit; load with acquire */
  uint64_t room;               /* of each of the next two */
  struct threadping_timing* timings;
  struct threadping_number* numbers;
  uint64_t made[2], found[2];  /* tallies of this run; threadping_take() clears them */
  uint64_t due_ns;             /* before then threadping_look_before() does nothing */
  uint64_t leave, line, count, whole, chunk, every; /* an order: end; or perform `count` there, all in one loop where
     `whole`; say so in `finished`; and then chunk by chunk, one in `every` timed, until there is another order */
  uint64_t lead_in, throughput, sampling; /* a visit: perform so many uncounted ones on `line`; then so many between two
     readings; then so many, each timed, from the second reading on */
  uint64_t throughput_ns, throughput_done, sampling_ns, sampling_done; /* what came of it */
};
/* The life of a worker, called by itself, in this order: stand (0: it does; otherwise it has failed, and goes to the
 * end); if it leads lead(), and, apart, visits: await *asked, take_visit (0: no more), visited; otherwise orders: await
 * *order, take_up, perform, until `leave`; end, whatever happened. await_order() sleeps until there is another. */
int threadping_stand(struct threadping_worker*);
void threadping_lead(struct threadping_worker*); /* returns when the trial is over; apart, at once */
void threadping_await_order(struct threadping_worker*, uint64_t number);
void threadping_take_up(struct threadping_worker*, uint64_t number);
int threadping_take_visit(struct threadping_worker*);
void threadping_visited(struct threadping_worker*);
void threadping_look_before(struct threadping_worker*); /* ahead of what is timed, if due_ns has passed */
void threadping_take(struct threadping_worker*, size_t timings, size_t numbers, int may_look); /* after a run */
void threadping_worker_failed(struct threadping_worker*, enum threadping_code, const char* sentence);
void threadping_end(struct threadping_worker*);

struct threadping_upkeep { uint64_t compile_ms /* UINT64_MAX: it does not tell */, collections; };
struct threadping_pauses;
void threadping_pause(struct threadping_pauses*, uint64_t at_ns, uint64_t ns, const char* name);

struct threadping_workers {
  size_t size;
  const char* description; /* as of loops, with one mechanism or more; `make` finds its name in the parameters as "" */
  const struct threadping_stage* stage; /* all of it is called by the thread that called threadping_run(), but role_of */
  void (*start)(void* stage, struct threadping_worker*, struct threadping_failure*); /* begins the worker's life */
  void (*join)(void* stage, uint32_t thread);   /* waits for its end */
  void (*visit)(void* stage, struct threadping_worker*); /* makes the visit in its words, on the thread in lead() */
  const char* carriers;                         /* the kernel's names of threads that carry those apart begin so; or null */
  const char* clock;                            /* the name of the runtime's clock, which shows threadping_now_ns() */
  double (*clock_ns)(void* stage, struct threadping_failure*); /* what a reading of it costs */
  struct threadping_upkeep (*upkeep)(void* stage, struct threadping_failure*); /* so far; by any thread, between windows */
  int (*pauses)(void* stage, struct threadping_pauses*, struct threadping_failure*); /* ascending; 0: it does not tell */
};
void threadping_add_workers(struct threadping_probe*, const struct threadping_workers*);

#ifdef __cplusplus
}
#endif
#endif
