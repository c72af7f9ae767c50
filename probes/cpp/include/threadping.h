/* threadping.h: have threadping's engine measure mechanisms of any language.
 *
 * A program that links libthreadping.a is a probe (contract/README.md). The library reads the request, starts and pins
 * the threads, leads them through warm-up and windows, watches over them, looks into outliers and writes the result.
 * The program adds what is measured, as one of
 *   loops       its own timed loops, one indirect call for a chunk of operations: threadping_add_loops()
 *   operations  of a signal or a queue, which threadping's loops call: threadping_add_signal(), threadping_add_queue()
 *   workers     threads of its own runtime, which poll words in shared memory: threadping_add_workers()
 *
 * - A struct of the program's begins with its size, sizeof(struct ...), and lives, with all that it points to, as long
 *   as its probe. Another size than the library's is refused with a sentence.
 * - Texts are UTF-8 and end with 0; descriptions and parameters are the contract's JSON. Times are nanoseconds of
 *   threadping_now_ns(). Only what says so may be null. "Any thread" means: several at once, until `free`.
 * - A callback that fails calls threadping_fail() and returns: the first failure is the trial's error. Nothing may be
 *   thrown out of it, nor jump past it.
 */
#ifndef THREADPING_H
#define THREADPING_H
#include <stddef.h>
#include <stdint.h>
#ifdef __cplusplus
extern "C" {
#endif
#define THREADPING_VERSION 1u /* of this header: a library of another one refuses the program with a sentence */
/* The contract's error codes. The exit status is 2 up to UNSUPPORTED (it cannot be met as written), and 1 beyond. */
enum threadping_code {
  THREADPING_OK, THREADPING_BAD_REQUEST, THREADPING_UNKNOWN_EXPERIMENT, THREADPING_UNKNOWN_MECHANISM,
  THREADPING_UNKNOWN_PARAM, THREADPING_UNSUPPORTED, THREADPING_PIN_FAILED, THREADPING_STALLED,
  THREADPING_SEQUENCE_BROKEN, THREADPING_COUNT_WRONG, THREADPING_INTERNAL,
  THREADPING_NO_THREAD /* the system refused a thread: the library says how many there were, and what to do */
};
struct threadping_failure { size_t size; uint32_t code; char sentence[512]; }; /* none: code THREADPING_OK */
/* Reports a failure: the first one is kept, and cut where it is longer. */
void threadping_fail(struct threadping_failure*, enum threadping_code, const char* sentence);

/* ---- the probe: made, added to and run by one thread ---- */
struct threadping_probe;
/* `identity`: "probe", "version" and "toolchain" of describe.schema.json. What is wrong, here or in what is added, is
 * said by all that follows; nothing is measured then. */
struct threadping_probe* threadping_probe_new(uint32_t version, const char* identity);
void threadping_probe_free(struct threadping_probe*); /* not after a run that failed: threads may still use it */
/* The whole program, `describe` and `run --request FILE --result FILE [--parent PID]`. It ends the process. */
int threadping_main(struct threadping_probe*, int argc, char** argv);
/* The parts of threadping_main: messages, and the experiment of a request. A text for free(); null where it failed. */
char* threadping_describe(const struct threadping_probe*, struct threadping_failure*);
char* threadping_experiment(const char* request, struct threadping_failure*);
char* threadping_run(const struct threadping_probe*, const char* request, struct threadping_failure*);
uint64_t threadping_now_ns(void); /* CLOCK_MONOTONIC. Any thread */

/* ---- what a trial is made of ---- */
struct threadping_setup { /* until `free`; for operations until they are open */
  size_t size;
  const char* mechanism;
  uint32_t lines, threads; /* lines: the number of cells, a line each; a stream has one */
  uint64_t seed;
  const char* params;      /* all of the mechanism, such as {"size":64,"wait":"spin"}: checked, defaults included */
  const int* home;         /* the CPUs that are to touch a worker's cells first; null: any. Other makers run there */
  size_t homes;
};
/* One of the parameters: a whole number, or a text. 0 and "" where there is none of this name. */
int64_t threadping_param_number(const struct threadping_setup*, const char* name);
const char* threadping_param_text(const struct threadping_setup*, const char* name);
void threadping_claim(size_t bytes, const char* what, const char* remedy, struct threadping_failure*); /* of memory */
struct threadping_counts; /* of what was made and what was found, such as "handoffs" */
void threadping_count(struct threadping_counts*, const char* name, uint64_t made, uint64_t found, int must_be_equal);

/* The cells of a trial. `stage` is what `make` gave. */
struct threadping_stage {
  size_t size;
  void* context; /* what `make` is handed, before there are threads; may be null */
  void* (*make)(void* context, const struct threadping_setup*, struct threadping_failure*);
  void (*free)(void* stage); /* when there are none any more: never where they could not be stopped. May be null */
  uint32_t (*role_of)(void* stage, uint32_t thread); /* null: the roles alternate */
  int (*compares_clocks)(void* stage, uint32_t one, uint32_t other); /* one reading with the other's? Null: no */
  /* Ends every wait on this line that would not end by itself. Any thread, again and again: a store may overtake it. */
  void (*stop)(void* stage, uint32_t line, struct threadping_failure*);
  /* Changes with every operation on this line. Any thread. Null: the threads' own counts suffice. */
  uint64_t (*progress)(void* stage, uint32_t line, struct threadping_failure*);
  /* When all have ended, with the operations of each thread. Counts nothing where stop() left nothing to compare. */
  void (*count)(void* stage, const uint64_t* ops, struct threadping_counts*, struct threadping_failure*);
  const void* (*memory)(void* stage); /* where the cells are; may be null, or give it: nobody knows */
};

/* ---- loops ---- */
struct threadping_task {
  uint32_t line;
  uint32_t every;     /* 0: read no clock. Otherwise time the middle one of each group of this size */
  uint64_t count;     /* operations to perform */
  uint64_t opened_ns; /* the reading that opened the window, where this thread did: a chain of readings begins there */
};
struct threadping_timing { uint64_t from_ns, to_ns; };
struct threadping_samples; /* the thread's, while it runs */
void threadping_add(struct threadping_samples*, uint64_t from_ns, uint64_t to_ns);
/* threadping_add without a call in the loop: the free places with their number, and how many of them were filled. */
struct threadping_timing* threadping_places(struct threadping_samples*, size_t* count);
void threadping_filled(struct threadping_samples*, size_t count);
void threadping_record(struct threadping_samples*, size_t index, uint64_t value); /* one of the role's "numbers" */
void threadping_tally(struct threadping_samples*, size_t index, uint64_t made, uint64_t found); /* of its "tallies" */
void threadping_progress(struct threadping_samples*, uint64_t done); /* of a run whose steps take long */
void threadping_read_clock(struct threadping_samples*, uint64_t times); /* so often: `every` is fitted to it */
void threadping_about_to_time(struct threadping_samples*); /* after a pause: may look around for what disturbs */
void threadping_others_wait(struct threadping_samples*, int wait); /* behind this thread: nobody looks around then */
struct threadping_loops {
  size_t size;
  /* An experiment as in describe.schema.json. What that does not say: "stalled" (said when nobody moves any more),
   * "stream", "open_loop" (false); of a role "numbers" ([{"name","unit"}]), "tallies" ([name], two), "times" (true). */
  const char* description;
  const struct threadping_stage* stage;
  /* A thread's part, made by itself once it is pinned. Null: the stage is everybody's; of `free_player`: no need. */
  void* (*player)(void* stage, uint32_t thread, struct threadping_failure*);
  void (*free_player)(void* player); /* by another thread */
  /* Performs a task. Gives how many operations it completed: fewer where stop() or the stream's end cut it short. */
  uint64_t (*run)(void* player, const struct threadping_task*, struct threadping_samples*, struct threadping_failure*);
  /* A stream's end, after all else: a sender says so; a receiver takes until all have. Gives operations. Null: none. */
  uint64_t (*leave)(void* player, struct threadping_samples*, struct threadping_failure*);
};
void threadping_add_loops(struct threadping_probe*, const struct threadping_loops*);

/* ---- operations: a signal's in `signal` (two cells, if no loops of its name were added there before), `load` and,
 * if it blocks, `wakeup` (one); a queue's in `load` ---- */
#define THREADPING_CELL 128 /* bytes of a cell: zeroes, a pair of cache lines */
#define THREADPING_STOPPED ((uint64_t)1 << 62)
void threadping_operation_failed(enum threadping_code, const char* sentence); /* within an operation, by its thread */
struct threadping_signal { /* a number that only grows, 0 at first: one thread publishes 1, 2, 3, ..., one awaits */
  size_t size;
  const char* description; /* a mechanism as in describe.schema.json, without "timed" */
  void (*open)(void* cell, const struct threadping_setup*, struct threadping_failure*); /* may be null */
  void (*close)(void* cell);                      /* may be null */
  void (*publish)(void* cell, uint64_t number);   /* release: wakes the awaiter, and never waits for it */
  uint64_t (*await)(void* cell, uint64_t number); /* acquire: gives what is published, that number or more */
  void (*stop)(void* cell);           /* as a stage's: every await gives at least THREADPING_STOPPED then */
  uint64_t (*peek)(const void* cell); /* what is published, without waiting. Any thread */
};
void threadping_add_signal(struct threadping_probe*, const struct threadping_signal*);
struct threadping_queue { /* numbers from one thread to another, in the order in which they are sent */
  size_t size;
  const char* description; /* as a signal's */
  void* (*open)(uint64_t numbers, const struct threadping_setup*, struct threadping_failure*); /* holds `numbers` */
  void (*close)(void* queue); /* may be null */
  void (*send)(void* queue, uint64_t number); /* release: waits while it is full, unless it is stopped */
  size_t (*take)(void* queue, uint64_t* numbers, size_t most); /* acquire: waits for one at least; 0: stopped */
  void (*stop)(void* queue); /* any thread, again and again */
};
void threadping_add_queue(struct threadping_probe*, const struct threadping_queue*);
/* ---- workers: of a runtime whose threads do not run below C ---- */
struct threadping_number { uint64_t index, value; };
/* A worker's words, 8 bytes each. Up to `numbers` they stay as they are; the rest is for itself and the calls below. */
struct threadping_worker {
  uint64_t size, thread, leads, apart, stream, crowded; /* leads: windows are its visits; apart, as of what is not
    "pinnable": another thread leads for it; crowded: there are more workers than CPUs */
  const uint64_t* order;  /* the number of the latest order: load with acquire, at any time */
  uint64_t *operations, *readings; /* so far, of itself and of the clock: store with release after each run */
  uint64_t* finished;     /* store with release: the number of the order whose `count` is performed */
  const uint64_t* asked;  /* apart: the number of the latest visit; as `order` */
  uint64_t capacity;      /* of each of these: */
  struct threadping_timing* timings;
  struct threadping_number* numbers; /* of the role's; null where it has none */
  uint64_t made[2], found[2]; /* tallies since the last threadping_take() */
  uint64_t due_ns;        /* threadping_look_before() does nothing before then */
  /* An order: leave; or `count` operations on `line`, all in one loop where `whole`, and then chunk by chunk, one in
   * `every` timed, until there is another order. */
  uint64_t leave, line, count, whole, chunk, every;
  /* A visit to `line`: uncounted operations, `throughput` between two clock readings, `sampling` timed after them. */
  uint64_t lead_in, throughput, sampling, throughput_ns, throughput_done, sampling_ns, sampling_done;
};
/* What a worker calls: set_up (gives 0; otherwise it has failed), lead if it leads (then, apart, for each number of
 * *asked take_visit, which gives 0 when there are no more, and visited); others take_up each order until `leave`. End
 * is the last call in any case, and the trial's memory is gone after it. */
int threadping_set_up(struct threadping_worker*);
void threadping_lead(struct threadping_worker*); /* returns when all is led; apart, at once */
void threadping_await_order(struct threadping_worker*, uint64_t number); /* sleeps until there is a later one */
void threadping_take_up(struct threadping_worker*, uint64_t number);
int threadping_take_visit(struct threadping_worker*);
void threadping_visited(struct threadping_worker*);
void threadping_look_before(struct threadping_worker*); /* ahead of what is timed */
void threadping_take(struct threadping_worker*, size_t timings, size_t numbers, int may_look); /* after a run */
void threadping_worker_failed(struct threadping_worker*, enum threadping_code, const char* sentence);
void threadping_end(struct threadping_worker*);
struct threadping_upkeep { uint64_t compile_ms, collections; }; /* compile_ms: UINT64_MAX if unknown */
struct threadping_pauses;
void threadping_pause(struct threadping_pauses*, uint64_t at_ns, uint64_t ns, const char* name); /* ascending */
struct threadping_workers {
  size_t size;
  const char* description;              /* an experiment, as of loops */
  const struct threadping_stage* stage; /* called by the thread of threadping_run() alone */
  void (*start)(void* stage, struct threadping_worker*, struct threadping_failure*); /* begins a worker's life, */
  void (*join)(void* stage, uint32_t thread);            /* and waits for its end */
  void (*visit)(void* stage, struct threadping_worker*); /* makes a visit, on the thread that called lead() */
  const char* carriers;                 /* so begin the names of the kernel's threads that carry workers apart; or null */
  const char* clock;                    /* what the runtime calls the clock, */
  double (*clock_ns)(void* stage, struct threadping_failure*); /* and what a reading costs: the minimum of batches */
  struct threadping_upkeep (*upkeep)(void* stage, struct threadping_failure*); /* so far. Any thread */
  int (*pauses)(void* stage, struct threadping_pauses*, struct threadping_failure*); /* 0: unknown */
  const char* compilers;                /* as those that compile, by commas: warm-ups sleep while one works; or null */
};
void threadping_add_workers(struct threadping_probe*, const struct threadping_workers*);
#ifdef __cplusplus
}
#endif
#endif
