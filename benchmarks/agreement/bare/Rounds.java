import java.util.Locale;
import java.util.concurrent.BrokenBarrierException;
import java.util.concurrent.CyclicBarrier;

/**
 * A thread that lets another go and waits until it has come back, round by round, with nothing
 * around it: by a barrier that both pass twice a round.
 *
 * <p>{@code Rounds cyclic-barrier CALLER_CPU MEMBER_CPU MILLISECONDS} prints what a round takes,
 * after half as long a time that is not counted.
 */
final class Rounds {
  private static final long CHUNK = 64;
  private static final int TIMES_A_ROUND = 2;

  private final CyclicBarrier barrier = new CyclicBarrier(2);

  private void pass(long rounds) {
    try {
      for (long left = TIMES_A_ROUND * rounds; left > 0; left--) {
        barrier.await();
      }
    } catch (InterruptedException | BrokenBarrierException impossible) {
      throw new IllegalStateException(impossible);
    }
  }

  /** What a round takes, in nanoseconds, of as many as fit into so long. */
  private double during(long mostNs) {
    long from = System.nanoTime();
    long rounds = 0;
    do {
      pass(CHUNK);
      rounds += CHUNK;
    } while (System.nanoTime() - from < mostNs);
    return (System.nanoTime() - from) / (double) rounds;
  }

  public static void main(String[] words) {
    if (words.length != 4 || !words[0].equals("cyclic-barrier")) {
      throw new IllegalArgumentException(
          "Usage: Rounds cyclic-barrier CALLER_CPU MEMBER_CPU MILLISECONDS");
    }
    long timeNs = 1_000_000 * Long.parseLong(words[3]);
    Rounds both = new Rounds();
    Thread attending =
        new Thread(
            () -> {
              Program.pinThisThread(words[2]);
              both.pass(Long.MAX_VALUE / TIMES_A_ROUND);
            });
    attending.setDaemon(true); // it waits for a round that does not come
    attending.start();
    Program.pinThisThread(words[1]);
    both.during(timeNs / 2);
    System.out.printf(Locale.ROOT, "operation ns: %.2f%n", both.during(timeNs));
  }
}
