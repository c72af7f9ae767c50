/* threadping_barrier.h: a barrier of any language in threadping's own loops. It follows the rules of threadping.h; an
 * operation that fails calls threadping_operation_failed().
 */
#ifndef THREADPING_BARRIER_H
#define THREADPING_BARRIER_H
#include "threadping.h"
#ifdef __cplusplus
extern "C" {
#endif
/* One thread, the coordinator, releases others, its workers, and waits until all have done their part: round by round,
 * from 1 on. Either by four operations, of threads that the library starts; or by one, of threads that the mechanism brings.
 */
struct threadping_barrier {
  size_t size;
  const char* description; /* a mechanism as in describe.schema.json, without "timed" */
  /* For this number of workers: 0, 1, 2, ...; crowded: there are more threads than CPUs for them. */
  void* (*open)(uint32_t workers, int crowded, const struct threadping_setup*, struct threadping_failure*);
  void (*close)(void* barrier); /* may be null */
  /* The coordinator's, release: releases all workers. It may wait until they have come to await this round. */
  void (*release)(void* barrier, uint64_t round);
  /* A worker's, acquire: returns when it is released for this round. Each of them takes part in all rounds, in order. */
  void (*await)(void* barrier, uint32_t worker, uint64_t round);
  void (*arrive)(void* barrier, uint32_t worker, uint64_t round); /* release: it has done its part */
  void (*join)(void* barrier, uint64_t round); /* the coordinator's, acquire: returns when all workers have arrived */
  /* As a stage's: ends every wait. Null: the coordinator ends those of its workers by one more release. */
  void (*stop)(void* barrier);
  /* In place of these five, which are null then: has each of its threads, and the coordinator, call `body` with `of` and its
   * number, the coordinator's being 0 and no other's; returns when all have. */
  void (*call)(void* barrier, void (*body)(void* of, uint32_t thread), void* of);
};
void threadping_add_barrier(struct threadping_probe*, const struct threadping_barrier*);
#ifdef __cplusplus
}
#endif
#endif
