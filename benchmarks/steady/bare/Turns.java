import java.util.Arrays;
import java.util.Locale;
import java.util.concurrent.atomic.AtomicLong;

/**
 * cas-one-line with nothing around it: two threads take turns at one line after the other.
 *
 * <p>{@code Turns PING_CPU PONG_CPU WARM_UP_SECONDS SECONDS} prints how many times as long a turn
 * takes in the last third of those seconds as in the first, or the other way round.
 */
final class Turns {
  /** Handoffs, there and back. */
  private static final int VISIT = 400;

  private static final int LINES = 256;

  /** Objects of 24 bytes between two lines, so that they share no page. */
  private static final int APART = 256;

  private static final AtomicLong[] NUMBERS = new AtomicLong[LINES * APART];

  private Turns() {}

  private static AtomicLong lineOf(long number) {
    return NUMBERS[(int) (number / VISIT % LINES) * APART];
  }

  /** Takes its turns at a line from this number on: those that are so far from it. */
  private static void visit(AtomicLong line, long from, int first) {
    for (long number = from + first; number < from + VISIT; number += 2) {
      while (!line.compareAndSet(number, number + 1)) {}
    }
  }

  public static void main(String[] words) {
    long warmUp = (long) (1e9 * Double.parseDouble(words[2]));
    long time = (long) (1e9 * Double.parseDouble(words[3]));
    Arrays.setAll(NUMBERS, each -> new AtomicLong());
    Thread pong =
        new Thread(
            () -> {
              Program.pinThisThread(words[1]);
              for (long number = 0; ; number += VISIT) {
                visit(lineOf(number), number, 1);
              }
            });
    pong.start();
    Program.pinThisThread(words[0]);

    double[] took = new double[3];
    double[] visits = new double[3];
    long start = System.nanoTime();
    long before = 0;
    for (long number = 0; before < warmUp + time; number += VISIT) {
      AtomicLong line = lineOf(number);
      line.set(number);
      visit(line, number, 0);
      while (line.get() != number + VISIT) {}
      long now = System.nanoTime() - start;
      if (before >= warmUp) {
        int third = (int) Math.min(3 * (before - warmUp) / time, 2);
        took[third] += now - before;
        visits[third]++;
      }
      before = now;
    }
    double fold = took[2] / visits[2] / (took[0] / visits[0]);
    System.out.printf(Locale.ROOT, "fold: %.4f%n", Math.max(fold, 1 / fold));
    System.out.flush();
    Runtime.getRuntime().halt(0); // pong waits for its turn
  }
}
