package threadping.probe.engine;

/**
 * What a thread is to do next.
 *
 * @param line where
 * @param count the number of operations
 * @param every 0: nobody reads a clock. Otherwise the middle one of each group of this size is
 *     timed
 * @param openedNs the clock reading that opened the window, where the thread itself opened it
 */
public record Task(int line, int count, int every, long openedNs) {
  Task(int line, int count, int every) {
    this(line, count, every, 0);
  }
}
