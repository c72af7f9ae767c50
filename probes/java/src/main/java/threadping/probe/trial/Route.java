package threadping.probe.trial;

import java.util.Random;

/** The lines in the order in which they are visited, again and again. */
public final class Route {
  private final int[] lines;

  /** Shuffled by the seed. */
  public Route(int count, long seed) {
    Random random = new Random(seed);
    lines = new int[count];
    for (int line = 0; line < count; line++) {
      int other = random.nextInt(line + 1);
      lines[line] = lines[other];
      lines[other] = line;
    }
  }

  /** Where a step leads, counted from 0. */
  public int line(int step) {
    return lines[step % lines.length];
  }
}
