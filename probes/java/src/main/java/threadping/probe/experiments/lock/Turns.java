package threadping.probe.experiments.lock;

import java.util.Arrays;
import java.util.SplittableRandom;

/**
 * Which of a thread's operations write: a bit each. An exact percentage of them is set, in an order
 * that a seed shuffles before anything is timed; after the last the first comes again. The same in
 * every language (SplittableRandom is SplitMix64).
 */
final class Turns {
  static final int BITS = 4096;

  private final long[] words = new long[BITS / Long.SIZE];

  Turns(int percent, long seed) {
    boolean[] writes = new boolean[BITS];
    Arrays.fill(writes, 0, (percent * BITS + 50) / 100, true);
    SplittableRandom random = new SplittableRandom(seed);
    for (int last = BITS - 1; last > 0; last--) {
      int other = (int) Long.remainderUnsigned(random.nextLong(), last + 1L);
      boolean moved = writes[last];
      writes[last] = writes[other];
      writes[other] = moved;
    }
    for (int bit = 0; bit < BITS; bit++) {
      words[bit / Long.SIZE] |= writes[bit] ? 1L << bit : 0;
    }
  }

  /** Whether operation {@code number} writes. */
  boolean writes(int number) {
    int bit = number & (BITS - 1);
    return (words[bit >>> 6] >>> bit & 1) != 0;
  }
}
