package threadping.probe.lock;

import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Collections;
import java.util.Deque;
import java.util.List;

/**
 * Short calls from which the virtual machine learns a timed loop, and then compiles it as a method.
 *
 * <p>They stay short for a while because it compiles a method for good after so many calls, not
 * after so many turns of its loops: with long calls only, every one would begin in slow code and be
 * replaced under way (OSR). Calls of all threads count together.
 *
 * <p>They come in parts, both loops in each: to wait for the compiler after every lesson would take
 * longer than a short warm-up.
 */
final class Lessons {
  /** So long is a call at the end: C2 unrolls no loop further than it has mostly turned. */
  static final int CHUNK = 20;

  private enum Length {
    /**
     * C1 compiles after 200 calls (Tier3InvocationThreshold; HotSpot's compilationPolicy.cpp),
     * which the interpreter notices at a multiple of 128 (Tier0InvokeNotifyFreqLog).
     */
    FOR_C1(300, 1),

    /**
     * C2 compiles after 600 more calls, once these and the loop's turns are 15,000 together
     * (Tier4MinInvocationThreshold, Tier4CompileThreshold), which is noticed at a multiple of 1024
     * calls or of 8192 turns (Tier3InvokeNotifyFreqLog, Tier3BackedgeNotifyFreqLog); and 40,000
     * turns, which would ask for OSR (Tier4BackEdgeThreshold), are not reached.
     */
    FOR_C2(1100, CHUNK);

    final int calls;
    final int chunk;

    Length(int calls, int chunk) {
      this.calls = calls;
      this.chunk = chunk;
    }
  }

  /**
   * What one lesson does not bring about the next one does: a compiler with a queue raises its
   * thresholds (Tier3LoadFeedback), and of several threads that count together, in counters that
   * are plain, some counts are lost.
   */
  private static final int LEAST_REPETITIONS = 2;

  private static final int MOST_REPETITIONS = 4;

  /** Some, so that the end of the room is no surprise that costs the compiled loop its life. */
  private static final int CALLS_WITHOUT_ROOM = 50;

  private static final int EVERY = 2;

  /**
   * The loop around all calls is replaced after 60,000 turns, and again after 40,000 more
   * (Tier3BackEdgeThreshold, Tier4BackEdgeThreshold). In parts, so that another order is nothing
   * unheard-of.
   */
  private static final int REHEARSED_CALLS = 160_000;

  private static final int REHEARSALS = 8;

  private final Deque<Deque<Stint>> parts = new ArrayDeque<>();

  private Lessons(int threads, boolean areBothLoopsTaught) {
    for (Length length : Length.values()) {
      List<Stint> part = new ArrayList<>();
      if (areBothLoopsTaught) {
        part.add(Stint.plain(share(length.calls, threads), length.chunk));
      }
      part.add(Stint.sampled(share(length.calls, threads), length.chunk, EVERY));
      part.add(Stint.withoutRoom(share(CALLS_WITHOUT_ROOM, threads), length.chunk));
      for (int each = 0; each < repetitions(threads); each++) {
        parts.add(new ArrayDeque<>(part));
      }
    }
    Stint rehearsal = Stint.rehearsal(share(REHEARSED_CALLS / REHEARSALS, threads));
    parts.add(new ArrayDeque<>(Collections.nCopies(REHEARSALS, rehearsal)));
  }

  /** Of the plain loop and of the sampled one, and then of what surrounds them. */
  static Lessons ofBothLoops(int threads) {
    return new Lessons(threads, true);
  }

  /** Where the plain loop has been taught otherwise. */
  static Lessons ofSampledLoop(int threads) {
    return new Lessons(threads, false);
  }

  boolean areOver() {
    return parts.isEmpty();
  }

  Stint current() {
    return parts.getFirst().getFirst();
  }

  /** Goes on to the next one. True at the end of a part: the compiler then has enough to do. */
  boolean next() {
    Deque<Stint> part = parts.getFirst();
    part.removeFirst();
    if (part.isEmpty()) {
      parts.removeFirst();
    }
    return part.isEmpty();
  }

  void drop() {
    parts.clear();
  }

  private static int repetitions(int threads) {
    return Math.max(LEAST_REPETITIONS, Math.min(threads, MOST_REPETITIONS));
  }

  private static int share(int all, int threads) {
    return (all + threads - 1) / threads;
  }
}
