/* threadping_checks.h: the contract of a custom mechanism (docs/how-to/custom-mechanism.md), checked before it is
 * measured. For probes of any language, part of libthreadping.a like threadping.h, whose rules hold for structs, texts
 * and callbacks.
 *
 * A check comes back after a second or two; or it ends the process, with exit status 1 and the first breach of the
 * contract that it saw as the last line of standard error. Callbacks are called by several threads at once, and have no
 * other failure than threadping_refuse().
 */
#ifndef THREADPING_CHECKS_H
#define THREADPING_CHECKS_H
#include <stddef.h>
#include <stdint.h>
#ifdef __cplusplus
extern "C" {
#endif
/* Ends the process so, with this sentence: threads that hang cannot be ended otherwise. */
void threadping_refuse(const char* sentence);

struct threadping_checked_signal {
  size_t size;
  const char* awaiting; /* what its await is called in its language */
  void* (*make)(void);
  void (*free)(void* signal);
  void (*publish)(void* signal, uint64_t number);
  uint64_t (*await)(void* signal, uint64_t number);
  void (*stop)(void* signal);
  uint64_t (*peek)(const void* signal);
};
void threadping_check_signal(const struct threadping_checked_signal*);

struct threadping_checked_lock {
  size_t size;
  void* (*make)(void);
  void (*free)(void* lock);
  void (*hold)(void* lock, void (*critical)(void* of), void* of); /* calls critical(of) while it holds the lock */
};
void threadping_check_lock(const struct threadping_checked_lock*);

#define THREADPING_LETTER \
  8 /* words of a message; the upper 16 bits of the first say which producer sends it */
struct threadping_checked_queue {
  size_t size;
  const char *sending, *taking, *unbounded; /* what its operations are called, and how it says that it is never full */
  int many_producers, bounded;
  void* (*make)(size_t messages, size_t producers); /* holds this number of messages */
  void (*free)(void* queue);
  int (*send)(void* queue, const uint64_t* letter); /* waits while it is full; 0: it was stopped */
  int (*take)(void* queue, uint64_t* letter);       /* waits for one; likewise */
  void (*stop)(void* queue);
  /* Sends until the queue is full, at most `most` messages, and gives how many. Null if sends wait by themselves. */
  size_t (*fill)(size_t messages, size_t most);
};
void threadping_check_queue(const struct threadping_checked_queue*);
#ifdef __cplusplus
}
#endif
#endif
