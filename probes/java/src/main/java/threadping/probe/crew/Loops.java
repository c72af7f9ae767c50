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
   * fewer only where {@link #stop} ended a wait. Throws Failure for what it saw wrong.
   */
  int plain(int thread, int line, int count);

  /**
   * The same, and times each: the first {@code count} durations, in nanoseconds. A chain of them
   * begins at {@code openedNs}, the clock reading that opened the window, so that no interval is
   * hidden.
   */
  int timed(int thread, int line, long openedNs, long[] durations, int count);

  /**
   * The first thread, which leads, has done with this line: a partner that has to be met before it
   * can go on is met.
   */
  default void leave(int line) {}

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
