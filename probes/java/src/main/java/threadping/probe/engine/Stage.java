package threadping.probe.engine;

import java.util.Map;
import threadping.probe.platform.Threads;

/** A mechanism's cells, one for each line, and who acts on them. */
public interface Stage {
  /** Called by the thread itself. */
  Player player(int thread);

  /** The one that lives so, not started: where the mechanism is a pool of threads, one of these. */
  default Thread thread(int thread, boolean virtual, String name, Runnable life) {
    return Threads.make(virtual, name, life);
  }

  /** There are more threads than CPUs. Called before there are players. */
  default void shareCpus() {}

  /** Which of the experiment's roles this thread has: the first and the second alternate. */
  default int roleOf(int thread) {
    return thread % 2;
  }

  /** Whether what one of these threads reads from the clock is held against the other's. */
  default boolean comparesClocks(int one, int other) {
    return false;
  }

  /**
   * Ends every wait on this line that would not end by itself. Called by any thread at any time,
   * again and again, since a thread that is just storing may overwrite what it leaves.
   */
  default void stop(int line) {}

  /** Something that changes with every operation on this line; for any thread at any time. */
  default long progress(int line) {
    return 0;
  }

  /**
   * When all threads have ended: what is to be held against the operations of each. Empty where
   * {@link #stop} left nothing to compare.
   */
  Map<String, Held> counts(long[] ops);

  /** The address of the cells; 0 where they are in the heap, and a collector may move them. */
  default long memory() {
    return 0;
  }
}
