package threadping.probe.mechanisms.barriers;

/**
 * A fork-join: one thread, the coordinator, releases others, its workers, and waits until all have
 * done their part: round by round, from 1 on. It is one object, which all use. What was written
 * before release is seen after await, and what was written before arrive after join.
 */
public interface Barrier {
  /** The coordinator's. Releases all workers; may wait until they have come to await this round. */
  void release(long round) throws InterruptedException;

  /** Returns when this worker is released for this round. */
  void await(int worker, long round) throws InterruptedException;

  /** The worker has done its part. */
  void arrive(int worker, long round) throws InterruptedException;

  /** The coordinator's. Returns when all workers have arrived. */
  void join(long round) throws InterruptedException;

  /** The coordinator's: a round that is none, so that its workers see that no other comes. */
  default void end(long round) throws InterruptedException {
    release(round);
  }

  /** Ends every wait, now and later. Any thread calls it, again and again until all have ended. */
  void stop();

  /** There are more threads than CPUs. Called before anybody acts. */
  default void shareCpus() {}
}
