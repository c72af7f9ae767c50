package threadping.probe.mechanisms.barriers;

/**
 * A way for one thread, the caller, to let others go, its members, and to wait until all have done
 * their part: round by round, from 1 on. It is one object, which all use. What was written before
 * release is seen after await, and what was written before arrive after gather.
 */
public interface Barrier {
  /** The caller's. Lets all members go; may wait until they have come to await this round. */
  void release(long round) throws InterruptedException;

  /** Returns when this member is let go for this round. */
  void await(int member, long round) throws InterruptedException;

  /** The member has done its part. */
  void arrive(int member, long round) throws InterruptedException;

  /** The caller's. Returns when all members have arrived. */
  void gather(long round) throws InterruptedException;

  /** The caller's: a round that is none, so that its members see that no other comes. */
  default void end(long round) throws InterruptedException {
    release(round);
  }

  /** Ends every wait, now and later. Any thread calls it, again and again until all have ended. */
  void stop();

  /** There are more threads than CPUs. Told before anybody acts. */
  default void shareCpus() {}
}
