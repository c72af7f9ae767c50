package threadping.probe.engine;

import java.util.Arrays;
import threadping.probe.contract.Request;
import threadping.probe.platform.Native;

/**
 * Looks before and after what its thread times, and keeps what was seen around the longest: all of
 * it is decided in C++ (engine/looks.hpp). Here is only when to ask: a look is due, or something
 * was long.
 */
class Looks {
  /** Never freed. */
  final long address;

  /** Nothing is looked ahead of before then. */
  private long dueNs;

  private long leastNs = Long.MAX_VALUE;

  /** When what was long began and when it ended, in turn. */
  private long[] timings = new long[64];

  private int filled;

  /**
   * Of the calling thread, and the run delays of these others; they are null of a virtual thread,
   * which the kernel does not know.
   */
  Looks(Request.Outliers wanted, int[] others, boolean withTracePoints, double crowd) {
    address = Native.looks(wanted, others, withTracePoints, crowd);
    dueNs = others == null ? Long.MAX_VALUE : 0;
  }

  /** Forgets all: the warm-up's. */
  void clear() {
    Native.forgetLooks(address);
  }

  /** What is long from now on is told by what was recorded so far. */
  void begin(Histogram histogram) {
    leastNs = Native.beginLooks(address, histogram.samples(), histogram.median());
  }

  /** Ahead of something that is timed. */
  void before() {
    if (System.nanoTime() >= dueNs) {
      dueNs = Native.lookBefore(address);
    }
  }

  /** Something was timed; {@link #after} is to follow. */
  void offer(long fromNs, long toNs) {
    if (toNs - fromNs >= leastNs) {
      if (filled == timings.length) {
        timings = Arrays.copyOf(timings, 2 * filled);
      }
      timings[filled++] = fromNs;
      timings[filled++] = toNs;
    }
  }

  /** Keeps what was long, and looks, if it may. */
  void after(boolean may) {
    if (filled > 0) {
      long due = Native.lookAfter(address, timings, filled / 2, may);
      dueNs = dueNs == Long.MAX_VALUE ? dueNs : due;
      filled = 0;
    }
  }
}
