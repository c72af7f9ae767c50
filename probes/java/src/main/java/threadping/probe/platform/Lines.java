package threadping.probe.platform;

import com.sun.jna.LastErrorException;
import com.sun.jna.NativeLong;
import threadping.probe.Failure;

/**
 * A pool of cells, each on a page of its own and each at another offset within its page, so that a
 * trial does not hang on the luck of one physical line's home in the last-level cache. A cell is
 * two adjacent lines; {@link #first} and {@link #second} are the addresses of their first words.
 *
 * <p>The memory is outside the heap, where no collector moves it, and touched here, not while
 * measuring. It is never given back: a stalled mechanism's threads may still use it.
 */
public final class Lines {
  /**
   * Two adjacent lines: Intel's spatial prefetcher moves lines in aligned pairs of 128 bytes (Intel
   * 64 and IA-32 Architectures Optimization Reference Manual, "Data Prefetching"), and so do
   * Apple's and some Arm cores' lines.
   */
  private static final int LINE_PAIR = 128;

  private static final int PAGE = 4096;

  /** Places on a page where two line pairs fit. */
  private static final int OFFSETS = (PAGE - 2 * LINE_PAIR) / LINE_PAIR + 1;

  private final long pages;

  /** Throws Failure(INTERNAL) when the system refuses the memory. */
  public Lines(int cells) {
    NativeLong bytes = new NativeLong((long) cells * PAGE);
    try {
      pages = LibC.mmap(0, bytes, LibC.PROT_READ_WRITE, LibC.MAP_PRIVATE_ANONYMOUS, -1, 0);
    } catch (LastErrorException error) {
      throw new Failure(
          Failure.Code.INTERNAL, "No memory for " + cells + " lines of a page each.", error);
    }
    // Small pages only: a huge page would give all cells neighbouring physical lines.
    LibC.madvise(pages, bytes, LibC.MADV_NOHUGEPAGE);
    for (int cell = 0; cell < cells; cell++) {
      Words.clear(first(cell));
    }
  }

  /** The address of the first line of a cell. */
  public long first(int cell) {
    return pages + (long) cell * PAGE + cell % OFFSETS * LINE_PAIR;
  }

  /** The address of the second line of a cell. */
  public long second(int cell) {
    return first(cell) + LINE_PAIR;
  }
}
