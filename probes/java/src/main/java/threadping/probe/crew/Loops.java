package threadping.probe.crew;

import java.util.Map;
import threadping.probe.message.Result;

/**
 * What an experiment gives the crew for one trial: its mechanism's cells, one for each line, and
 * the timed loops over them. One call is a whole loop: what it costs to find the cell is paid once
 * a loop.
 *
 * <p>A fresh virtual machine that measures one mechanism sees one implementation of its cells in
 * these loops, and inlines it.
 */
public interface Loops {
  /**
   * Performs {@code count} operations of this thread on this line. Returns how many it completed,
   * fewer only where {@link #stop} ended a wait, or where all that it waits for have left. Throws
   * Failure for what it saw wrong.
   */
  int plain(int thread, int line, int count);

  /**
   * The same, and times them: {@code count} timings at most, in order, some of which may be left
   * out. It may complete more operations than it times. A chain of timings begins at {@code
   * openedNs}, the clock reading that opened the window, so that no interval is hidden.
   */
  int timed(int thread, int line, long openedNs, Timings timings, int count);

  /**
   * What this thread does between two operations, after a timed one: whoever looks at what took
   * long does so before it. In plain loops the loops do it themselves.
   */
  default void between(int thread, int line) {}

  /**
   * This thread has done what it was ordered to do on this line, until it is ordered again: whoever
   * waits for it need not wait any longer, and a partner that has to be met before this thread can
   * go on is met.
   */
  default void leave(int thread, int line) {}

  /**
   * Whether what this thread completes are the experiment's operations; those of one that only
   * follows others are not.
   */
  default boolean counted(int thread) {
    return true;
  }

  /**
   * Which of the experiment's roles this thread has, by its place there; as many roles further on
   * is the same one again.
   */
  default int role(int thread) {
    return thread;
  }

  /**
   * Whether this thread times whatever comes to it stamped, instead of one of its operations in so
   * many: where operations are timed it only calls {@link #timed}, with room for many timings, and
   * that returns when there is at least one.
   */
  default boolean timesAll(int thread) {
    return false;
  }

  /** The warm-up is over; what comes may be fitted once more, and is measured then. All rest. */
  default void warmedUp() {}

  /**
   * Measuring begins; all threads rest. What was recorded so far ({@link #distributions}) was the
   * warm-up's.
   */
  default void begin() {}

  /**
   * Further distributions, by name, besides those of what the threads time: of what was recorded
   * while they measured, empty where they did not. Asked when all threads have ended.
   */
  default Map<String, Result.Distribution> distributions() {
    return Map.of();
  }

  /**
   * Ends every wait on this line that would not end by itself. Called by any thread at any time,
   * again and again, since a thread that is just storing may overwrite what it leaves.
   */
  default void stop(int line) {}

  /** Something that changes with every operation on this line; for any thread at any time. */
  long progress(int line);

  /**
   * When all threads have ended and made so many operations together: what is to be held against
   * that. Empty where {@link #stop} left nothing to compare.
   */
  Map<String, Result.Held> counts(long made);

  /** The address of the cells; 0 where they are in the heap, and a collector may move them. */
  default long memory() {
    return 0;
  }
}
