package threadping.probe.platform;

import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import threadping.probe.Failure;

/**
 * A pool of cells, each on a page of its own and each at another offset within its page, so that a
 * trial does not hang on the luck of one physical line's home in the last-level cache. A cell is
 * two adjacent line pairs, or as many as asked for; {@link #first} and {@link #second} are the
 * addresses of the first words of the first two.
 *
 * <p>The memory is outside the heap, where no collector moves it, and touched before anything is
 * measured. It is never given back: a stalled mechanism's threads may still use it.
 */
public final class Lines {
  /**
   * Two adjacent lines: Intel's spatial prefetcher moves lines in aligned pairs of 128 bytes (Intel
   * 64 and IA-32 Architectures Optimization Reference Manual, "Data Prefetching"), and so do
   * Apple's and some Arm cores' lines.
   */
  public static final int LINE_PAIR = 128;

  /** All cells of a trial together. */
  private static final long MOST_BYTES = 1L << 30;

  private static final int PAGE = 4096;

  /** Places on a page where two line pairs fit. */
  private static final int OFFSETS = (PAGE - 2 * LINE_PAIR) / LINE_PAIR + 1;

  private static final Queue<Lines> UNTOUCHED = new ConcurrentLinkedQueue<>();

  private final long bytes;
  private final long cellBytes;
  private final long pages;

  /** Makes cells of two line pairs each. Throws Failure as the other constructor does. */
  public Lines(int cells) {
    this(cells, 2);
  }

  /**
   * Makes {@code cells} cells of {@code linePairs} line pairs each. Throws Failure: BAD_REQUEST
   * where it would be too much, INTERNAL when the system refuses the memory.
   */
  public Lines(int cells, int linePairs) {
    long used = (OFFSETS - 1 + linePairs) * (long) LINE_PAIR;
    cellBytes = (used + PAGE - 1) / PAGE * PAGE;
    bytes = cells * cellBytes;
    refuseTooMuch(bytes, "--lines");
    pages = Native.memory(bytes);
    UNTOUCHED.add(this);
  }

  /**
   * What a trial makes is bounded, wherever it is. Throws Failure(BAD_REQUEST), which says what to
   * lower.
   */
  public static void refuseTooMuch(long bytes, String toLower) {
    if (bytes > MOST_BYTES) {
      throw Failure.Code.BAD_REQUEST.failure(
          "The cells would take %,d MiB, more than the %,d MiB that a trial may: lower %s.",
          bytes >> 20, MOST_BYTES >> 20, toLower);
    }
  }

  /** Touches all that were made since the last time: they are placed on this thread's node. */
  public static void touch() {
    for (Lines lines = UNTOUCHED.poll(); lines != null; lines = UNTOUCHED.poll()) {
      for (long page = 0; page < lines.bytes; page += PAGE) {
        Words.touch(lines.pages + page);
      }
    }
  }

  /** The address of the whole. */
  public long start() {
    return pages;
  }

  /** The address of the first line of a cell. */
  public long first(int cell) {
    return pair(cell, 0);
  }

  /** The address of the second line of a cell. */
  public long second(int cell) {
    return pair(cell, 1);
  }

  /** The address of a line pair of a cell, counted from 0. */
  public long pair(int cell, int pair) {
    return pages + cell * cellBytes + (cell % OFFSETS + (long) pair) * LINE_PAIR;
  }
}
